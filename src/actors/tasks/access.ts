// Finds a task, and checks that the caller may do something with it.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { parseActorRef } from '../resource-names.ts';
import type { Task } from './model.ts';
import { findTask } from './store.ts';

type TaskAction = 'viewTask' | 'updateTask' | 'deleteTask' | 'runTask';

/** The part of a call that access checks need. */
export type TaskCall = Pick<Call, 'can'> & { caller: KnownCaller };

/** The path parameter of everything below a task. */
export const ByTask = Type.Object({
  actorTaskId: Type.String({ description: 'The id, `username~name`, or `~name` for one of your own' }),
});

export function taskResource({ id }: Pick<Task, 'id'>): string {
  return `actor-task/${id}`;
}

/** Finds the task by its id, `username~name` or `~name`. Tasks of other accounts are reported as missing. */
export async function openTask(
  { db }: Pick<Kernel, 'db'>,
  call: TaskCall,
  reference: string,
  action: TaskAction,
): Promise<Task> {
  const asked = parseActorRef(reference);
  if (asked === undefined) {
    throw new Failure('malformed', `"${reference}" names no task: write username~name`, { part: 'request' });
  }
  const { id: callerId } = accountOf(call.caller);
  const task = await findTask(db, asked, callerId);
  const isAllowed = call.can(task === undefined ? 'actor-task/*' : taskResource(task), action);
  if (task === undefined || task.userId !== callerId) throw taskNotFound();
  if (isAllowed) return task;
  // A program with limited permissions learns nothing about tasks.
  if (call.caller.program !== undefined) throw taskNotFound();
  throw taskDenied(action);
}

export function taskNotFound(): Failure {
  return new Failure('not-found', 'Actor task was not found');
}

export function taskDenied(action: string): Failure {
  return new Failure('denied', `Insufficient permissions for the Actor task: ${action} is needed.`);
}
