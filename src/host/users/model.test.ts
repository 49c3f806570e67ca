// Tests of how the host shows users.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from '../../kernel/identity/store-members.ts';
import { nodeIdOfAccount, ownerOfAccount, toSimpleUser } from '../owners/model.ts';
import {
  drawAvatar,
  fullNameOf,
  publicNameOf,
  toPrivateUser,
  toPublicUser,
  type ShownPrivately,
  EMPTY_USER_PROFILE,
  PRIMARY,
} from './model.ts';

const ADA: Member = {
  id: 'm1',
  number: 7,
  username: 'ada',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  role: 'writer',
  customRoles: [],
  createdAt: Date.parse('2026-01-02T03:04:05.678Z'),
  updatedAt: Date.parse('2026-02-03T04:05:06.789Z'),
};
const SHOWN: ShownPrivately = {
  account: ADA,
  profile: EMPTY_USER_PROFILE,
  updatedAt: ADA.updatedAt,
  publicRepositories: 2,
  privateRepositories: 3,
  sizeKb: 40,
  collaborators: 5,
  publicGists: 0,
  secretGists: 0,
};
const BASE = 'https://host.example/api/v3';

test('every URL is below the base that the caller used, pages are on the site', () => {
  const { html_url: page, avatar_url: picture, ...rest } = toSimpleUser(ownerOfAccount(ADA), BASE);
  assert.equal(page, 'https://host.example/ada');
  assert.equal(picture, `${BASE}/avatars/7`);
  for (const [name, value] of Object.entries(rest)) {
    if (name.endsWith('url')) assert.ok(String(value).startsWith(`${BASE}/users/ada`), name);
  }
});

test('times have no milliseconds, and what is not known is null', () => {
  const user = toPublicUser(SHOWN, BASE, true);
  assert.equal(user.created_at, '2026-01-02T03:04:05Z');
  assert.equal(user.updated_at, '2026-02-03T04:05:06Z');
  assert.deepEqual([user.bio, user.company, user.location], [null, null, null]);
});

test('the address is shown to its owner alone, unless it is published', () => {
  assert.equal(toPublicUser(SHOWN, BASE, true).email, null);
  assert.equal(toPrivateUser(SHOWN, BASE, true).email, 'ada@example.com');
  const published = { ...SHOWN, profile: { ...EMPTY_USER_PROFILE, publicEmail: PRIMARY } };
  assert.equal(toPublicUser(published, BASE, true).email, 'ada@example.com');
  assert.equal(toPublicUser(published, BASE, false).email, null);
});

test('the name of a service token is private, unless its profile says one', () => {
  const bot = { ...ADA, isService: true as const };
  assert.equal(publicNameOf(bot, EMPTY_USER_PROFILE), null);
  assert.equal(publicNameOf(bot, { name: 'Builder' }), 'Builder');
});

test('a name is made of what is known of it', () => {
  assert.equal(fullNameOf(ADA), 'Ada Lovelace');
  assert.equal(fullNameOf({ ...ADA, firstName: undefined }), 'Lovelace');
  assert.equal(fullNameOf({ ...ADA, firstName: undefined, lastName: undefined }), null);
});

test('only those who run the account are site admins', () => {
  const isAdmin = (role: Member['role']) => toSimpleUser(ownerOfAccount({ ...ADA, role }), BASE).site_admin;
  const shown = (['reader', 'writer', 'admin', 'owner'] as const).map(isAdmin);
  assert.deepEqual(shown, [false, false, true, true]);
});

test('a node id names kind and number', () => {
  assert.equal(Buffer.from(nodeIdOfAccount(ADA), 'base64').toString(), '04:User7');
});

test('a picture is the same for the same user and has their letter', () => {
  const owner = ownerOfAccount(ADA);
  assert.equal(drawAvatar(owner), drawAvatar({ ...owner }));
  assert.notEqual(drawAvatar(owner), drawAvatar({ ...owner, number: 8 }));
  assert.match(drawAvatar(owner), /^<svg .*>A<\/text><\/svg>$/);
});
