// Schedules in the database, with their logs and their due rows.
import { sql, type Selectable } from 'kysely';
import { newId } from '../../kernel/id.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { cancel, schedule, type DueWork } from '../../kernel/jobs/due-store.ts';
import { findFreeName } from '../resource-names.ts';
import {
  MAX_SCHEDULE_NAME_LENGTH,
  type Schedule,
  type ScheduleFields,
  MAX_LOG_LINES,
  type ScheduleLogLevel,
  type LogLine,
} from './model.ts';
import type { ScheduleRow } from './tables.ts';

/** Locks the names and the number of an account's schedules until the transaction ends. */
export function lockScheduleNames(tx: Db, userId: string): Promise<void> {
  return lockName(tx, `schedule-names:${userId}`);
}

/** The caller has called `lockScheduleNames` and checked that the name is free. */
export async function insertSchedule(
  tx: Db,
  userId: string,
  fields: ScheduleFields,
  now: number,
): Promise<Schedule> {
  const row = await tx
    .insertInto('schedules')
    .values({
      id: newId(now),
      user_id: userId,
      ...rowOf(fields),
      last_run_at: null,
      created_at: now,
      modified_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return scheduleFrom(row);
}

export async function findSchedule(db: Db, id: string): Promise<Schedule | undefined> {
  const row = await db.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst();
  return row && scheduleFrom(row);
}

/** Locks the row until the transaction ends. */
export async function lockSchedule(tx: Db, id: string): Promise<Schedule | undefined> {
  const row = await tx
    .selectFrom('schedules')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row && scheduleFrom(row);
}

/** The expression of the index. Names are ASCII, which both engines fold alike. */
export const foldedScheduleName = sql<string>`lower(name)`;

export async function isScheduleNameTaken(db: Db, userId: string, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('schedules')
    .select('id')
    .where('user_id', '=', userId)
    .where(foldedScheduleName, '=', name.toLowerCase())
    .executeTakeFirst();
  return row !== undefined;
}

/** The name itself or with a number appended, so that none of the accounts has it. */
export function findFreeScheduleName(tx: Db, userIds: readonly string[], name: string): Promise<string> {
  return findFreeName({ name, maxLength: MAX_SCHEDULE_NAME_LENGTH, firstNumber: 2 }, async (folded) => {
    const rows = await tx
      .selectFrom('schedules')
      .select('name')
      .where('user_id', 'in', userIds)
      .where(foldedScheduleName, 'in', folded)
      .execute();
    return rows.map((row) => row.name);
  });
}

export async function listSchedules(
  db: Db,
  userId: string,
  { offset, limit }: Slice,
  desc: boolean,
): Promise<{ items: Schedule[]; total: number }> {
  const order = desc ? 'desc' : 'asc';
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
    .execute();
  return { items: rows.map(scheduleFrom), total: await countSchedules(db, userId) };
}

export async function countSchedules(db: Db, userId: string): Promise<number> {
  const { total } = await db
    .selectFrom('schedules')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return total;
}

export async function updateSchedule(
  tx: Db,
  id: string,
  fields: ScheduleFields,
  now: number,
): Promise<Schedule> {
  const row = await tx
    .updateTable('schedules')
    .set({ ...rowOf(fields), modified_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return scheduleFrom(row);
}

/** The end of a firing: it is no change of the schedule. */
export async function updateFired(
  tx: Db,
  id: string,
  { nextRunAt, lastRunAt }: Pick<Schedule, 'nextRunAt' | 'lastRunAt'>,
): Promise<void> {
  await tx
    .updateTable('schedules')
    .set({ next_run_at: nextRunAt, last_run_at: lastRunAt })
    .where('id', '=', id)
    .execute();
}

/** With its actions and its log. */
export async function deleteSchedule(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('schedules').where('id', '=', id).execute();
}

function rowOf(fields: ScheduleFields) {
  return {
    name: fields.name,
    title: fields.title,
    description: fields.description,
    cron_expression: fields.cronExpression,
    timezone: fields.timezone,
    is_enabled: fields.isEnabled ? 1 : 0,
    is_exclusive: fields.isExclusive ? 1 : 0,
    sends_email: fields.sendsEmail ? 1 : 0,
    initiator: JSON.stringify(fields.initiator),
    boundary_id: fields.initiator.boundary ?? null,
    next_run_at: fields.nextRunAt,
  };
}

export function scheduleFrom(row: Selectable<ScheduleRow>): Schedule {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    title: row.title,
    description: row.description,
    cronExpression: row.cron_expression,
    timezone: row.timezone,
    isEnabled: row.is_enabled === 1,
    isExclusive: row.is_exclusive === 1,
    sendsEmail: row.sends_email === 1,
    initiator: JSON.parse(row.initiator) as Initiator,
    nextRunAt: row.next_run_at,
    lastRunAt: row.last_run_at,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  };
}

export const FIRE_SCHEDULE = 'actors.fire-schedule';

/** Belongs into the transaction that changes `nextRunAt`. It revokes the claim of a firing that goes on. */
export async function updateDue(
  tx: Db,
  { id, nextRunAt }: Pick<Schedule, 'id' | 'nextRunAt'>,
  now: number,
): Promise<void> {
  const dueId = `${FIRE_SCHEDULE}:${id}`;
  if (nextRunAt === null) {
    await cancel(tx, dueId);
    return;
  }
  const work: DueWork = { id: dueId, kind: FIRE_SCHEDULE, payload: id, dueAt: nextRunAt };
  await schedule(tx, work, now, 'move');
}

/** A message may quote what callers sent; PostgreSQL stores no NUL. */
const MAX_MESSAGE_LENGTH = 2000;

export async function insertLogLine(
  tx: Db,
  scheduleId: string,
  { level, message, createdAt }: LogLine,
): Promise<void> {
  await tx
    .insertInto('schedule_log')
    .values({
      schedule_id: scheduleId,
      level,
      message: message.replaceAll('\0', '').slice(0, MAX_MESSAGE_LENGTH),
      created_at: createdAt,
    })
    .execute();
}

/** The newest lines, in the order of time. */
export async function listLogLines(db: Db, scheduleId: string): Promise<LogLine[]> {
  const rows = await db
    .selectFrom('schedule_log')
    .select(['level', 'message', 'created_at'])
    .where('schedule_id', '=', scheduleId)
    .orderBy('seq', 'desc')
    .limit(MAX_LOG_LINES)
    .execute();
  return rows
    .map((row) => ({ level: row.level as ScheduleLogLevel, message: row.message, createdAt: row.created_at }))
    .toReversed();
}

/** Deletes all but the newest lines. */
export async function deleteOldLogLines(tx: Db, scheduleId: string): Promise<void> {
  const newestOld = await tx
    .selectFrom('schedule_log')
    .select('seq')
    .where('schedule_id', '=', scheduleId)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(MAX_LOG_LINES)
    .executeTakeFirst();
  if (newestOld === undefined) return;
  await tx
    .deleteFrom('schedule_log')
    .where('schedule_id', '=', scheduleId)
    .where('seq', '<=', newestOld.seq)
    .execute();
}
