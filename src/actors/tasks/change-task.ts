// Creates, changes and deletes tasks, each in one transaction with its audit entry; runs of a deleted task are aborted as due work, and stay with their results.
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import type { Change } from '../../kernel/change/change.ts';
import { schedule, type Due } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import { actorNotFound, openActor } from '../actors/access.ts';
import { findActorById, holdActor } from '../actors/store.ts';
import { tooMany } from '../failures.ts';
import { checkActorName } from '../resource-names.ts';
import { removeActionsOf } from '../schedules/change-schedule.ts';
import { removeWebhooksOf } from '../webhooks/change-webhook.ts';
import type { JobStatus } from '../jobs/job.ts';
import { abortRun } from '../runs/change-run.ts';
import { listRuns } from '../runs/store.ts';
import { taskNotFound, taskResource, type TaskCall } from './access.ts';
import { MAX_TASKS, type CreatedTask, type SentTask, type Task, blankTask, taskAfter } from './model.ts';
import {
  countTasks,
  deleteTask,
  findFreeTaskName,
  findTaskByName,
  findTaskInput,
  insertTask,
  lockTask,
  lockTaskNames,
  updateTask,
  updateTaskInput,
} from './store.ts';
import { blankInput, saveOver, toSavedInput, type InputOwner } from './task-input.ts';

const ABORT_TASK_RUNS = 'actors.abort-task-runs';

type Caller = ChangeActor & TaskCall;

/** Needs the permission to run the Actor: otherwise a task would be a way around it. */
export async function createTask(kernel: Kernel, call: Caller, sent: CreatedTask): Promise<Task> {
  const { caller, now } = call;
  const actor = await openActor(kernel, call, sent.actId, 'runActor');
  const { id: userId } = accountOf(caller);
  const { name: sentName, ...fields } = sent;
  if (sentName != null) checkActorName(sentName);
  const wanted = `${actor.name}-task`;
  const { boundary } = await kernel.identity.initiatorOf(caller, now);
  const owner = { userId, actor, options: taskAfter(blankTask(wanted), fields, now, boundary).options };
  const input =
    fields.input === undefined
      ? await blankInput(kernel, owner)
      : await toSavedInput(kernel, owner, fields.input);
  return await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    await shareLockAccount(db, caller);
    await lockTaskNames(db, userId);
    if ((await countTasks(db, userId)) >= MAX_TASKS)
      throw tooMany('tasks', MAX_TASKS, 'too-many-actor-tasks');
    const name = sentName ?? (await findFreeTaskName(db, [userId], wanted));
    await checkNameFree(db, userId, name);
    if (!(await holdActor(db, actor.id))) throw actorNotFound();
    const blank = blankTask(name);
    const task = await insertTask(
      db,
      { userId, actorId: actor.id },
      taskAfter(blank, fields, now, boundary),
      input,
      now,
    );
    tx.record({ ...changeOf('createTask', 'created', task), after: audited(task) });
    return task;
  });
}

/** Fields that are absent stay. The input is replaced as a whole. */
export async function changeTask(kernel: Kernel, call: Caller, opened: Task, sent: SentTask): Promise<Task> {
  const { now } = call;
  const { name } = sent;
  if (name !== undefined) checkActorName(name);
  const { boundary } = await kernel.identity.initiatorOf(call.caller, now);
  const { options } = taskAfter(opened, sent, now, boundary);
  const input =
    sent.input && (await toSavedInput(kernel, await inputOwner(kernel, { ...opened, options }), sent.input));
  return await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    if (name !== undefined) await lockTaskNames(db, opened.userId);
    const before = await lockOwnTask(db, opened);
    if (name !== undefined && name.toLowerCase() !== before.name.toLowerCase())
      await checkNameFree(db, before.userId, name);
    const task = await updateTask(db, before.id, taskAfter(before, sent, now, boundary), now);
    if (input !== undefined) await updateTaskInput(db, task.id, input);
    tx.record({
      ...changeOf('updateTask', 'updated', task),
      ...(input !== undefined && { description: INPUT_CHANGED }),
      before: audited(before),
      after: audited(task),
    });
    return task;
  });
}

/** Attempts to save a merged input while others change it. */
const MAX_ATTEMPTS = 50;

