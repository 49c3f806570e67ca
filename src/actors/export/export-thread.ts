// The export thread: writes the files of all exports, so that none of them blocks the event loop of the server.
import { parentPort } from 'node:worker_threads';
import { Failure } from '../../kernel/failure.ts';
import { exporters, type Chunks, type ExportFormat } from './exporters.ts';
import type { ExportTask, FromThread, SourceName, ThreadError, ToThread } from './export-protocol.ts';
import type { Item, ExportSource } from './input.ts';
import { parseItems, SEPARATOR } from './item-texts.ts';
import { projectBatches, projector } from './project.ts';

/** Formats that need their columns before the first row. */
const TABLES: ReadonlySet<ExportFormat> = new Set(['csv', 'html', 'xlsx']);

class Export {
  readonly #id: number;
  readonly #chunks: Chunks;
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly string[] | undefined>>();
  #readings = 0;
  /** Ends when the current chunk is made: one at a time. */
  #making = Promise.resolve();

  constructor(id: number, task: ExportTask) {
    this.#id = id;
    this.#chunks = this.#write(task);
  }

  makeNext(): void {
    this.#making = this.#making.then(async () => {
      try {
        const { value, done } = await this.#chunks.next();
        if (done === true) this.#end({ export: this.#id, verb: 'end' });
        else send({ export: this.#id, verb: 'chunk', bytes: toBytes(value) });
      } catch (error) {
        this.#end({ export: this.#id, verb: 'failed', error: toThreadError(error) });
      }
    });
  }

  /** The generators close their sources themselves. */
  stop(): void {
    exportsById.delete(this.#id);
    for (const { resolve } of this.#waiting.values()) resolve(undefined);
    this.#chunks.return().catch(() => {});
  }

  receive(reading: number, texts: readonly string[] | undefined): void {
    this.#waiting.get(reading)?.resolve(texts);
    this.#waiting.delete(reading);
  }

  failReading(reading: number): void {
    this.#waiting.get(reading)?.reject(new Error('The items cannot be read'));
    this.#waiting.delete(reading);
  }

  #end(message: FromThread): void {
    exportsById.delete(this.#id);
    send(message);
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
        send({ export: this.#id, verb: 'read', reading, source });
        const texts = await wanted.promise;
        if (texts === undefined) return;
        yield texts;
      }
    } finally {
      send({ export: this.#id, verb: 'leave', reading });
    }
  }
}

const exportsById = new Map<number, Export>();
const encoder = new TextEncoder();

/** Copies into a buffer of its own, which can be transferred. */
function toBytes(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === 'string' ? encoder.encode(chunk) : new Uint8Array(chunk);
}

function send(message: FromThread): void {
  parentPort!.postMessage(message, message.verb === 'chunk' ? [message.bytes.buffer as ArrayBuffer] : []);
}

function toThreadError(error: unknown): ThreadError {
  if (!(error instanceof Failure)) {
    const { message, stack } = error as Error;
    return { message, stack };
  }
  const { kind, message, details } = error;
  const { code, fields } = details;
  return {
    kind,
    message,
    details: { ...(code !== undefined && { code }), ...(fields !== undefined && { fields }) },
  };
}

parentPort!.on('message', (message: ToThread) => {
  const { export: id, verb } = message;
  if (verb === 'start') {
    try {
      exportsById.set(id, new Export(id, message.task));
    } catch (error) {
      send({ export: id, verb: 'failed', error: toThreadError(error) });
    }
    return;
  }
  const one = exportsById.get(id);
  if (verb === 'next') one?.makeNext();
  else if (verb === 'stop') one?.stop();
  else if (verb === 'texts') one?.receive(message.reading, message.texts);
  else one?.failReading(message.reading);
});
