// Answers what Node cannot read as a request, so that there never is a call: in the words of the API it was meant for.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Failure } from './failure.ts';
import { asFailure, headTooLarge } from './fastify-failure.ts';
import { STATUS_CODES } from './http-client.ts';
import type { Told } from './send.ts';

/** What is known of a request from its first moment. */
export interface Unread {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  ip: string;
}

const MAX_HEAD_BYTES = 16 * 1024;
/** Of the line and headers of a request. More than is taken, so that most of what is too large can be told by its API. */
export const READ_HEAD_BYTES = 2 * MAX_HEAD_BYTES;

/** What Node itself would refuse, and without a word. */
export function checkHead({ url = '', rawHeaders, headers, httpVersion }: IncomingMessage): void {
  let size = url.length;
  for (const part of rawHeaders) size += part.length + 2;
  if (size > MAX_HEAD_BYTES) throw headTooLarge();
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new Failure('malformed', 'The request has no Host header', { part: 'request' });
  }
}

type Tell = (unread: Unread, failure: Failure) => Told;

/** What Node says of bytes that it cannot read: the last ones that came, and how far it got in them. */
interface ReadingError {
  code?: string;
  rawPacket?: unknown;
  bytesParsed?: number;
}

/** Other errors are of the connection or its TLS, where nobody would hear us. */
const TOLD = /^(HPE_\w+|ERR_HTTP_REQUEST_TIMEOUT)$/;

/** The caller has closed its side in the middle of a request: it has gone away. */
const GONE = 'HPE_INVALID_EOF_STATE';

/** Closing while bytes still come in makes the system reset the connection, and the caller loses our answer. */
const LINGER_MS = 1000;

export class Refusals {
  readonly #apis: { prefix: string; tell: Tell }[] = [];
  readonly #latest = new WeakMap<Socket, ServerResponse>();
  /** The one before, where a request came while that was under way. */
  readonly #before = new WeakMap<ServerResponse, ServerResponse>();
  readonly #refused = new WeakSet<Socket>();

  add(prefix: string, tell: Tell): void {
    this.#apis.push({ prefix, tell });
    this.#apis.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  /** Remembers the latest request of a connection: what breaks next is its body, or comes after it. */
  watch(response: ServerResponse): void {
    const { socket } = response.req;
    const before = this.#latest.get(socket);
    if (before !== undefined && !before.closed) this.#before.set(response, before);
    this.#latest.set(socket, response);
  }

  /** Node's `clientError`. It comes again with all that is still read after the first. */
  refuse(error: ReadingError, socket: Socket): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    if (TOLD.test(error.code ?? '')) this.#answer(error, socket);
    else socket.destroy();
  }

  #answer(error: ReadingError, socket: Socket): void {
    const latest = this.#latest.get(socket);
    const broken = latest?.req.complete === false ? latest : undefined;
    const before = broken === undefined ? latest : this.#before.get(broken);
    if (before !== undefined && !before.closed) {
      // Answers go out in the order of the requests.
      before.once('close', () => this.#answer(error, socket));
      return;
    }
    if (!socket.writable || broken?.headersSent === true || error.code === GONE) return socket.destroySoon();
    try {
      const { method = '', url = '/', headers } = broken?.req ?? startOf(error);
      const told = this.#tell({ method, url, headers, ip: socket.remoteAddress ?? '' }, asFailure(error));
      if (told === undefined) return socket.destroySoon();
      socket.write(headOf(told));
      socket.end(method === 'HEAD' ? '' : told.body);
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    } catch {
      // There is nobody above to catch it, and no request is worth the process.
      socket.destroy();
    }
  }

  /** By the API whose prefix the path begins with, as when it is routed. */
  #tell(unread: Unread, failure: Failure): Told | undefined {
    const path = pathOf(unread.url);
    const api = this.#apis.find(({ prefix }) => prefix === '' || `${path}/`.startsWith(`${prefix}/`));
    return api?.tell(unread, failure);
  }
}

const START = /^([a-z]+) ((?:\/|https?:)\S*)/gim;

/** The last line before the mistake that begins like a request. If it came in an earlier packet, nothing is known of it. */
function startOf({ rawPacket, bytesParsed = 0 }: ReadingError): Omit<Unread, 'ip'> {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const [, method = '', url = '/'] =
    [...text.matchAll(START)].findLast(({ index }) => index <= bytesParsed) ?? [];
  return { method, url, headers: {} };
}

/** As the router reads it: without the origin and the query, and with its escapes undone. */
export function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function headOf({ status, headers, body }: Told): string {
  headers.setAll({
    date: new Date().toUTCString(),
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  });
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.text()}\r\n`;
}
