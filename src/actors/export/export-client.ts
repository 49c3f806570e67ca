// The main thread's side of the export thread: the messages between the two, the texts of items out, and the chunks of the file in.
import { Failure } from '../../kernel/failure.ts';
import type { TaskChannel } from '../../kernel/threads/task-thread.ts';
import { TaskStopped } from '../../kernel/threads/task-error.ts';
import { threadFile, ThreadRunner } from '../../kernel/threads/thread-runner.ts';
import type { ExportSource, ExportOptions } from './input.ts';
import type { ExportFormat } from './exporters.ts';
import type { Projection } from './project.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    exportWriter: ExportWriter;
  }
}

const THREAD = threadFile('export-thread', import.meta.url);

/** An export that needs more memory ends the thread, not the server. */
const MAX_MEGABYTES = 1024;
/** Of items, which live for a moment only. */
const YOUNG_MEGABYTES = 6;
const IDLE_MS = 5 * 60_000;

export interface ExportTask {
  format: ExportFormat;
  options: ExportOptions;
  projection: Projection;
  /** Outlines are small items with the same columns: reading them is cheaper than reading the items. */
  hasOutlines: boolean;
}

/** Both are read as texts of several joined items (`parseItems`). */
export type SourceName = 'items' | 'outlines';

/** The sources that an export reads are identified by numbers. */
export type ToThread =
  /** Asks for the next chunk. */
  | { verb: 'next' }
  /** The texts asked for; absent at the end of the source. */
  | { verb: 'texts'; reading: number; texts?: readonly string[] }
  /** Reading the source failed; the main thread keeps the error. */
  | { verb: 'broken'; reading: number };

export type FromThread =
  | { verb: 'chunk'; bytes: Uint8Array<ArrayBuffer> }
  | { verb: 'end' }
  /** Asks for texts; the first message with a new number opens the source. */
  | { verb: 'read'; reading: number; source: SourceName }
  | { verb: 'leave'; reading: number };

interface ExportSources {
  items: ExportSource<string>;
  outlines?: ExportSource<string>;
}

/** One thread for all exports at once. */
export class ExportWriter {
  readonly #threads = new ThreadRunner<ExportTask, FromThread, ToThread>(THREAD, {
    megabytes: MAX_MEGABYTES,
    youngMegabytes: YOUNG_MEGABYTES,
    idleMs: IDLE_MS,
    maxAtOnce: Infinity,
  });

  /** The chunks of the file; the next one is made only when the reader asks for it. */
  async *write(
    task: Omit<ExportTask, 'hasOutlines'>,
    sources: ExportSources,
  ): AsyncGenerator<Uint8Array, void> {
    try {
      const hasOutlines = sources.outlines !== undefined;
      const running = new RunningExport(await this.#threads.open(() => ({ ...task, hasOutlines })), sources);
      try {
        for (;;) {
          const chunk = await running.next();
          if (chunk === undefined) return;
          yield chunk;
        }
      } finally {
        await running.close();
      }
    } catch (error) {
      throw toExportError(error);
    }
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }
}

class RunningExport {
  readonly #channel: TaskChannel<FromThread, ToThread>;
  readonly #sources: ExportSources;
  readonly #readings = new Map<number, AsyncIterator<readonly string[]>>();
  #chunk = Promise.withResolvers<Uint8Array | undefined>();
  /** The error of the source, which fails the export. */
  #broken: { error: unknown } | undefined;

  constructor(channel: TaskChannel<FromThread, ToThread>, sources: ExportSources) {
    this.#channel = channel;
    this.#sources = sources;
    channel.send({ verb: 'next' });
    void this.#receive();
  }

  /** While the reader works on this chunk, the thread makes the next one. */
  async next(): Promise<Uint8Array | undefined> {
    const chunk = await this.#chunk.promise;
    if (chunk !== undefined) {
      this.#chunk = Promise.withResolvers();
      this.#channel.send({ verb: 'next' });
    }
    return chunk;
  }

  async close(): Promise<void> {
    await this.#channel.close();
    for (const reading of this.#readings.keys()) this.#leave(reading);
  }

  /** Sources are read while the reader of the file works on a chunk. */
  async #receive(): Promise<void> {
    try {
      for (;;) {
        const message = await this.#channel.receive();
        if (message.verb === 'read') void this.#read(message.reading, message.source);
        else if (message.verb === 'leave') this.#leave(message.reading);
        else if (message.verb === 'chunk') this.#chunk.resolve(message.bytes);
        else return this.#chunk.resolve(undefined);
      }
    } catch (error) {
      this.#chunk.promise.catch(() => {}); // without a waiting reader the rejection would be unhandled
      this.#chunk.reject(this.#broken === undefined ? error : this.#broken.error);
    }
  }

  async #read(reading: number, name: SourceName): Promise<void> {
    let iterator = this.#readings.get(reading);
    if (iterator === undefined) {
      iterator = (this.#sources[name] ?? this.#sources.items)()[Symbol.asyncIterator]();
      this.#readings.set(reading, iterator);
    }
    try {
      const { value, done } = await iterator.next();
      this.#channel.send(
        done === true ? { verb: 'texts', reading } : { verb: 'texts', reading, texts: value },
      );
    } catch (error) {
      this.#broken = { error };
      this.#channel.send({ verb: 'broken', reading });
    }
  }

  #leave(reading: number): void {
    const iterator = this.#readings.get(reading);
    this.#readings.delete(reading);
    Promise.resolve(iterator?.return?.()).catch(() => {});
  }
}

/** What a format threw is a defect; an end of the thread is no fault of the caller. */
function toExportError(error: unknown): unknown {
  if (!(error instanceof TaskStopped) || error.reason === 'error') return error;
  return new Failure(
    'unavailable',
    error.isExhausted ? 'The export needs more memory than there is for it' : 'The export was broken off',
    { cause: error },
  );
}
