// A cheap client, so that on two cores the server is measured: one socket, one call at a time.
import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  body: string;
}

export class Connection {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #headers: string;
  #received = '';
  #settle: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  constructor(url: string, headers: Record<string, string> = {}) {
    const { hostname, port, host } = new URL(url);
    this.#host = host;
    this.#headers = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    this.#socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (text) => this.#hear(String(text)));
    this.#socket.on('error', (error) => this.#settle?.reject(error));
    this.#socket.on('close', () => this.#settle?.reject(new Error('The server closed the connection')));
  }

  call(method: string, path: string, body = ''): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#settle = { resolve, reject };
    // As clients do, which send neither with a GET.
    const ofBody =
      body === '' && method === 'GET'
        ? ''
        : `${body === '' ? '' : 'content-type: application/json\r\n'}content-length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n${this.#headers}${ofBody}\r\n${body}`,
    );
    return promise;
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #hear(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const at = this.#received.indexOf('content-length: ');
    const length = at === -1 || at > end ? 0 : Number.parseInt(this.#received.slice(at + 16, at + 28), 10);
    if (this.#received.length < end + 4 + length) return;
    const answer = {
      status: Number(this.#received.slice(9, 12)),
      body: this.#received.slice(end + 4, end + 4 + length),
    };
    this.#received = this.#received.slice(end + 4 + length);
    this.#settle!.resolve(answer);
  }
}

/** Repeats the work on every connection until the time is up; returns the rate per second. */
export async function measure(
  connections: Connection[],
  seconds: number,
  work: (connection: Connection) => Promise<number>,
): Promise<number> {
  const begun = performance.now();
  const deadline = begun + seconds * 1000;
  let done = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < deadline) {
        const count = await work(connection);
        done += count;
      }
    }),
  );
  return (done * 1000) / (performance.now() - begun);
}
