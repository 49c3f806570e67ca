// Users: the caller, and anyone by id or name.
import { Failure } from '../../kernel/failure.ts';
import { findAccount, type Account } from '../../kernel/identity/store-accounts.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { route, type JsonText } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { executionRefusal } from '../jobs/this-node.ts';
import { MAX_ACTORS } from '../actors/model.ts';
import { MAX_SCHEDULES } from '../schedules/model.ts';
import { MAX_TASKS } from '../tasks/model.ts';
import { DAY } from '../usage/model.ts';
import { mayViewAccount } from './access.ts';
import {
  PrivateUser,
  PublicUser,
  toKnownUser,
  toPublicUser,
  toUserForProgram,
  toPrivateUser,
} from './model.ts';
import { ensureAccountRecord } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** By the account as it was read: an account that has changed is another object. */
    privateUsers: WeakMap<Account, JsonText>;
  }
}

/** Clients ask for it often, so the JSON is made once for each state of an account. Returns no promise when it is cached. */
function privateUserOf(
  { db, services, settings }: Pick<Kernel, 'db' | 'services' | 'settings'>,
  account: Account,
): JsonText | Promise<JsonText> {
  const { privateUsers } = services;
  const known = privateUsers.get(account);
  if (known !== undefined) return known;
  return ensureAccountRecord(db, account.id).then(({ proxyPassword }) => {
    const { accountRuns, accountMemoryMbytes } = settings.execution;
    const user = toPrivateUser(account, proxyPassword, {
      refusal: executionRefusal({ services, settings }),
      limits: {
        maxConcurrentActorRuns: accountRuns,
        maxActorMemoryGbytes: accountMemoryMbytes / 1024,
        maxActorCount: MAX_ACTORS,
        maxActorTaskCount: MAX_TASKS,
        maxScheduleCount: MAX_SCHEDULES,
        dataRetentionDays: settings.retentionMs / DAY,
      },
    });
    privateUsers.set(account, user);
    return user;
  });
}

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
