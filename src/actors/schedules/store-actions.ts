// The actions of schedules in the database.
import { sql, type Selectable } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ActionRunOptions, ActionType, ScheduleAction } from './action.ts';
import { scheduleFrom } from './store.ts';
import type { Schedule } from './model.ts';
import type { ScheduleActionRow } from './tables.ts';

export async function listActions(db: Db, scheduleId: string): Promise<ScheduleAction[]> {
  const rows = await db
    .selectFrom('schedule_actions')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('position')
    .execute();
  return rows.map(actionFrom);
}

/** By the ids of their schedules, without inputs, which may be large. */
export async function listActionTargets(
  db: Db,
  scheduleIds: readonly string[],
): Promise<Map<string, ScheduleAction[]>> {
  if (scheduleIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('schedule_actions')
    .select([
      'id',
      'schedule_id',
      'position',
      'type',
      'target_id',
      'run_options',
      'last_run_id',
      'last_moment',
    ])
    .where('schedule_id', 'in', scheduleIds)
    .orderBy('schedule_id')
    .orderBy('position')
    .execute();
  const groups = Map.groupBy(rows, (row) => row.schedule_id);
  return new Map(
    [...groups].map(([id, some]) => [id, some.map((row) => actionFrom({ ...row, input: null }))]),
  );
}

/** The caller holds the lock of the schedule. */
export async function replaceActions(
  tx: Db,
  scheduleId: string,
  actions: readonly ScheduleAction[],
): Promise<void> {
  await tx.deleteFrom('schedule_actions').where('schedule_id', '=', scheduleId).execute();
  if (actions.length === 0) return;
  await tx
    .insertInto('schedule_actions')
    .values(
      actions.map((action, position) => ({
        id: action.id,
        schedule_id: scheduleId,
        position,
        type: action.type,
        target_id: action.targetId,
        run_options: action.runOptions === null ? null : JSON.stringify(action.runOptions),
        input: action.sealedInput,
        last_run_id: action.lastRunId,
        last_moment: action.lastMoment,
      })),
    )
    .execute();
}

/** Locks the row until the transaction ends. */
export async function lockAction(tx: Db, id: string): Promise<ScheduleAction | undefined> {
  const row = await tx
    .selectFrom('schedule_actions')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row && actionFrom(row);
}

export async function updateActionDone(
  tx: Db,
  id: string,
  { lastRunId, lastMoment }: Partial<Pick<ScheduleAction, 'lastRunId' | 'lastMoment'>>,
): Promise<void> {
  if (lastRunId === undefined && lastMoment === undefined) return;
  await tx
    .updateTable('schedule_actions')
    .set({
      ...(lastRunId !== undefined && { last_run_id: lastRunId }),
      ...(lastMoment !== undefined && { last_moment: lastMoment }),
    })
    .where('id', '=', id)
    .execute();
}

/** Locks the schedules of all accounts that start this task, or this Actor or a task of it. */
export async function lockSchedulesOfTarget(tx: Db, targetId: string): Promise<void> {
  await tx
    .selectFrom('schedules')
    .select('id')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('schedule_actions')
        .select('schedule_id')
        .where('target_id', 'in', withTasks(tx, targetId)),
    )
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** The account's schedules that start this task, or this Actor or a task of it. */
export async function listSchedulesOfTarget(db: Db, userId: string, targetId: string): Promise<Schedule[]> {
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('schedule_actions')
        .select('schedule_id')
        .where('target_id', 'in', withTasks(db, targetId)),
    )
    .orderBy('id')
    .execute();
  return rows.map(scheduleFrom);
}

/** In the schedules of all accounts. */
export async function deleteActionsOfTarget(tx: Db, targetId: string): Promise<void> {
  await tx.deleteFrom('schedule_actions').where('target_id', 'in', withTasks(tx, targetId)).execute();
}

/** The id itself and, where it is an Actor, its tasks. One list rather than two conditions, which no index serves together. */
function withTasks(db: Db, id: string) {
  return db
    .selectNoFrom(sql<string>`cast(${id} as text)`.as('id'))
    .unionAll(db.selectFrom('tasks').select('tasks.id').where('actor_id', '=', id));
}

function actionFrom(row: Selectable<ScheduleActionRow>): ScheduleAction {
  return {
    id: row.id,
    type: row.type as ActionType,
    targetId: row.target_id,
    runOptions: row.run_options === null ? null : (JSON.parse(row.run_options) as ActionRunOptions),
    sealedInput: row.input,
    lastRunId: row.last_run_id,
    lastMoment: row.last_moment,
  };
}
