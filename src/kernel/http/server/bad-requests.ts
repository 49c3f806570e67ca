// What cannot be read as a request: errors of Node and Fastify become failures, and those of the parser are answered in the format of the API that the path belongs to.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Failure } from '../../failure.ts';
import { STATUS_CODES } from '../../network/http-client.ts';
import { ByPrefix } from '../prefixes.ts';
import { withoutPublicPath } from '../public-path.ts';
import type { ErrorReply } from '../reply/send.ts';
import { diskFull, isDiskFull } from '../../storage/storage-failure.ts';

/** A request of which only the head is known. */
export interface UnreadRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  ip: string;
}

const MAX_HEAD_BYTES = 16 * 1024;
/** Node's limit for the request line and headers: above ours, so that the API itself can answer most oversized requests. */
export const READ_HEAD_BYTES = 2 * MAX_HEAD_BYTES;

/** Checks that Node would make itself, but answer without a body. */
export function checkHead({ url = '', rawHeaders, headers, httpVersion }: IncomingMessage): void {
  let size = url.length;
  for (const part of rawHeaders) size += part.length + 2;
  if (size > MAX_HEAD_BYTES) throw headTooLarge();
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new Failure('malformed', 'The request has no Host header', { part: 'request' });
  }
}

function headTooLarge(): Failure {
  return new Failure('headers-too-large', 'The request line and the headers are too large');
}

type RenderError = (request: UnreadRequest, failure: Failure) => ErrorReply;

/** Node's parse error: the last packet, and how many of its bytes were parsed. */
interface ReadingError {
  code?: string;
  rawPacket?: unknown;
  bytesParsed?: number;
}

/** Other errors are of the connection or its TLS, where no answer would arrive. */
const ANSWERED = /^(HPE_\w+|ERR_HTTP_REQUEST_TIMEOUT)$/;

/** The client closed its side in the middle of a request. */
const GONE = 'HPE_INVALID_EOF_STATE';

/** Closing while bytes still arrive makes the system reset the connection, and the client loses the answer. */
const LINGER_MS = 5000;

export class BadRequests {
  readonly #publicPath: string;
  readonly #apis = new ByPrefix<RenderError>();
  readonly #latest = new WeakMap<Socket, ServerResponse>();
  /** The previous response of the same connection, where requests were pipelined. */
  readonly #before = new WeakMap<ServerResponse, ServerResponse>();
  readonly #refused = new WeakSet<Socket>();

  constructor(publicPath: string) {
    this.#publicPath = publicPath;
  }

  add(prefix: string, renderError: RenderError): void {
    this.#apis.add(prefix, renderError);
  }

  /** Remembers the latest request of a connection: the next parse error is in its body, or after it. */
  watch(response: ServerResponse): void {
    const { socket } = response.req;
    const before = this.#latest.get(socket);
    if (before !== undefined && !before.closed) this.#before.set(response, before);
    this.#latest.set(socket, response);
  }

  /** Handles Node's `clientError`, which is emitted again for every packet after the first error. */
  refuse(error: ReadingError, socket: Socket): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    if (ANSWERED.test(error.code ?? '')) this.#answer(error, socket);
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
      const { method = '', url: target = '/', headers } = broken?.req ?? startOf(error);
      const url = withoutPublicPath(target, this.#publicPath);
      const request = { method, url, headers, ip: socket.remoteAddress ?? '' };
      const answer = this.#apis.find(url)?.(request, asFailure(error));
      if (answer === undefined) return socket.destroySoon();
      socket.write(headOf(answer));
      socket.end(method === 'HEAD' ? '' : answer.body);
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    } catch {
      // This runs in an event handler: an error that is thrown here would end the process.
      socket.destroy();
    }
  }
}

const START = /^([a-z]+) ((?:\/|https?:)\S*)/gim;

/** The last request line before the error. If it came in an earlier packet, method and path are unknown. */
function startOf({ rawPacket, bytesParsed = 0 }: ReadingError): Omit<UnreadRequest, 'ip'> {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const [, method = '', url = '/'] =
    [...text.matchAll(START)].findLast(({ index }) => index <= bytesParsed) ?? [];
  return { method, url, headers: {} };
}

function headOf({ status, headers, body }: ErrorReply): string {
  headers.setAll({
    date: new Date().toUTCString(),
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  });
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.text()}\r\n`;
}

export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code, statusCode, message, reason } = error as {
    code?: string;
    statusCode?: number;
    message?: string;
    reason?: string;
  };
  if (isDiskFull(error)) return diskFull(error);
  if (code === 'FST_ERR_BAD_URL') {
    return new Failure('malformed', message ?? 'The request cannot be read', { part: 'request' });
  }
  if (code === 'ECONNRESET')
    return new Failure('malformed', 'The caller went away before the body was there');
  if (code === 'FST_ERR_REQUEST_TIMEOUT' || code === 'ERR_HTTP_REQUEST_TIMEOUT' || statusCode === 408)
    return new Failure('timeout', 'The request took too long');
  if (code === 'HPE_HEADER_OVERFLOW') return headTooLarge();
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new Failure('too-large', 'The extensions of a chunk are too large');
  }
  if (code?.startsWith('HPE_')) {
    return new Failure('malformed', `The request is not valid HTTP: ${reason ?? message}`, {
      part: 'request',
    });
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Failure('malformed', message ?? 'The request cannot be read');
  }
  return new Failure(
    'internal',
    'Something went wrong on the server. Quote the id of this call when you report it.',
    { cause: error },
  );
}
