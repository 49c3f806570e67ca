// Users: the caller, anyone by name, and their pictures.
import { Failure } from '../../kernel/failure.ts';
import { findAccount, type Account } from '../../kernel/identity/store-accounts.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { reply, route, Text } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { drawAvatar, PrivateUser, PublicUser, toPrivateUser, toPublicUser } from './model.ts';

const getAuthenticated = route(
  {
    id: 'users/get-authenticated',
    method: 'GET',
    path: '/user',
    summary: 'Get the caller',
    access: 'caller',
    reply: { 200: PrivateUser },
  },
  ({ caller, base }) => {
    const account = accountOf(caller);
    return reply(200, toPrivateUser(account, base), lastModified(account));
  },
);

const getByUsername = route(
  {
    id: 'users/get-by-username',
    method: 'GET',
    path: '/users/{username}',
    summary: 'Get a user',
    access: 'anyone',
    params: Type.Object({ username: Type.String() }),
    reply: { 200: PublicUser },
  },
  async ({ params, base }, { db }) => {
    const account = await findAccount(db, params);
    if (account === undefined) throw new Failure('not-found', `There is no user ${params.username}`);
    return reply(200, toPublicUser(account, base), lastModified(account));
  },
);

/** The number of a member is a 32-bit column on PostgreSQL. */
const MAX_NUMBER = 2 ** 31 - 1;

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
    const account = await findAccount(db, params);
    if (account === undefined) throw new Failure('not-found', 'There is no such user');
    return new Text('image/svg+xml', drawAvatar(account));
  },
);

function lastModified({ updatedAt }: Account): Record<string, string> {
  return { 'last-modified': new Date(updatedAt).toUTCString() };
}

export const userRoutes = [getAuthenticated, getByUsername, getAvatar];
