// Login links: how often and how long they work, and how they end, on both engines.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../../test/engines.ts';
import type { Db } from '../../storage/tables.ts';
import { insertMember, type Member } from '../store-members.ts';
import { identityMigrations } from '../tables.ts';
import {
  deleteExpiredLinks,
  deleteLoginLinks,
  insertLoginLink,
  listInvitations,
  spendLoginLink,
} from './store-login-links.ts';

const NOW = 1_800_000_000_000;
const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let db: Db;
  let ada: Member;
  let bob: Member;
  before(async () => {
    ({ db } = await engine.open(identityMigrations));
    const join = (username: string) =>
      insertMember(db, { username, email: `${username}@example.com`, role: 'reader' }, null, NOW);
    [ada, bob] = [await join('ada'), await join('bob')];
  });

  test('a link lets its member in once', async () => {
    const link = await insertLoginLink(db, ada, NOW);
    assert.deepEqual(await spendLoginLink(db, link, NOW), { member: ada, purpose: 'login' });
    assert.equal(await spendLoginLink(db, link, NOW), undefined);
  });

  test('of many concurrent uses of a link one succeeds', async () => {
    const link = await insertLoginLink(db, ada, NOW);
    const tries = await Promise.all(Array.from({ length: 10 }, () => spendLoginLink(db, link, NOW)));
    assert.equal(tries.filter((spent) => spent !== undefined).length, 1);
  });

  test('a link is valid for a quarter of an hour, a reset for a day, an invitation for a week, other texts never', async () => {
    for (const [purpose, ms] of [
      ['login', DAY / 96],
      ['reset', DAY],
      ['invitation', 7 * DAY],
    ] as const) {
      const link = await insertLoginLink(db, ada, NOW, purpose);
      assert.equal(await spendLoginLink(db, link, NOW + ms), undefined);
      assert.deepEqual(await spendLoginLink(db, link, NOW + ms - 1), { member: ada, purpose });
    }
    for (const text of ['', 'x', 'a\0b', '\ud800', 'x'.repeat(100_000)]) {
      assert.equal(await spendLoginLink(db, text, NOW), undefined);
    }
  });

  test('the links of one member end together, and those of another stay', async () => {
    const own = [await insertLoginLink(db, ada, NOW), await insertLoginLink(db, ada, NOW, 'reset')];
    await insertLoginLink(db, ada, NOW - DAY);
    const other = await insertLoginLink(db, bob, NOW);
    assert.equal(await deleteLoginLinks(db, ada.id, NOW), 2);
    for (const link of own) assert.equal(await spendLoginLink(db, link, NOW), undefined);
    assert.notEqual(await spendLoginLink(db, other, NOW), undefined);
  });

  test('an invitation that nobody has used stays listed for a month', async () => {
    await insertLoginLink(db, ada, NOW, 'invitation');
    await insertLoginLink(db, bob, NOW);
    const expiresAt = NOW + 7 * DAY;
    await deleteExpiredLinks(db, expiresAt + 29 * DAY);
    assert.deepEqual([...(await listInvitations(db, [ada.id, bob.id]))], [[ada.id, expiresAt]]);
    await deleteExpiredLinks(db, expiresAt + 30 * DAY);
    assert.deepEqual(await listInvitations(db, [ada.id]), new Map());
    assert.deepEqual(await listInvitations(db, []), new Map());
  });
});
