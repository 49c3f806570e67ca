// One worker thread for tasks: its start, the bounds of its tasks, and its end; and the server's side of one task in it.
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { WorkerThread } from '../network/streams.ts';
import type { TaskStart, TaskMessage } from './serve-tasks.ts';
import { stoppedBy, TaskStopped, fromSentError } from './task-error.ts';

const POLL_MS = 50;

export interface ThreadBounds {
  /** Of the thread; a task that needs more ends it. */
  megabytes: number;
  /** Where objects live for a moment only: with little room for new ones, few are moved to where they stay for long. */
  youngMegabytes?: number;
  /** For each task, where the thread has one at a time. CPU time, not wall time, so that the load of the machine does not matter. */
  cpuMs?: number;
}

interface OpenOptions {
  signal?: AbortSignal | undefined;
  /** Called when the task is over, with the error that has ended it. */
  released(error: unknown): Promise<void>;
}

export class TaskThread<Task, Received, Sent> {
  readonly #worker: WorkerThread;
  readonly #maxCpuMs: number | undefined;
  readonly #ready = Promise.withResolvers<void>();
  readonly #channels = new Set<TaskChannel<Received, Sent>>();
  #tasks = 0;
  #isEnded = false;

  constructor(file: URL, { megabytes, youngMegabytes, cpuMs }: ThreadBounds) {
    this.#maxCpuMs = cpuMs;
    this.#worker = new WorkerThread(file, {
      // Some flags of the process (--eval, --input-type) prevent a thread from starting.
      execArgv: [],
      // The thread gets none of the server's secrets.
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: megabytes,
        ...(youngMegabytes !== undefined && { maxYoungGenerationSizeMb: youngMegabytes }),
      },
    });
    this.#ready.promise.catch(() => {}); // those who wait for it get the error
    this.#worker.once('message', () => this.#ready.resolve());
    this.#worker.once('error', (error) => this.#end(stoppedBy(error, 'exit')));
    this.#worker.once('exit', () => this.#end(new TaskStopped('exit', 'The thread has ended.')));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** How many tasks it has; while it has none it does not keep the process alive. */
  get tasks(): number {
    return this.#tasks;
  }

  async open(task: Task, { signal, released }: OpenOptions): Promise<TaskChannel<Received, Sent>> {
    this.#tasks += 1;
    this.#worker.ref();
    try {
      await this.#ready.promise;
      return this.#start(task, { signal, released });
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** Fails its tasks, and resolves when it is gone. */
  async stop(error: unknown): Promise<void> {
    this.#end(error);
    await this.#worker.terminate();
  }

  #start(task: Task, { signal, released }: OpenOptions): TaskChannel<Received, Sent> {
    const { port1, port2 } = new MessageChannel();
    const onAbort = () => channel.end(signal?.reason);
    const stopWatch = this.#watchCpu();
    try {
      this.#worker.postMessage({ task, port: port2 } satisfies TaskStart<Task>, [port2]);
    } catch (error) {
      stopWatch();
      port1.close();
      throw error;
    }
    const channel = new TaskChannel<Received, Sent>(port1, async (error) => {
      stopWatch();
      signal?.removeEventListener('abort', onAbort);
      this.#channels.delete(channel);
      this.#leave();
      await released(error);
    });
    this.#channels.add(channel);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    return channel;
  }

  /** Ends the thread when it has used up the CPU time of a task. Returns a function that ends the watch. */
  #watchCpu(): () => void {
    const maxMs = this.#maxCpuMs;
    if (maxMs === undefined) return () => {};
    const usedMs = () =>
      this.#worker.cpuUsage().then(
        ({ user, system }) => (user + system) / 1000,
        () => NaN, // the thread has ended, and nothing is over a limit
      );
    const begun = usedMs();
    let isOver = false;
    let isAsking = false;
    const check = async () => {
      // On a busy machine the thread may answer later than it is asked again, and each question waits for its end, too.
      if (isAsking) return;
      isAsking = true;
      const [before, now] = await Promise.all([begun, usedMs()]);
      isAsking = false;
      if (!isOver && now - before > maxMs)
        await this.stop(new TaskStopped('cpu', 'The task takes too much CPU time.'));
    };
    const poll = setInterval(() => void check(), POLL_MS);
    return () => {
      isOver = true;
      clearInterval(poll);
    };
  }

  #leave(): void {
    this.#tasks -= 1;
    if (this.#tasks === 0) this.#worker.unref();
  }

  #end(error: unknown): void {
    this.#isEnded = true;
    this.#ready.reject(error);
    for (const channel of this.#channels) channel.end(error);
  }
}

export class TaskChannel<Received, Sent = never> {
  readonly #port: MessagePort;
  readonly #release: (error: unknown) => Promise<void>;
  readonly #received: Received[] = [];
  #awaited: PromiseWithResolvers<Received> | undefined;
  #ended: { error: unknown } | undefined;
  #closing: Promise<void> | undefined;

  /** `release` is called once, when the task needs its thread no longer, with the error that has ended it. */
  constructor(port: MessagePort, release: (error: unknown) => Promise<void>) {
    this.#port = port;
    this.#release = release;
    port.on('message', (message: TaskMessage<Received>) => this.#receive(message));
  }

  send(message: Sent): void {
    this.#port.postMessage(message);
  }

  /** The next message. When all were received, rejects with the error that has ended the task. */
  receive(): Promise<Received> {
    if (this.#received.length > 0) return Promise.resolve(this.#received.shift()!);
    if (this.#ended !== undefined) return Promise.reject(this.#ended.error);
    this.#awaited = Promise.withResolvers();
    return this.#awaited.promise;
  }

  /** No further messages come. The first error counts. */
  end(error: unknown): void {
    // What the thread has sent before its end may not have been delivered yet.
    for (;;) {
      const last = receiveMessageOnPort(this.#port);
      if (last === undefined) break;
      this.#receive(last.message as TaskMessage<Received>);
    }
    this.#fail(error);
  }

  /** Resolves when the thread can take another task. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#port.close();
    await this.#release(this.#ended?.error);
  }

  #receive(received: TaskMessage<Received>): void {
    if ('error' in received) this.#fail(fromSentError(received.error));
    else if (this.#awaited === undefined) this.#received.push(received.message);
    else {
      this.#awaited.resolve(received.message);
      this.#awaited = undefined;
    }
  }

  #fail(error: unknown): void {
    this.#ended ??= { error };
    this.#awaited?.reject(this.#ended.error);
    this.#awaited = undefined;
  }
}