/** Saves the JSON over the input of the task, field by field, and returns the merged one. */
export async function changeTaskInput(
  kernel: Kernel,
  call: Caller,
  opened: Task,
  sent: Buffer,
): Promise<string> {
  // Merging is slow, so it is done outside of the transaction, and again where the input has changed meanwhile.
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const saved = await findTaskInput(kernel.db, opened.id);
    if (saved === undefined) throw taskNotFound();
    const input = await saveOver(kernel, await inputOwner(kernel, opened), saved, sent);
    const isSaved = await kernel.changes.run(call, async (tx) => {
      const { db } = tx;
      const before = await lockOwnTask(db, opened);
      if ((await findTaskInput(db, before.id)) !== saved) return false;
      await updateTaskInput(db, before.id, input);
      const task = await updateTask(db, before.id, before, call.now);
      tx.record({
        ...changeOf('updateTask', 'updated', task),
        description: INPUT_CHANGED,
        before: audited(before),
        after: audited(task),
      });
      return true;
    });
    if (isSaved) return input;
  }
  throw new Failure('conflict', 'Others change the input of the task all the time. Try again.');
}

/** Deletes the task now; due work aborts its unfinished runs, which stay. */
export async function removeTask(kernel: Kernel, call: Caller, opened: Task): Promise<void> {
  const { now } = call;
  await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    await removeActionsOf(tx, opened);
    const before = await lockOwnTask(db, opened);
    await removeActionsOf(tx, opened);
    const { id } = before;
    await removeWebhooksOf(db, id, now);
    await deleteTask(db, id);
    await schedule(
      db,
      { id: `${ABORT_TASK_RUNS}:${id}`, kind: ABORT_TASK_RUNS, payload: JSON.stringify({ id }), dueAt: now },
      now,
    );
    tx.record({ ...changeOf('deleteTask', 'deleted', before), before: audited(before) });
  });
}

/** Locks the task that was opened before the transaction; it may be gone, or belong to somebody else by now. */
async function lockOwnTask(tx: Db, opened: Task): Promise<Task> {
  const task = await lockTask(tx, opened.id);
  if (task === undefined || task.userId !== opened.userId) throw taskNotFound();
  return task;
}

async function inputOwner(
  { db }: Pick<Kernel, 'db'>,
  { userId, actorId, options }: Pick<Task, 'userId' | 'actorId' | 'options'>,
): Promise<InputOwner> {
  const actor = await findActorById(db, actorId);
  if (actor === undefined) throw taskNotFound();
  return { userId, actor, options };
}

async function checkNameFree(tx: Db, userId: string, name: string): Promise<void> {
  if ((await findTaskByName(tx, userId, name)) === undefined) return;
  throw new Failure('conflict', `You have another task of the name "${name}", in this case or another`, {
    code: 'actor-task-name-not-unique',
  });
}

const INPUT_CHANGED = '- Changed the input';

function changeOf(action: string, done: string, task: Task): Change {
  return {
    accesses: [{ action, resource: taskResource(task) }],
    kind: 'actor-task',
    name: task.name,
    verb: `${done} the task`,
    ownerId: task.userId,
  };
}

/** Without the input, which may contain secrets. */
function audited({ id, actorId: actId, name, title, options, details }: Task) {
  return { id, actId, name, title, options, ...details };
}

const ABORTED_AT_ONCE = 100;
/** An abort changes each of these. */
const ABORTABLE: readonly JobStatus[] = ['READY', 'RUNNING', 'TIMING-OUT'];

export function taskWork(kernel: Kernel): BackgroundWork {
  return { handlers: { [ABORT_TASK_RUNS]: (due, signal) => abortTaskRuns(kernel, due, signal) } };
}

async function abortTaskRuns(kernel: Kernel, { payload }: Due, signal: AbortSignal): Promise<void> {
  const { id: taskId } = JSON.parse(payload) as { id: string };
  const slice = { offset: 0, limit: ABORTED_AT_ONCE };
  for (;;) {
    const { items } = await listRuns(kernel.db, { taskId }, { statuses: ABORTABLE }, slice, false);
    if (items.length === 0) return;
    for (const { id } of items) {
      signal.throwIfAborted();
      await abortRun(kernel, id, false, kernel.clock.now());
    }
  }
}
