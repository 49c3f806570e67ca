// Tasks in the database.
import { sql, type Selectable } from 'kysely';
import { newId } from '../../kernel/id.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { type ActorRef, MAX_ACTOR_NAME_LENGTH, findFreeName } from '../resource-names.ts';
import { findUserId, holdActor } from '../actors/store.ts';
import type { Task, TaskDetails, TaskFields, TaskOptions } from './model.ts';
import type { TaskRow } from './tables.ts';

/** Locks the names and the number of an account's tasks until the transaction ends. */
export function lockTaskNames(tx: Db, userId: string): Promise<void> {
  return lockName(tx, `task-names:${userId}`);
}

/** The caller has called `lockTaskNames` and checked that the name is free. */
export async function insertTask(
  tx: Db,
  owner: { userId: string; actorId: string },
  fields: TaskFields,
  input: string,
  now: number,
): Promise<Task> {
  const row = await tx
    .insertInto('tasks')
    .values({
      id: newId(now),
      user_id: owner.userId,
      actor_id: owner.actorId,
      ...columnsOf(fields),
      total_runs: 0,
      last_run_started_at: 0,
      created_at: now,
      modified_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx.insertInto('task_inputs').values({ task_id: row.id, input }).execute();
  return taskFrom(row);
}

/** Keeps the task and its Actor from being deleted until the transaction ends. False where one is deleted. */
export async function holdTask(tx: Db, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('tasks')
    .select('actor_id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined && (await holdActor(tx, row.actor_id));
}

export async function findTaskById(db: Db, id: string): Promise<Task | undefined> {
  const row = await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
  return row && taskFrom(row);
}

/** The expression of the index. Names are ASCII, which both engines fold alike. */
export const foldedTaskName = sql<string>`lower(name)`;

/** In whatever case. */
export async function findTaskByName(db: Db, userId: string, name: string): Promise<Task | undefined> {
  const row = await db
    .selectFrom('tasks')
    .selectAll()
    .where('user_id', '=', userId)
    .where(foldedTaskName, '=', name.toLowerCase())
    .executeTakeFirst();
  return row && taskFrom(row);
}

/** `callerId` is the owner where the reference has none. */
export async function findTask(db: Db, reference: ActorRef, callerId: string): Promise<Task | undefined> {
  if ('idOrName' in reference) return await findTaskById(db, reference.idOrName);
  const { name, owner } = reference;
  const userId = owner === undefined ? callerId : await findUserId(db, owner);
  return userId === undefined ? undefined : await findTaskByName(db, userId, name);
}

/** As JSON. */
export async function findTaskInput(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('task_inputs').select('input').where('task_id', '=', id).executeTakeFirst();
  return row?.input;
}

/** Locks the row until the transaction ends. */
export async function lockTask(tx: Db, id: string): Promise<Task | undefined> {
  const row = await tx.selectFrom('tasks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  return row && taskFrom(row);
}

/** The name itself or with a number appended, so that none of the accounts has it. */
export function findFreeTaskName(tx: Db, userIds: readonly string[], name: string): Promise<string> {
  return findFreeName({ name, maxLength: MAX_ACTOR_NAME_LENGTH, firstNumber: 1 }, async (folded) => {
    const rows = await tx
      .selectFrom('tasks')
      .select('name')
      .where('user_id', 'in', userIds)
      .where(foldedTaskName, 'in', folded)
      .execute();
    return rows.map((row) => row.name);
  });
}

/** A task with the name of its Actor and the Actor's owner. */
interface ListedTask {
  task: Task;
  actorName: string;
  actorUserId: string;
}

export async function listTasks(
  db: Db,
  userId: string,
  { offset, limit }: Slice,
  desc: boolean,
): Promise<{ items: ListedTask[]; total: number }> {
  const order = desc ? 'desc' : 'asc';
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('actors', 'actors.id', 'tasks.actor_id')
    .selectAll('tasks')
    .select(['actors.name as actorName', 'actors.user_id as actorUserId'])
    .where('tasks.user_id', '=', userId)
    .orderBy('tasks.created_at', order)
    .orderBy('tasks.id', order)
    .limit(limit)
    .offset(offset)
    .execute();
  const items = rows.map(({ actorName, actorUserId, ...row }) => ({
    task: taskFrom(row),
    actorName,
    actorUserId,
  }));
  return { items, total: await countTasks(db, userId) };
}

export async function countTasks(db: Db, userId: string): Promise<number> {
  const { total } = await db
    .selectFrom('tasks')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return total;
}

export async function updateTask(tx: Db, id: string, fields: TaskFields, now: number): Promise<Task> {
  const row = await tx
    .updateTable('tasks')
    .set({ ...columnsOf(fields), modified_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return taskFrom(row);
}

/** The caller holds the lock of the task. */
export async function updateTaskInput(tx: Db, id: string, input: string): Promise<void> {
  await tx.updateTable('task_inputs').set({ input }).where('task_id', '=', id).execute();
}

/** With its input. */
export async function deleteTask(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('tasks').where('id', '=', id).execute();
}

/** False where the task is deleted: a run that starts at the same time must not outlive it. */
export async function countTaskRun(tx: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tasks')
    .set((eb) => ({ total_runs: eb('total_runs', '+', 1), last_run_started_at: now }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether a task names the build of its Actor by this number. */
export async function isBuildOfTask(db: Db, actorId: string, buildNumber: string): Promise<boolean> {
  for (const column of ['build', 'standby_build'] as const) {
    const task = await db
      .selectFrom('tasks')
      .select('id')
      .where('actor_id', '=', actorId)
      .where(column, '=', buildNumber)
      .limit(1)
      .executeTakeFirst();
    if (task !== undefined) return true;
  }
  return false;
}

function columnsOf({ name, title, options, details, standbyBoundary }: TaskFields) {
  return {
    name,
    title,
    options: JSON.stringify(options),
    details: JSON.stringify(details),
    build: options.build,
    standby_build: details.actorStandby.build ?? null,
    boundary_id: standbyBoundary ?? null,
  };
}

function taskFrom(row: Selectable<TaskRow>): Task {
  return {
    id: row.id,
    userId: row.user_id,
    actorId: row.actor_id,
    name: row.name,
    title: row.title,
    options: JSON.parse(row.options) as TaskOptions,
    details: JSON.parse(row.details) as TaskDetails,
    totalRuns: row.total_runs,
    lastRunStartedAt: row.last_run_started_at === 0 ? null : row.last_run_started_at,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
    ...(row.boundary_id !== null && { standbyBoundary: row.boundary_id }),
  };
}
