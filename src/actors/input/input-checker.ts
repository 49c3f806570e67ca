// Runs checks of input schemas and inputs in a worker thread, with limits on time and memory, and in turn for each account.
import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { WorkerThread } from '../../kernel/network/streams.ts';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import type { InputTask, TaskReply, TaskResults } from './thread-task.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    inputChecker: InputChecker;
  }
}

/** Beside this file and with its extension: .ts in the sources, .js in a bundle. */
const THREAD = new URL(`./input-thread${extname(import.meta.url)}`, import.meta.url);

/** CPU time, not wall time, so that the load of the machine does not matter. The largest honest input takes a third of it. */
const MAX_CPU_MS = 3000;
const POLL_MS = 50;
const MAX_MEGABYTES = 512;
/** A thread takes some megabytes, and starts again within half a second. */
const IDLE_MS = 5 * 60_000;
/** So that nobody waits for minutes behind hostile schemas. */
const MAX_WAITING = 200;
const MAX_WAITING_EACH = 20;
/** How long a schema that took too long is refused to the account that used it. */
const REFUSED_MS = 60_000;
const MAX_REFUSED = 1000;

interface Waiting {
  owner: string;
  task: InputTask;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface InputCheckerLimits {
  maxCpuMs?: number;
  maxWaitingEach?: number;
}

/** One thread, so that hostile schemas use one core at most. It is started when it is needed. */
export class InputChecker {
  readonly #maxCpuMs: number;
  readonly #maxWaitingEach: number;
  /** By account; the account at the front is the next. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #refused = new BoundedCache<string, true>({ max: MAX_REFUSED });
  #waiting = 0;
  #isBusy = false;
  #isClosed = false;
  #thread: Promise<WorkerThread> | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ maxCpuMs = MAX_CPU_MS, maxWaitingEach = MAX_WAITING_EACH }: InputCheckerLimits = {}) {
    this.#maxCpuMs = maxCpuMs;
    this.#maxWaitingEach = maxWaitingEach;
  }

  /** `owner` is the account that asks: accounts take turns. */
  async run<Task extends InputTask>(owner: string, task: Task): Promise<TaskResults[Task['kind']]> {
    this.#checkRefused(owner, task);
    const queue = this.#queues.get(owner) ?? [];
    if (this.#waiting >= MAX_WAITING || queue.length >= this.#maxWaitingEach)
      throw unavailable('Too many inputs wait to be checked; try again.');
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    queue.push({ owner, task, resolve, reject });
    this.#queues.set(owner, queue);
    this.#waiting += 1;
    if (!this.#isBusy) void this.#work();
    return (await promise) as TaskResults[Task['kind']];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stopThread();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    clearTimeout(this.#idle);
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) {
      const { owner, task, resolve, reject } = next;
      try {
        // It may have been refused while it waited.
        this.#checkRefused(owner, task);
        resolve(await this.#execute(owner, task));
      } catch (error) {
        reject(error);
      }
    }
    this.#isBusy = false;
    if (!this.#isClosed) this.#idle = setTimeout(() => void this.#stopThread(), IDLE_MS).unref();
  }

  #takeNext(): Waiting | undefined {
    const [first] = this.#queues;
    if (first === undefined) return undefined;
    const [owner, queue] = first;
    const next = queue.shift()!;
    this.#queues.delete(owner);
    if (queue.length > 0) this.#queues.set(owner, queue);
    this.#waiting -= 1;
    return next;
  }

  async #execute(owner: string, task: InputTask): Promise<unknown> {
    if (this.#isClosed) throw stopping();
    const worker = await this.#openThread();
    const { promise, resolve, reject } = Promise.withResolvers<TaskReply>();
    const onError = (cause: unknown) => reject(isExhaustion(cause) ? tooLong(task, cause) : cause);
    const onExit = () => reject(this.#isClosed ? stopping() : new Error('The input thread has ended'));
    worker.once('message', resolve).once('error', onError).once('exit', onExit);
    const stopWatch = watchCpu(worker, this.#maxCpuMs, () => reject(tooLong(task)));
    worker.postMessage(task);
    let reply: TaskReply;
    try {
      reply = await promise;
    } catch (error) {
      const until = performance.now() + REFUSED_MS;
      if (error instanceof Failure && error.kind === 'invalid')
        this.#refused.set(keyOf(owner, task), true, until);
      await this.#stopThread();
      throw error;
    } finally {
      stopWatch();
      worker.off('message', resolve).off('error', onError).off('exit', onExit);
    }
    if ('value' in reply) return reply.value;
    throw new Failure('invalid', reply.message, { code: reply.code });
  }

  #openThread(): Promise<WorkerThread> {
    if (this.#thread !== undefined) return this.#thread;
    const thread = startThread(() => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    this.#thread = thread;
    return thread;
  }

  async #stopThread(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    const worker = await thread?.catch(() => undefined);
    await worker?.terminate();
  }

  #checkRefused(owner: string, task: InputTask): void {
    if (this.#refused.get(keyOf(owner, task), performance.now()) !== undefined) throw tooLong(task);
  }
}

/** Out of memory, or a stack overflow: the input is nested too deeply. Anything else is a defect. */
function isExhaustion(error: unknown): boolean {
  return error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Resolves when the thread has loaded its packages. `ended` is called when it can no longer be used, whatever the reason. */
async function startThread(ended: () => void): Promise<WorkerThread> {
  const worker = new WorkerThread(THREAD, {
    execArgv: [],
    // The thread gets none of the server's secrets.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.once('message', () => resolve()).once('error', reject);
  worker.once('exit', () => {
    ended();
    reject(new Error('The input thread has ended'));
  });
  await promise;
  worker.off('error', reject);
  // Without a listener an error between two tasks would end the server.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}

/** Calls once when the thread has used that much CPU time. Returns a function that ends the watch. */
function watchCpu(worker: WorkerThread, maxMs: number, exceeded: () => void): () => void {
  const used = () =>
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000,
      () => 0, // the thread has ended
    );
  const begun = used();
  const poll = setInterval(() => {
    void Promise.all([begun, used()]).then(([before, now]) => now - before > maxMs && exceeded());
  }, POLL_MS);
  return () => clearInterval(poll);
}

/** By account: one account's input must not lock others out of a public Actor. */
function keyOf(owner: string, task: InputTask): string {
  const text = 'text' in task ? task.text : 'schema' in task ? (task.schema ?? '') : '';
  return `${owner} ${task.kind} ${createHash('sha1').update(text).digest('hex')}`;
}

function stopping(): Failure {
  return unavailable('The server is stopping; try again.');
}

function unavailable(message: string): Failure {
  return new Failure('unavailable', message, { headers: { 'retry-after': '5' } });
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
