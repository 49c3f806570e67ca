// What an account sees of itself. Clients ask for it often, so the JSON is made once for each state of an account.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { JsonText } from '../../kernel/http/route.ts';
import { MAX_ACTORS } from '../actors/model.ts';
import { executionRefusal } from '../jobs/check-execution.ts';
import { MAX_SCHEDULES } from '../schedules/model.ts';
import { MAX_TASKS } from '../tasks/model.ts';
import { DAY } from '../usage/model.ts';
import { toPrivateUser } from './model.ts';
import { ensureAccountRecord } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** By the account as it was read: an account that has changed is another object. */
    privateUsers: WeakMap<Account, JsonText>;
  }
}

/** Returns no promise when it is cached. */
export function privateUserOf(
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
