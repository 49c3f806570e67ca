// What lists show of many flags in one environment, in the database: usage by day, coming changes, waiting approvals.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';

const DAY = 24 * 60 * 60 * 1000;
/** Of one flag in a week; there is one for each hour or day, variation, version and SDK. */
const MAX_ROWS = 20_000;
const AT_ONCE = 10;

/** The evaluations of each flag on each day since `from`, which is the beginning of a day in UTC, by key. */
export async function listEvaluationsByDay(
  db: Db,
  environmentId: string,
  keys: readonly string[],
  from: number,
): Promise<Map<string, Map<number, number>>> {
  const found = new Map<string, Map<number, number>>();
  for (const some of chunk(keys, AT_ONCE)) {
    const days = await Promise.all(some.map((key) => sumByHour(db, environmentId, key, from)));
    for (const [index, hours] of days.entries()) {
      const byDay = new Map<number, number>();
      for (const { hour, total } of hours) {
        const day = Math.floor((hour - from) / DAY);
        byDay.set(day, (byDay.get(day) ?? 0) + Number(total));
      }
      found.set(some[index]!, byDay);
    }
  }
  return found;
}

async function sumByHour(db: Db, environmentId: string, flagKey: string, from: number) {
  return await db
    .selectFrom((eb) =>
      eb
        .selectFrom('flag_evaluations')
        .select(['hour', 'count'])
        .where('environment_id', '=', environmentId)
        .where('flag_key', '=', flagKey)
        .where('hour', '>=', from)
        .limit(MAX_ROWS)
        .as('some'),
    )
    .select(({ fn }) => ['some.hour', fn.sum<number | string>('some.count').as('total')])
    .groupBy('some.hour')
    .execute();
}

/** The next change of each flag that is scheduled there, by the flag's id. */
export async function listNextChanges(
  db: Db,
  environmentId: string,
  flagIds: readonly string[],
): Promise<Map<string, { id: string; at: number }>> {
  const rows = await db
    .selectFrom('scheduled_changes')
    .select(['flag_id', 'id', 'execution_at'])
    .where('flag_id', 'in', flagIds)
    .where('environment_id', '=', environmentId)
    .where('status', '=', 'pending')
    .orderBy('execution_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return new Map(rows.map((row) => [row.flag_id, { id: row.id, at: row.execution_at }]));
}

/** How many requests wait there for approval, by the flag's id. */
export async function countWaitingApprovals(
  db: Db,
  environmentId: string,
  flagIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('approval_requests')
    .select(({ fn }) => ['flag_id', fn.countAll<number | string>().as('total')])
    .where('flag_id', 'in', flagIds)
    .where('status', '=', 'pending')
    .where('environment_id', '=', environmentId)
    .groupBy('flag_id')
    .execute();
  return new Map(rows.map((row) => [row.flag_id, Number(row.total)]));
}

/** By the flag's id. */
export async function listUsageOf(db: Db, environmentId: string, flagIds: readonly string[]) {
  const rows = await db
    .selectFrom('flag_usage')
    .select(['flag_id', 'last_requested_at', 'last_default'])
    .where('environment_id', '=', environmentId)
    .where('flag_id', 'in', flagIds)
    .execute();
  return new Map(
    rows.map((row) => [
      row.flag_id,
      { lastRequestedAt: row.last_requested_at, lastDefault: row.last_default },
    ]),
  );
}
