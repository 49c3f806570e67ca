// Runs checks of input schemas and inputs in a worker thread, with limits on time and memory, and in turn for each account.
import { createHash } from 'node:crypto';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import { TaskStopped } from '../../kernel/threads/task-error.ts';
import { threadFile, ThreadRunner } from '../../kernel/threads/thread-runner.ts';
import type { InputTask, TaskResults } from './thread-task.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    inputChecker: InputChecker;
  }
}

const THREAD = threadFile('input-thread', import.meta.url);

/** The largest honest input takes a third of it. */
const MAX_CPU_MS = 3000;
const MAX_MEGABYTES = 512;
/** A thread takes some megabytes, and starts again within half a second. */
const IDLE_MS = 5 * 60_000;
/** So that nobody waits for minutes behind hostile schemas. */
const MAX_WAITING = 200;
const MAX_WAITING_EACH = 20;
/** How long a schema that took too long is refused to the account that used it. */
const REFUSED_MS = 60_000;
const MAX_REFUSED = 1000;

export interface InputCheckerLimits {
  maxCpuMs?: number;
  maxWaitingEach?: number;
}

export class InputChecker {
  readonly #threads: ThreadRunner<InputTask, unknown>;
  readonly #refused = new BoundedCache<string, true>({ max: MAX_REFUSED });

  constructor({ maxCpuMs = MAX_CPU_MS, maxWaitingEach = MAX_WAITING_EACH }: InputCheckerLimits = {}) {
    this.#threads = new ThreadRunner(THREAD, {
      cpuMs: maxCpuMs,
      megabytes: MAX_MEGABYTES,
      idleMs: IDLE_MS,
      maxWaiting: MAX_WAITING,
      maxWaitingEach,
      refusal: 'Too many inputs wait to be checked; try again.',
      retryAfterSecs: 5,
    });
  }

  /** `owner` is the account that asks: accounts take turns. */
  async run<Task extends InputTask>(owner: string, task: Task): Promise<TaskResults[Task['kind']]> {
    const key = keyOf(owner, task);
    const checkRefused = () => {
      if (this.#refused.get(key, performance.now()) !== undefined) throw tooLong(task);
    };
    checkRefused();
    const start = () => {
      // It may have been refused while it waited.
      checkRefused();
      return task;
    };
    try {
      return (await this.#threads.ask(start, { owner })) as TaskResults[Task['kind']];
    } catch (error) {
      // Without stack the input is nested too deeply. What is no lack of time or memory is a defect.
      if (!(error instanceof TaskStopped && error.isExhausted)) throw error;
      this.#refused.set(key, true, performance.now() + REFUSED_MS);
      throw tooLong(task, error);
    }
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }
}

/** By account: one account's input must not lock others out of a public Actor. */
function keyOf(owner: string, task: InputTask): string {
  const text = 'text' in task ? task.text : 'schema' in task ? (task.schema ?? '') : '';
  return `${owner} ${task.kind} ${createHash('sha1').update(text).digest('hex')}`;
}

function tooLong({ kind }: InputTask, cause?: unknown): Failure {
  if (kind === 'check-schema') {
    return new Failure('invalid', 'Input schema is not valid (it takes too long to check it: simplify it)', {
      code: 'invalid-input-schema',
      cause,
    });
  }
  return new Failure(
    'invalid',
    'Input is not valid: it takes too long to check it against the input schema of the Actor',
    { code: 'invalid-input', cause },
  );
}
