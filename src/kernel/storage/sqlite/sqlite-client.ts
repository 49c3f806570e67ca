// The main thread's side of a storage thread: sends the requests of one turn together, and matches the replies.
import { extname } from 'node:path';
import { WorkerThread } from '../../network/streams.ts';
import type { Log } from '../engine.ts';
import { EMPTY_RESULT, transactionOf } from './sqlite-protocol.ts';
import type {
  ThreadMessage,
  NumberedRequest,
  ThreadCommand,
  ThreadReply,
  StorageRequest,
  ThreadSetup,
  ThrownError,
} from './sqlite-protocol.ts';

/** Beside this file and with its extension, which is .ts in the sources and .js in a bundle. */
const THREAD = new URL(`./sqlite-thread${extname(import.meta.url)}`, import.meta.url);

/** Threads without a file, for the next files: starting a thread takes far longer than opening a file. */
const idle = new Set<WorkerThread>();
const MAX_IDLE = 6;

export class StorageThread {
  readonly #setup: ThreadSetup;
  readonly #log: Log | undefined;
  readonly #worker: WorkerThread;
  readonly #ended = Promise.withResolvers<void>();
  readonly #started = Promise.withResolvers<void>();
  readonly #pending = new Map<number, (reply: ThreadReply) => void>();
  /** Called when another process has written to the file. */
  onChange: () => void = () => {};
  /** Called with the tables of a write, before its reply is given to who asked for it. */
  onWritten: (tables: string) => void = () => {};

  #isReady = false;
  #lastId = 0;
  #turn: NumberedRequest[] = [];
  #stopped: ThrownError | undefined;

  constructor(setup: ThreadSetup, log?: Log) {
    this.#setup = setup;
    this.#log = log;
    this.#worker = takeWorker();
    this.#worker.on('message', this.#receive).on('error', this.#fail).on('exit', this.#end);
    this.#worker.postMessage(setup satisfies ThreadCommand);
    this.#started.promise.catch(() => {}); // callers of `started` get the error
  }

  /** Rejects with the error that prevented the thread from opening the file. */
  started(): Promise<void> {
    return this.#started.promise;
  }

  ask(request: StorageRequest): Promise<ThreadReply> {
    const id = ++this.#lastId;
    if (this.#stopped) return Promise.resolve([id, EMPTY_RESULT, this.#stopped]);
    if (this.#turn.length === 0) {
      // An idle thread gets its work as soon as no promise is left to continue: what belongs together is asked for by then. For a
      // busy one the requests of a turn are collected, as each message costs.
      if (this.#pending.size === 0) queueMicrotask(() => process.nextTick(() => this.#send()));
      else setImmediate(() => this.#send());
    }
    this.#turn.push([id, request]);
    return new Promise((resolve) => this.#pending.set(id, resolve));
  }

  /** Closes the file. Nothing may be pending. */
  async close(): Promise<void> {
    this.#stopped ??= { kind: 'unavailable', message: 'The database has been closed.' };
    this.#worker.postMessage('close' satisfies ThreadCommand);
    await this.#ended.promise;
  }

  #send(): void {
    const turn = this.#turn;
    this.#turn = [];
    try {
      this.#worker.postMessage(turn);
    } catch {
      for (const numbered of turn) this.#sendAlone(numbered);
    }
  }

  /** A value that cannot be passed to a thread, such as a function, must fail only its own transaction. */
  #sendAlone(numbered: NumberedRequest): void {
    try {
      this.#worker.postMessage([numbered]);
    } catch (error) {
      const [id, request] = numbered;
      const message = `A parameter cannot be stored: ${String(error)}`;
      const transaction = transactionOf(request);
      if (transaction === 0) this.#resolve([id, EMPTY_RESULT, { message }]);
      else this.#worker.postMessage([[id, ['fail', transaction, message]]] satisfies ThreadCommand);
    }
  }

  readonly #receive = (message: ThreadMessage): void => {
    if (message === 'ready') {
      this.#isReady = true;
      this.#started.resolve();
    } else if (message === 'closed') {
      this.#worker.off('message', this.#receive).off('error', this.#fail).off('exit', this.#end);
      this.#end();
      leaveWorker(this.#worker);
    } else if (message === 'changed') {
      this.onChange();
    } else {
      for (const reply of message) this.#resolve(reply);
    }
  };

  #resolve(reply: ThreadReply): void {
    const [, , , , , written] = reply[1];
    if (written !== undefined) this.onWritten(written);
    this.#pending.get(reply[0])?.(reply);
    this.#pending.delete(reply[0]);
  }

  readonly #fail = (error: unknown): void => {
    if (!this.#isReady) this.#started.reject(error);
    else
      this.#log?.error(
        { err: error, file: this.#setup.file },
        `the SQLite ${this.#setup.access} thread has crashed`,
      );
  };

  readonly #end = (): void => {
    this.#stopped ??= { kind: 'unavailable', message: 'The storage thread has stopped: restart the server.' };
    for (const id of this.#pending.keys()) this.#resolve([id, EMPTY_RESULT, this.#stopped]);
    this.#ended.resolve();
  };
}

function takeWorker(): WorkerThread {
  const [waiting] = idle;
  if (waiting !== undefined) {
    idle.delete(waiting);
    waiting.ref();
    return waiting;
  }
  // Without the flags of the process: some (--eval, --input-type) prevent a thread from starting.
  const worker = new WorkerThread(THREAD, { execArgv: [] });
  return worker.on('exit', () => idle.delete(worker));
}

/** An idle thread does not keep the process alive. */
function leaveWorker(worker: WorkerThread): void {
  if (idle.size >= MAX_IDLE) {
    void worker.terminate();
    return;
  }
  worker.unref();
  idle.add(worker);
}
