// Users: the caller, anyone by name or number, and their pictures; and the lists of who follows whom, which are empty.
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { findAccount, type Account } from '../../kernel/identity/store-accounts.ts';
import { reply, route, Text, type Reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { HostPageQuery, perPageOf, pageSliceOf } from '../list-query.ts';
import { ownerOfOrganization, type Organization } from '../organizations/model.ts';
import { findOrganization } from '../organizations/store.ts';
import { ownerOfAccount, SimpleUser, toSimpleUser } from '../owners/model.ts';
import { findUser, listOwnersAfter, findOwner } from '../owners/store.ts';
import { lockUser, mayViewEmails, userResource, userNotFound } from './access.ts';
import {
  drawAvatar,
  PrivateUser,
  PublicUser,
  toPrivateUser,
  toPublicOrganization,
  toPublicUser,
  changeProfile,
  UserUpdate,
} from './model.ts';
import {
  readOwnUser,
  readUser,
  countRepositoriesOf,
  findProfile,
  upsertProfile,
  listAddedEmails,
} from './store.ts';

const getAuthenticated = route(
  {
    id: 'users/get-authenticated',
    method: 'GET',
    path: '/user',
    summary: 'Get the caller',
    access: 'caller',
    reply: { 200: PrivateUser },
    isKept: true,
  },
  async ({ caller, base }, { db }) => {
    const shown = await readOwnUser(db, accountOf(caller));
    return reply(200, toPrivateUser(shown, base, mayViewEmails(caller)), lastModified(shown));
  },
);

const updateAuthenticated = route(
  {
    id: 'users/update-authenticated',
    method: 'PATCH',
    path: '/user',
    summary: "Change the caller's profile",
    description:
      'Fields that are absent stay, and empty ones are cleared. Without a name the first and last name of the member are shown. ' +
      'The e-mail address is the one that others see: it must be one of your own.',
    access: { action: 'updateProfile' },
    body: UserUpdate,
    bodyIsOptional: true,
    reply: { 200: PrivateUser },
  },
  async (call, { changes }) => {
    const account = accountOf(call.caller);
    const resource = userResource(account);
    call.requirePermission(resource);
    const shown = await changes.run(call, async (tx) => {
      await lockUser(tx.db, call.caller);
      const { profile: before } = await findProfile(tx.db, account.id);
      const emails = [account.email, ...(await listAddedEmails(tx.db, account.id))];
      const ownEmails = emails.map((email) => email.toLowerCase());
      const after = changeProfile(before, call.body ?? {}, ownEmails);
      if (!isDeepStrictEqual(before, after)) {
        await upsertProfile(tx.db, account.id, after, call.now);
        tx.record({
          accesses: [{ action: 'updateProfile', resource }],
          kind: 'user',
          name: account.username,
          verb: 'changed the profile of',
          ownerId: account.id,
          before,
          after,
        });
      }
      return await readOwnUser(tx.db, account);
    });
    return toPrivateUser(shown, call.base, mayViewEmails(call.caller));
  },
);

const getByUsername = route(
  {
    id: 'users/get-by-username',
    method: 'GET',
    path: '/users/{username}',
    summary: 'Get a user or an organization',
    access: 'anyone',
    params: Type.Object({ username: Type.String() }),
    reply: { 200: PublicUser },
    isKept: true,
  },
  async ({ params: { username }, base, caller }, { db }) => {
    const account = await findUser(db, username);
    const found = account ?? (await findOrganization(db, { login: username }));
    if (found === undefined) throw userNotFound(username);
    return await showPublicly(db, found, { base, isCallerKnown: caller.kind !== 'anonymous' });
  },
);

/** The numbers of members are 32-bit integers in PostgreSQL. */
const MAX_NUMBER = 2 ** 31 - 1;

const getById = route(
  {
    id: 'users/get-by-id',
    method: 'GET',
    path: '/user/{account_id}',
    summary: 'Get a user or an organization by number',
    access: 'anyone',
    // Text, because words below this path that are no routes are not found instead of invalid.
    params: Type.Object({ account_id: Type.String() }),
    reply: { 200: PublicUser },
    isKept: true,
  },
  async ({ params, base, caller }, { db }) => {
    const number = /^\d{1,10}$/.test(params.account_id) ? Number(params.account_id) : 0;
    const found = number > 0 && number <= MAX_NUMBER ? await findByNumber(db, number) : undefined;
    if (found === undefined) throw userNotFound(params.account_id);
    return await showPublicly(db, found, { base, isCallerKnown: caller.kind !== 'anonymous' });
  },
);

const listUsers = route(
  {
    id: 'users/list',
    method: 'GET',
    path: '/users',
    summary: 'List users and organizations by their numbers',
    access: 'anyone',
    query: Type.Object({
      since: Type.Integer({ minimum: 0, default: 0, description: 'Only those with larger numbers' }),
      per_page: HostPageQuery.per_page,
    }),
    reply: { 200: Type.Array(SimpleUser) },
  },
  async ({ query, base }, { db }) => {
    const limit = perPageOf(query.per_page);
    const found = await listOwnersAfter(db, Math.min(query.since, MAX_NUMBER), limit + 1);
    const owners = found.slice(0, limit);
    const path = `${base}/users`;
    const links = [
      ...(found.length > limit
        ? [`<${path}?since=${owners.at(-1)!.number}&per_page=${limit}>; rel="next"`]
        : []),
      `<${path}{?since}>; rel="first"`,
    ];
    return reply(
      200,
      owners.map((owner) => toSimpleUser(owner, base)),
      { link: links.join(', ') },
    );
  },
);

const getAvatar = route(
  {
    id: 'users/get-avatar',
    method: 'GET',
    path: '/avatars/{number}',
    summary: "Get a user's picture",
    access: 'anyone',
    params: Type.Object({ number: Type.Integer({ minimum: 1, maximum: MAX_NUMBER }) }),
    reply: { 200: Type.String() },
    produces: 'image/svg+xml',
  },
  async ({ params }, { db }) => {
    const found = await findByNumber(db, params.number);
    if (found === undefined) throw new Failure('not-found', 'There is no such user');
    const owner = 'login' in found ? ownerOfOrganization(found) : ownerOfAccount(found);
    return new Text('image/svg+xml', drawAvatar(owner));
  },
);

async function findByNumber(db: Db, number: number): Promise<Account | Organization | undefined> {
  return (await findAccount(db, { number })) ?? (await findOrganization(db, { number }));
}

async function showPublicly(
  db: Db,
  found: Account | Organization,
  { base, isCallerKnown }: { base: string; isCallerKnown: boolean },
): Promise<Reply> {
  if ('login' in found) {
    const { publicRepositories } = await countRepositoriesOf(db, found.id);
    return reply(200, toPublicOrganization(found, publicRepositories, base), lastModified(found));
  }
  const shown = await readUser(db, found);
  return reply(200, toPublicUser(shown, base, isCallerKnown), lastModified(shown));
}

function lastModified({ updatedAt }: { updatedAt: number }): Record<string, string> {
  return { 'last-modified': new Date(updatedAt).toUTCString() };
}

export const userRoutes = [
  getAuthenticated,
  updateAuthenticated,
  getByUsername,
  getById,
  listUsers,
  getAvatar,
];

const DESCRIPTION = 'People cannot follow each other on this server: the list is empty.';

const own = (id: string, path: string, summary: string) =>
  route(
    {
      id,
      method: 'GET',
      path,
      summary,
      description: DESCRIPTION,
      access: 'caller',
      query: Type.Object(HostPageQuery),
      list: SimpleUser,
    },
    ({ query }) => new Page([], 0, pageSliceOf(query)),
  );

const ofUser = (id: string, path: string, summary: string) =>
  route(
    {
      id,
      method: 'GET',
      path,
      summary,
      description: DESCRIPTION,
      access: 'anyone',
      params: Type.Object({ username: Type.String() }),
      query: Type.Object(HostPageQuery),
      list: SimpleUser,
    },
    async ({ params: { username }, query }, { db }) => {
      if ((await findOwner(db, username)) === undefined) throw userNotFound(username);
      return new Page([], 0, pageSliceOf(query));
    },
  );

export const followRoutes = [
  own('users/list-followers-for-authenticated-user', '/user/followers', 'List who follows the caller'),
  own('users/list-followed-by-authenticated-user', '/user/following', 'List whom the caller follows'),
  ofUser('users/list-followers-for-user', '/users/{username}/followers', 'List who follows a user'),
  ofUser('users/list-following-for-user', '/users/{username}/following', 'List whom a user follows'),
];
