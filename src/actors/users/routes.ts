// Users: the caller, and anyone by id or name.
import { Failure } from '../../kernel/failure.ts';
import { findMember } from '../../kernel/identity/members.ts';
import { route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { PrivateUser, PublicUser, toPrivateUser, toPublicUser } from './model.ts';

const getMe = route(
  {
    id: 'users_me_get',
    method: 'GET',
    path: '/users/me',
    summary: 'Get the caller',
    access: 'caller',
    reply: { 200: PrivateUser },
  },
  ({ caller }) => toPrivateUser(caller.member),
);

const getUser = route(
  {
    id: 'user_get',
    method: 'GET',
    path: '/users/{userId}',
    summary: 'Get what everyone may know of a user',
    access: 'anyone',
    params: Type.Object({ userId: Type.String({ description: 'Id or username' }) }),
    reply: { 200: PublicUser },
  },
  async ({ params: { userId } }, { db }) => {
    const member = (await findMember(db, { id: userId })) ?? (await findMember(db, { username: userId }));
    if (member === undefined)
      throw new Failure('not-found', `User "${userId}" was not found`, { code: 'user-not-found' });
    return toPublicUser(member);
  },
);

export const userRoutes = [getMe, getUser];
