// The export thread: writes the files of all exports, so that none of them blocks the event loop of the server.
import { Failure } from '../../kernel/failure.ts';
import { serveTasks, type TaskPort } from '../../kernel/threads/serve-tasks.ts';
import { exporters, type Chunks, type ExportFormat } from './exporters.ts';
import type { ExportTask, FromThread, SourceName, ToThread } from './export-client.ts';
import { type Item, type ExportSource, parseItems, SEPARATOR } from './input.ts';
import { projectBatches, projector } from './project.ts';

/** Formats that need their columns before the first row. */
const TABLES: ReadonlySet<ExportFormat> = new Set(['csv', 'html', 'xlsx']);

class Export {
  readonly #port: TaskPort<FromThread, ToThread>;
  readonly #chunks: Chunks;
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly string[] | undefined>>();
  #readings = 0;
  /** Ends when the current chunk is made: one at a time. */
  #making = Promise.resolve();

  constructor(task: ExportTask, port: TaskPort<FromThread, ToThread>) {
    this.#port = port;
    this.#chunks = this.#write(task);
  }

  makeNext(): void {
    this.#making = this.#making.then(async () => {
      try {
        const { value, done } = await this.#chunks.next();
        if (done === true) return this.#port.send({ verb: 'end' });
        const bytes = toBytes(value);
        this.#port.send({ verb: 'chunk', bytes }, [bytes.buffer]);
      } catch (error) {
        this.#port.fail(error);
      }
    });
  }

  /** The generators close their sources themselves. */
  stop(): void {
    for (const { resolve } of this.#waiting.values()) resolve(undefined);
    this.#chunks.return().catch(() => {});
  }

  receive(reading: number, texts: readonly string[] | undefined): void {
    this.#waiting.get(reading)?.resolve(texts);
    this.#waiting.delete(reading);
  }

  failReading(reading: number): void {
    this.#waiting.get(reading)?.reject(new Failure('internal', 'The items cannot be read.'));
    this.#waiting.delete(reading);
  }

  #write({ format, options, projection, hasOutlines }: ExportTask): Chunks {
    const { write } = exporters[format];
    const texts: ExportSource<string> = () => this.#read('items');
    const items: ExportSource = () => this.#parse('items');
    const project = projector(projection);
    if (project !== undefined) return write(() => projectBatches(items(), project), options);
    if (!TABLES.has(format)) return write(items, options);
    return write(hasOutlines ? () => this.#parse('outlines') : items, options, texts);
  }

  async *#parse(source: SourceName): AsyncGenerator<Item[], void> {
    for await (const texts of this.#read(source)) yield parseItems(texts.join(SEPARATOR));
  }

  async *#read(source: SourceName): AsyncGenerator<readonly string[], void> {
    const reading = (this.#readings += 1);
    try {
      for (;;) {
        const wanted = Promise.withResolvers<readonly string[] | undefined>();
        this.#waiting.set(reading, wanted);
        this.#port.send({ verb: 'read', reading, source });
        const texts = await wanted.promise;
        if (texts === undefined) return;
        yield texts;
      }
    } finally {
      this.#port.send({ verb: 'leave', reading });
    }
  }
}

const encoder = new TextEncoder();

/** Copies into a buffer of its own, which can be transferred. */
function toBytes(chunk: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof chunk === 'string' ? encoder.encode(chunk) : new Uint8Array(chunk);
}

serveTasks<ExportTask, FromThread, ToThread>((task, port) => {
  const running = new Export(task, port);
  port.onClose(() => running.stop());
  port.onMessage((message) => {
    if (message.verb === 'next') running.makeNext();
    else if (message.verb === 'texts') running.receive(message.reading, message.texts);
    else running.failReading(message.reading);
  });
});
