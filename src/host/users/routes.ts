// Users: the caller, anyone by name, and their pictures.
import { Failure } from '../../kernel/failure.ts';
import { findMember, type Member } from '../../kernel/identity/members.ts';
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
  ({ caller: { member }, base }) => reply(200, toPrivateUser(member, base), lastModified(member)),
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
    const member = await findMember(db, params);
    if (member === undefined) throw new Failure('not-found', `There is no user ${params.username}`);
    return reply(200, toPublicUser(member, base), lastModified(member));
  },
);

/** PostgreSQL counts members in 32 bits. */
const MOST_NUMBER = 2 ** 31 - 1;

const getAvatar = route(
  {
    id: 'users/get-avatar',
    method: 'GET',
    path: '/avatars/{number}',
    summary: "Get a user's picture",
    access: 'anyone',
    params: Type.Object({ number: Type.Integer({ minimum: 1, maximum: MOST_NUMBER }) }),
    reply: { 200: Type.String() },
    produces: 'image/svg+xml',
  },
  async ({ params }, { db }) => {
    const member = await findMember(db, params);
    if (member === undefined) throw new Failure('not-found', 'There is no such user');
    return new Text('image/svg+xml', drawAvatar(member));
  },
);

function lastModified({ updatedAt }: Member): Record<string, string> {
  return { 'last-modified': new Date(updatedAt).toUTCString() };
}

export const userRoutes = [getAuthenticated, getByUsername, getAvatar];
