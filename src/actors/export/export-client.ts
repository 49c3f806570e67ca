// The main thread's side of the export thread: sends it the texts of items and receives the chunks of the file.
import { extname } from 'node:path';
import { WorkerThread } from '../../kernel/network/streams.ts';
import { Failure } from '../../kernel/failure.ts';
import type { ExportTask, FromThread, SourceName, ThreadError, ToThread } from './export-protocol.ts';
import type { ExportSource } from './input.ts';

/** Beside this file and with its ending, which is .ts in the sources and .js in a bundle. */
const THREAD = new URL(`./export-thread${extname(import.meta.url)}`, import.meta.url);

/** An export that needs more memory ends the thread, not the server. */
const MAX_MEGABYTES = 1024;

/** Items live for a moment only: with little room for new objects, few of them are moved to where they stay for long. */
const YOUNG_MEGABYTES = 6;

export interface ExportSources {
  items: ExportSource<string>;
  outlines?: ExportSource<string>;
}

/** The chunks of the file; the next one is made only when the reader asks for it. */
export async function* exportInThread(
  task: Omit<ExportTask, 'hasOutlines'>,
  sources: ExportSources,
): AsyncGenerator<Uint8Array, void> {
  const running = new RunningExport(sources);
  openThread().start(running, { ...task, hasOutlines: sources.outlines !== undefined });
  try {
    for (;;) {
      const chunk = await running.next();
      if (chunk === undefined) return;
      yield chunk;
    }
  } finally {
    running.stop();
  }
}

type Post = (message: DistributiveOmit<ToThread, 'export'>) => void;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

class RunningExport {
  readonly #sources: ExportSources;
  readonly #readings = new Map<number, AsyncIterator<readonly string[]>>();
  #post: Post = () => {};
  #onStop: () => void = () => {};
  #chunk = Promise.withResolvers<Uint8Array | undefined>();
  /** The error of the source, which fails the export. */
  #broken: { error: unknown } | undefined;
  #isOver = false;

  constructor(sources: ExportSources) {
    this.#sources = sources;
  }

  begin(post: Post, onStop: () => void): void {
    this.#post = post;
    this.#onStop = onStop;
    post({ verb: 'next' });
  }

  /** While the reader works on this chunk, the thread makes the next one. */
  async next(): Promise<Uint8Array | undefined> {
    const chunk = await this.#chunk.promise;
    if (chunk !== undefined) {
      this.#chunk = Promise.withResolvers();
      this.#post({ verb: 'next' });
    }
    return chunk;
  }

  stop(): void {
    if (this.#isOver) return;
    this.#post({ verb: 'stop' });
    this.#end();
  }

  receive(message: FromThread): void {
    switch (message.verb) {
      case 'chunk':
        this.#chunk.resolve(message.bytes);
        return;
      case 'end':
        this.#chunk.resolve(undefined);
        this.#end();
        return;
      case 'failed':
        this.fail(this.#broken?.error ?? toError(message.error));
        return;
      case 'read':
        void this.#read(message.reading, message.source);
        return;
      default:
        this.#leave(message.reading);
    }
  }

  fail(error: unknown): void {
    this.#chunk.promise.catch(() => {}); // without a waiting reader the rejection would be unhandled
    this.#chunk.reject(error);
    this.#end();
  }

  async #read(reading: number, name: SourceName): Promise<void> {
    let iterator = this.#readings.get(reading);
    if (iterator === undefined) {
      iterator = (this.#sources[name] ?? this.#sources.items)()[Symbol.asyncIterator]();
      this.#readings.set(reading, iterator);
    }
    try {
      const { value, done } = await iterator.next();
      this.#post(done === true ? { verb: 'texts', reading } : { verb: 'texts', reading, texts: value });
    } catch (error) {
      this.#broken = { error };
      this.#post({ verb: 'broken', reading });
    }
  }

  #leave(reading: number): void {
    const iterator = this.#readings.get(reading);
    this.#readings.delete(reading);
    Promise.resolve(iterator?.return?.()).catch(() => {});
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onStop();
    for (const reading of this.#readings.keys()) this.#leave(reading);
  }
}

function toError({ kind, details, message, stack }: ThreadError): Error {
  if (kind !== undefined) return new Failure(kind, message, details);
  return Object.assign(new Error(message), { stack });
}

class ExportThread {
  readonly #worker = new WorkerThread(THREAD, {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
  readonly #running = new Map<number, RunningExport>();
  #last = 0;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => this.#running.get(message.export)?.receive(message));
    this.#worker.on('error', (cause: Error) => {
      this.#fail(new Failure('unavailable', 'The export needs more memory than there is for it', { cause }));
    });
    this.#worker.on('exit', () => {
      this.#fail(new Failure('unavailable', 'The export was broken off'));
    });
  }

  start(running: RunningExport, task: ExportTask): void {
    const id = (this.#last += 1);
    this.#running.set(id, running);
    // Keeps the process alive during an export.
    this.#worker.ref();
    const send = (message: ToThread) => this.#worker.postMessage(message);
    send({ export: id, verb: 'start', task });
    running.begin(
      (message) => send({ export: id, ...message }),
      () => {
        this.#running.delete(id);
        if (this.#running.size === 0) this.#worker.unref();
      },
    );
  }

  #fail(error: Failure): void {
    if (thread === this) thread = undefined;
    for (const running of this.#running.values()) running.fail(error);
  }
}

let thread: ExportThread | undefined;

/** One thread for the process, started by the first export because it costs memory; a crashed one is replaced. */
function openThread(): ExportThread {
  return (thread ??= new ExportThread());
}
