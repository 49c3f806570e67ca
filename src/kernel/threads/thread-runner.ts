// Runs tasks in one worker thread with bounds on CPU time and memory: what exceeds them ends the thread, which is replaced. ADR 0131.
import { extname } from 'node:path';
import { Semaphore } from '../collections/semaphore.ts';
import { Failure } from '../failure.ts';
import { type TaskChannel, TaskThread, type ThreadBounds } from './task-thread.ts';

/** By default one task at a time, so that hostile ones use one core at most, and as many waiting as there are. */
export interface ThreadRunnerOptions extends ThreadBounds {
  /** How long a thread without tasks is kept: it takes memory, and some tenths of a second to start. None ends with its task. */
  idleMs: number;
  maxAtOnce?: number;
  maxWaiting?: number;
  maxWaitingEach?: number;
  /** The error of tasks that would wait behind too many others. */
  refusal?: string;
  retryAfterSecs?: number;
}

export interface TaskTurn {
  /** The account that asks: accounts take turns. */
  owner?: string;
  signal?: AbortSignal;
}

/** The file of a thread, beside the module that names it and with its extension: .ts in the sources, .js in a bundle. */
export function threadFile(name: string, moduleUrl: string): URL {
  return new URL(`./${name}${extname(moduleUrl)}`, moduleUrl);
}

/** The thread is started by the first task. Its file calls `serveTasks`. */
export class ThreadRunner<Task, Received, Sent = never> {
  readonly #file: URL;
  readonly #options: ThreadRunnerOptions;
  readonly #semaphore: Semaphore;
  #thread: TaskThread<Task, Received, Sent> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(file: URL, options: ThreadRunnerOptions) {
    const {
      maxAtOnce = 1,
      maxWaiting = Infinity,
      refusal = 'Too many tasks wait; try again.',
      ...rest
    } = options;
    this.#file = file;
    this.#options = options;
    this.#semaphore = new Semaphore({ ...rest, max: maxAtOnce, maxWaiting, refusal });
  }

  /** The one message that the task sends. */
  async ask(task: () => Task | Promise<Task>, options?: TaskTurn): Promise<Received> {
    const channel = await this.open(task, options);
    try {
      return await channel.receive();
    } finally {
      await channel.close();
    }
  }

  /**
   * Starts a task when its turn has come: only then is `task` called, and what it throws is passed on. The caller must close
   * the channel. Rejects, as the channel does, with a `TaskStopped` for what a thread could not finish.
   */
  async open(
    task: () => Task | Promise<Task>,
    { owner, signal }: TaskTurn = {},
  ): Promise<TaskChannel<Received, Sent>> {
    const release = await this.#semaphore.acquire(signal, owner);
    let thread: TaskThread<Task, Received, Sent> | undefined;
    const released = async (error: unknown) => {
      if (thread !== undefined) await this.#leaveThread(thread, error);
      release();
    };
    try {
      this.#checkOpen();
      const started = await task();
      this.#checkOpen();
      thread = this.#openThread();
      return await thread.open(started, { signal, released });
    } catch (error) {
      await released(error);
      throw error;
    }
  }

  /** Ends the thread. Tasks that run or wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#thread?.stop(stopping());
  }

  #checkOpen(): void {
    if (this.#isClosed) throw stopping();
  }

  #openThread(): TaskThread<Task, Received, Sent> {
    clearTimeout(this.#idle);
    if (this.#thread === undefined || this.#thread.isEnded)
      this.#thread = new TaskThread(this.#file, this.#options);
    return this.#thread;
  }

  /** After an error of its own, such as a stack without room, nobody knows in what state a thread is. */
  async #leaveThread(thread: TaskThread<Task, Received, Sent>, error: unknown): Promise<void> {
    if (thread.tasks > 0) return;
    const isSound = error === undefined || error instanceof Failure;
    const { idleMs } = this.#options;
    if (!isSound || idleMs === 0 || thread.isEnded) await thread.stop(stopping());
    else this.#idle = setTimeout(() => void thread.stop(stopping()), idleMs).unref();
  }
}

function stopping(): Failure {
  return new Failure('unavailable', 'The server is stopping; try again.', {
    headers: { 'retry-after': '5' },
  });
}
