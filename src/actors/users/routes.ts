// Users: the caller, and anyone by id or name.
import { Failure } from '../../kernel/failure.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { executionRefusal } from '../jobs/check-execution.ts';
import { mayViewAccount } from './access.ts';
import { PrivateUser, PublicUser, toKnownUser, toPublicUser, toUserForProgram } from './model.ts';
import { privateUserOf } from './private-user.ts';

const getMe = route(
  {
    id: 'users_me_get',
    method: 'GET',
    path: '/users/me',
    summary: 'Get the caller',
    description:
      'A token without the permission `viewAccount` on the account gets its id and its name, and nothing else of it.',
    access: 'caller',
    reply: { 200: PrivateUser },
  },
  ({ caller }, kernel) => {
    if (!mayViewAccount(caller)) return toKnownUser(accountOf(caller), { refusal: executionRefusal(kernel) });
    // Not awaited: nearly every call is answered in the same tick.
    const user = privateUserOf(kernel, accountOf(caller));
    return caller.program === undefined ? user : Promise.resolve(user).then(toUserForProgram);
  },
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
    const account = (await findAccount(db, { id: userId })) ?? (await findAccount(db, { username: userId }));
    if (account === undefined)
      throw new Failure('not-found', `User "${userId}" was not found`, { code: 'user-not-found' });
    return toPublicUser(account);
  },
);

export const userRoutes = [getMe, getUser];
