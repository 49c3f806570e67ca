// Many cheap readers of streams: raw sockets that count events and keep nothing.
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';

/** What a stream sends at first and for a change, for a baseline that sends the same bytes. */
export interface RecordedStream {
  headers: Record<string, string>;
  first: string;
  change: string;
}

/** Headers that node:http writes by itself. */
const WRITTEN_BY_NODE = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

/** Opens a stream, changes something, and returns what the stream has sent. */
export function recordStream(
  url: string,
  headers: Record<string, string>,
  change: () => Promise<unknown>,
): Promise<RecordedStream> {
  const { promise, resolve, reject } = Promise.withResolvers<RecordedStream>();
  const call = get(url, { headers, agent: false }, (response) => {
    const own = Object.entries(response.headers).filter(([name]) => !WRITTEN_BY_NODE.includes(name));
    let text = '';
    let first: string | undefined;
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (!text.endsWith('\n\n')) return;
      if (first === undefined) {
        first = text;
        text = '';
        change().catch(reject);
        return;
      }
      resolve({
        headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
        first,
        change: text,
      });
      call.destroy();
    });
  });
  call.on('error', reject);
  return promise;
}

/** Sockets that are connecting at once. */
const AT_ONCE = 50;

export class StreamReaders {
  readonly #sockets: Socket[] = [];
  #counts = new Map<string, number>();
  #wanted: { event: string; count: number; resolve(): void } | undefined;

  /** Resolves when each of the new ones has its first event. */
  async open(url: string, path: string, headers: Record<string, string>, count: number): Promise<void> {
    const { hostname, port, host } = new URL(url);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}\r\n`;
    for (let opened = 0; opened < count; opened += AT_ONCE) {
      const all = Math.min(AT_ONCE, count - opened);
      const ready = this.received('put', all);
      for (let index = 0; index < all; index += 1) this.#connect(Number(port), hostname, head);
      await ready;
    }
  }

  /** Resolves when so many events of this name have come, on all sockets together, from now on. */
  received(event: string, count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#counts = new Map();
    this.#wanted = { event, count, resolve };
    return promise;
  }

  get size(): number {
    return this.#sockets.length;
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }

  #connect(port: number, hostname: string, head: string): void {
    const socket = connect(port, hostname);
    let rest = '';
    socket.on('data', (bytes: Buffer) => {
      const text = rest + bytes.toString('latin1');
      let end = 0;
      for (const match of text.matchAll(/event: (\w+)\n/g)) {
        this.#count(match[1]!);
        end = match.index + match[0].length;
      }
      // The name of an event may be cut in two.
      rest = text.slice(Math.max(end, text.length - 20));
    });
    socket.on('error', (error) => {
      throw error;
    });
    socket.write(head);
    this.#sockets.push(socket);
  }

  #count(event: string): void {
    const count = (this.#counts.get(event) ?? 0) + 1;
    this.#counts.set(event, count);
    if (this.#wanted?.event === event && count === this.#wanted.count) this.#wanted.resolve();
  }
}
