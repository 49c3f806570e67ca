// Deletes old rows of evaluations and payloads, and adds up the hours of past days, in batches.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

/** Rows per statement, so that other writers get their turn. */
const BATCH_SIZE = 5000;
const DAY = 24 * 60 * 60 * 1000;

/** Those received before that time. */
export async function deletePayloads(db: Db, before: number, signal: AbortSignal): Promise<void> {
  let isFull = true;
  while (isFull && !signal.aborted) {
    const last = await db
      .selectFrom('flag_event_payloads')
      .select('received_at')
      .where('received_at', '<', before)
      .orderBy('received_at')
      .offset(BATCH_SIZE)
      .limit(1)
      .executeTakeFirst();
    isFull = last !== undefined;
    // All of the same millisecond go together, so that each batch makes progress.
    await db
      .deleteFrom('flag_event_payloads')
      .where('received_at', '<', last === undefined ? before : last.received_at + 1)
      .execute();
  }
}

/** The next environment id after this one, by index. */
export async function nextEvaluatedEnvironment(db: Db, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('flag_evaluations')
    .select('environment_id')
    .where('environment_id', '>', after)
    .orderBy('environment_id')
    .limit(1)
    .executeTakeFirst();
  return row?.environment_id;
}

export async function environmentExists(db: Db, id: string): Promise<boolean> {
  return (
    (await db.selectFrom('environments').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  );
}

/** Those of hours before that time, hour by hour. */
export async function deleteEvaluations(
  db: Db,
  environmentId: string,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const hour = await oldestHour(db, environmentId, 0);
    if (hour === undefined || hour >= before || signal.aborted) return;
    await db
      .deleteFrom('flag_evaluations')
      .where('environment_id', '=', environmentId)
      .where('hour', '=', hour)
      .execute();
  }
}

async function oldestHour(db: Db, environmentId: string, from: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('flag_evaluations')
    .select('hour')
    .where('environment_id', '=', environmentId)
    .where('hour', '>=', from)
    .orderBy('hour')
    .limit(1)
    .executeTakeFirst();
  return row?.hour;
}

/** Adds the rows of each hour before that time to those of the first hour of their day. */
export async function addUpHours(
  db: Db,
  environmentId: string,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  let hour = await oldestHour(db, environmentId, 0);
  while (hour !== undefined && hour < before && !signal.aborted) {
    const day = hour - (hour % DAY);
    if (hour > day) await addHour(db, environmentId, hour, day);
    hour = await oldestHour(db, environmentId, hour + 1);
  }
}

async function addHour(db: Db, environmentId: string, hour: number, day: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`
      insert into flag_evaluations (environment_id, flag_key, hour, variation, version, sdk, count)
      select environment_id, flag_key, ${sql.lit(day)}, variation, version, sdk, count from flag_evaluations
      where environment_id = ${environmentId} and hour = ${hour}
      on conflict (environment_id, flag_key, hour, variation, version, sdk)
      do update set count = flag_evaluations.count + excluded.count`.execute(tx);
    await tx
      .deleteFrom('flag_evaluations')
      .where('environment_id', '=', environmentId)
      .where('hour', '=', hour)
      .execute();
  });
}
