// The caller's limits and monthly usage.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes, route, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { MAX_ACTORS } from '../actors/model.ts';
import { countActors } from '../actors/store.ts';
import { countUnfinished } from '../runs/store.ts';
import { MAX_SCHEDULES } from '../schedules/model.ts';
import { countSchedules } from '../schedules/store.ts';
import { MAX_TASKS } from '../tasks/model.ts';
import { countTasks } from '../tasks/store.ts';
import { accountResource, refusePrograms } from '../users/access.ts';
import { ensureAccountRecord, findAccountRecord, updateAccountLimits } from '../users/store.ts';
import {
  AccountLimits,
  cycleOf,
  DAY,
  LimitsUpdate,
  MonthlyUsage,
  readDate,
  toAccountLimits,
  toMonthlyUsage,
  type CurrentCounts,
} from './model.ts';
import { listUsage } from './store.ts';

const getMonthly = route(
  {
    id: 'users_me_usage_monthly_get',
    method: 'GET',
    path: '/users/me/usage/monthly',
    summary: 'Get what the caller used in a month, in all and day by day',
    description: 'A month is one of the calendar, in UTC. Nothing has a price here: amounts are zero.',
    access: 'caller',
    query: Type.Object({
      date: Type.Optional(Type.String({ description: 'A day of the month, YYYY-MM-DD; today without it' })),
    }),
    reply: { 200: MonthlyUsage },
  },
  async ({ caller, query, now }, kernel) => {
    refusePrograms(caller);
    const cycle = cycleOf(query.date === undefined ? now : readDate(query.date));
    await kernel.services.usage.save();
    return toMonthlyUsage(cycle, await listUsage(kernel.db, accountOf(caller).id, cycle));
  },
);

const getLimits = route(
  {
    id: 'users_me_limits_get',
    method: 'GET',
    path: '/users/me/limits',
    summary: "Get the caller's limits, and how much of them is used",
    description: 'Where there is no limit the number is 999999999999.',
    access: 'caller',
    reply: { 200: AccountLimits },
  },
  async ({ caller, now }, kernel) => {
    refusePrograms(caller);
    const cycle = cycleOf(now);
    const { id } = accountOf(caller);
    await kernel.services.usage.save();
    const used = await listUsage(kernel.db, id, cycle);
    return toAccountLimits(cycle, used, await limitsOf(kernel, id), await countsOf(kernel, id));
  },
);

const putLimits = route(
  {
    id: 'users_me_limits_put',
    method: 'PUT',
    path: '/users/me/limits',
    summary: "Change the caller's limits",
    access: { action: 'updateAccountLimits' },
    body: LimitsUpdate,
    produces: 'application/json',
    reply: { 201: Type.Object({}) },
  },
  async (call, kernel) => {
    const { id, username } = accountOf(call.caller);
    const resource = accountResource(id);
    call.requirePermission(resource);
    await kernel.changes.run(call, async (tx) => {
      const { db } = tx;
      const { maxMonthlyUsageUsd, dataRetentionDays } = await ensureAccountRecord(db, id, 'lock');
      await updateAccountLimits(db, id, call.body);
      tx.record({
        accesses: [{ action: 'updateAccountLimits', resource }],
        kind: 'user',
        name: username,
        verb: 'changed the limits of the account',
        ownerId: id,
        before: { maxMonthlyUsageUsd, dataRetentionDays },
        after: { maxMonthlyUsageUsd, dataRetentionDays, ...call.body },
      });
    });
    return new Bytes(Buffer.from('{}'), { 'content-type': 'application/json; charset=utf-8' }, 201);
  },
);

async function limitsOf({ db, settings }: Kernel, userId: string) {
  const own = await findAccountRecord(db, userId);
  return {
    maxMonthlyUsageUsd: own?.maxMonthlyUsageUsd ?? null,
    dataRetentionDays: own?.dataRetentionDays ?? settings.retentionMs / DAY,
    maxActors: MAX_ACTORS,
    maxTasks: MAX_TASKS,
    maxSchedules: MAX_SCHEDULES,
    maxRuns: settings.execution.accountRuns,
    maxMemoryMbytes: settings.execution.accountMemoryMbytes,
  };
}

async function countsOf({ db }: Kernel, userId: string): Promise<CurrentCounts> {
  const { runs, memoryMbytes } = await countUnfinished(db, userId);
  return {
    actors: await countActors(db, userId),
    tasks: await countTasks(db, userId),
    schedules: await countSchedules(db, userId),
    unfinishedRuns: runs,
    memoryMbytes,
  };
}

export const usageRoutes = [getMonthly, getLimits, putLimits] as Route[];
