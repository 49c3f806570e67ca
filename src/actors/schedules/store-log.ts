// The logs of schedules in the database.
import type { Db } from '../../kernel/storage/tables.ts';
import { MAX_LOG_LINES, type ScheduleLogLevel, type LogLine } from './model.ts';

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
