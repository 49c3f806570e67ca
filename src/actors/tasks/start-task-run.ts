// Starts a run of a task: its options and its input, with those of the call over them.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isOwnerOf } from '../actors/access.ts';
import { findActorById } from '../actors/store.ts';
import { isJson, isNoInput } from '../input/input-json.ts';
import type { SentInput } from '../input/prepare-input.ts';
import type { Run } from '../runs/model.ts';
import type { RunQuery } from '../runs/run-query.ts';
import { startRun, type RunStart } from '../runs/start-run.ts';
import { taskNotFound } from './access.ts';
import type { Task, TaskOptions } from './model.ts';
import { findTaskInput } from './store.ts';
import { mergeInput } from './task-input.ts';

export interface TaskRunStart extends Omit<RunStart, 'actor' | 'taskId'> {
  /** The caller owns it and may run it. */
  task: Task;
}

export async function startTaskRun(kernel: Kernel, start: TaskRunStart, now: number): Promise<Run> {
  const { task, ...others } = start;
  const { caller, query } = start;
  const actor = await findActorById(kernel.db, task.actorId);
  // The Actor of another account may be public no longer.
  if (actor === undefined || !(isOwnerOf(caller, actor) || actor.isPublic)) throw actorGone();
  const input = start.input === 'none' ? 'none' : await inputOf(kernel, start, start.input);
  return await startRun(
    kernel,
    { ...others, actor, taskId: task.id, query: withTaskOptions(query, task.options), input },
    now,
  );
}

/** What the call asks for wins over the task; what both leave open is decided by the Actor. */
function withTaskOptions(query: RunQuery, options: TaskOptions): RunQuery {
  const own: RunQuery = {
    ...(options.build !== null && { build: options.build }),
    ...(options.timeoutSecs !== null && { timeout: options.timeoutSecs }),
    ...(options.memoryMbytes !== null && { memory: options.memoryMbytes }),
    ...(options.maxItems !== null && { maxItems: options.maxItems }),
    ...(options.maxTotalChargeUsd !== null && { maxTotalChargeUsd: options.maxTotalChargeUsd }),
    ...(options.restartOnError !== null && { restartOnError: options.restartOnError }),
  };
  const asked = Object.entries(query).filter(([, value]) => value !== undefined);
  return { ...own, ...(Object.fromEntries(asked) as RunQuery) };
}

const JSON_TYPE = 'application/json; charset=utf-8';

async function inputOf(
  kernel: Kernel,
  { task, caller }: Pick<TaskRunStart, 'task' | 'caller'>,
  input: SentInput,
): Promise<SentInput> {
  const text = await findTaskInput(kernel.db, task.id);
  if (text === undefined) throw taskNotFound();
  const saved = Buffer.from(text);
  if (isNoInput(input)) return { body: saved, contentType: JSON_TYPE };
  checkSent(input);
  const body = await mergeInput(kernel, accountOf(caller).id, saved, input.body!);
  return { body, contentType: JSON_TYPE };
}

/** By the first letter of what is no object. */
const KINDS: [letters: string, kind: string][] = [
  ['[', 'array'],
  ['"', 'string'],
  ['tf', 'boolean'],
  ['-0123456789', 'number'],
];

/** Only an object can be merged with the saved input. */
function checkSent({ body, contentType }: SentInput): void {
  if (!isJson(contentType ?? '')) {
    throw new Failure(
      'forbidden',
      `The input of a task must be JSON: send it with Content-Type: application/json, not ${contentType ?? 'without the header'}.`,
      { code: 'invalid-content-type-header' },
    );
  }
  const first = body!.toString('latin1', 0, 1000).trimStart()[0] ?? '';
  const kind = KINDS.find(([letters]) => first !== '' && letters.includes(first))?.[1];
  if (kind === undefined) return;
  throw new Failure('forbidden', `Provided input must be object, got "${kind}" instead.`, {
    code: 'input-json-not-object',
  });
}

function actorGone(): Failure {
  return new Failure('not-found', 'The Actor of the task was deleted, or is public no longer', {
    code: 'actor-not-found',
  });
}
