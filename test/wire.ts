// A raw connection to a server, for requests that fetch refuses to send and responses as bytes.
import { connect } from 'node:net';

export interface Wire {
  write(bytes: string | Buffer): void;
  /** Closes our side; responses can still arrive. */
  end(): void;
  /** Everything received so far. */
  text(): string;
  /** Everything received, once the server has closed the connection. */
  closed: Promise<string>;
}

export function dial(url: string): Wire {
  const { promise: closed, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  const text = () => Buffer.concat(chunks).toString('latin1');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', reject);
  socket.on('close', () => resolve(text()));
  return { write: (bytes) => void socket.write(bytes), end: () => void socket.end(), text, closed };
}

/** One request on its own connection, which either side must close. */
export async function exchange(
  url: string,
  request: string | Buffer,
): Promise<{ status: number; text: string }> {
  const wire = dial(url);
  wire.write(request);
  const text = await wire.closed;
  return { status: Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), text };
}

export interface WireAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/** Splits responses that have a Content-Length. */
export function answersIn(text: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = new Headers(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    const start = end + '\r\n\r\n'.length;
    const length = Number(headers.get('content-length'));
    answers.push({
      status: Number(first.split(' ')[1]),
      headers,
      body: rest.slice(start, start + length),
    });
    rest = rest.slice(start + length);
  }
  return answers;
}
