// A plain reader of server-sent events: collects what a stream sends, and waits for the next event.
import { inTime } from './eventually.ts';
import { request } from '../src/kernel/network/http-client.ts';
import type { IncomingMessage } from 'node:http';

export interface ServerEvent {
  event: string;
  /** Parsed where it is JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}

export interface StreamInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export class EventReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All events so far. */
  readonly events: ServerEvent[] = [];
  comments = 0;
  /** What a client that reconnects would send as `Last-Event-ID`. */
  lastId = '';
  isEnded = false;
  readonly #response: IncomingMessage;
  #read = 0;
  #text = '';
  #wake = Promise.withResolvers<void>();

  private constructor(response: IncomingMessage) {
    this.status = response.statusCode!;
    this.headers = response.headers;
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (piece: string) => this.#add(piece));
    response.on('close', () => {
      this.isEnded = true;
      this.#wake.resolve();
    });
    response.on('error', () => {});
  }

  /** Resolves when the head of the reply is there. */
  static async open(
    url: string,
    { method = 'GET', headers = {}, body }: StreamInit = {},
  ): Promise<EventReader> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(url, { method, headers: { accept: 'text/event-stream', ...headers }, agent: false });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end(body);
    return new EventReader(await inTime(promise, `a reply to ${method} ${url}`));
  }

  /** The next event that was not read yet. Fails when the stream ends before it. */
  async next(): Promise<ServerEvent> {
    while (this.events.length <= this.#read) {
      if (this.isEnded) throw new Error('The stream has ended.');
      await inTime(this.#wake.promise, 'the next event');
    }
    const event = this.events[this.#read]!;
    this.#read += 1;
    return event;
  }

  /** The body, where it is no stream. */
  async rest(): Promise<string> {
    await this.ended();
    return this.#text;
  }

  async ended(): Promise<void> {
    while (!this.isEnded) await inTime(this.#wake.promise, 'the end of the stream');
  }

  async commented(): Promise<void> {
    while (this.comments === 0) await inTime(this.#wake.promise, 'a comment');
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  close(): void {
    this.#response.destroy();
  }

  #add(piece: string): void {
    const blocks = (this.#text + piece).split('\n\n');
    this.#text = blocks.pop()!;
    for (const block of blocks) {
      const lines = block.split('\n');
      const valuesOf = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).trimStart());
      const data = valuesOf('data').join('\n');
      this.lastId = valuesOf('id')[0] ?? this.lastId;
      if (data === '') this.comments += 1;
      else this.events.push({ event: valuesOf('event')[0] ?? 'message', data: parse(data) });
    }
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
