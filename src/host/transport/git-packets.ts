// What the server itself says to the person at the other end: packets of git's protocol, and errors as plain text.
import type { ServerResponse } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import { RETRY_SECONDS } from '../../kernel/http/reply/send.ts';
import { hostStatusOf } from '../failures.ts';
import type { ServiceName } from './git-service.ts';

/** Bands of a packet: objects, progress, and an error that ends the transfer. */
const OBJECTS = 1;
const ERROR = 3;
const HEADER_LENGTH = 4;
const HEADER = /^[0-9a-f]{4}$/;

/** An error before any objects; git shows it as `fatal: remote error`. */
function errorPacket(message: string): Buffer {
  return packetOf(Buffer.from(`ERR ${message}`));
}

/** An error where packets have bands, as objects and the results of pushes do; git shows it as `remote:`. */
export function errorInBand(message: string): Buffer {
  return packetOf(Buffer.concat([Buffer.from([ERROR]), Buffer.from(`${message}\n`)]));
}

function packetOf(payload: Buffer): Buffer {
  const length = (payload.length + HEADER_LENGTH).toString(16).padStart(HEADER_LENGTH, '0');
  return Buffer.concat([Buffer.from(length), payload]);
}

/** Follows the packets of a reply, so that one of ours can come after them. */
export class PacketReader {
  #header = '';
  /** How many bytes of the packet are to come. */
  #left = 0;
  #band: number | undefined;
  /** Without bands, objects come without packets. */
  #isRaw = false;

  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#isRaw) {
      if (this.#left === 0) at = this.#readHeader(chunk, at);
      else {
        const end = Math.min(chunk.length, at + this.#left);
        this.#band ??= chunk[at];
        this.#left -= end - at;
        at = end;
      }
    }
  }

  /** What ends the reply with an error; undefined where the client would not understand it. */
  end(message: string): Buffer | undefined {
    if (this.#isRaw || this.#header !== '') return undefined;
    const hasBands = this.#band !== undefined && this.#band >= OBJECTS && this.#band <= ERROR;
    // Objects that miss are filled up: after the error nobody uses them.
    const rest = Buffer.alloc(this.#left);
    return Buffer.concat([rest, hasBands ? errorInBand(message) : errorPacket(message)]);
  }

  #readHeader(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + HEADER_LENGTH - this.#header.length);
    this.#header += chunk.toString('latin1', at, end);
    if (this.#header.length < HEADER_LENGTH) return end;
    const length = Number.parseInt(this.#header, 16);
    this.#isRaw = !HEADER.test(this.#header);
    this.#header = '';
    // Lengths below that of a header separate sections, and have no payload.
    if (length <= HEADER_LENGTH) return end;
    this.#left = length - HEADER_LENGTH;
    this.#band = undefined;
    return end;
  }
}

export const NOT_CACHED = { 'cache-control': 'no-cache, max-age=0, must-revalidate', pragma: 'no-cache' };

/** What a person reads in a terminal: git shows the body only where it is plain text, and has own words for 401 and 404. */
export function plainReplyOf(error: unknown): Failure | undefined {
  if (!(error instanceof Failure)) return undefined;
  return ['unauthenticated', 'not-found', 'moved', 'internal'].includes(error.kind) ? undefined : error;
}

export function sendPlain(response: ServerResponse, call: RawRouteCall, failure: Failure): void {
  const body = Buffer.from(`${failure.message}\n`);
  response.writeHead(hostStatusOf(failure, call as never), {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(body.length),
    ...NOT_CACHED,
    ...(failure.kind === 'unavailable' && { 'retry-after': RETRY_SECONDS }),
    ...failure.details.headers,
  });
  response.end(call.method === 'HEAD' ? undefined : body);
}

/**
 * The git program shows the body of an error only where it asks what there is. Where it fetches or pushes on a busy server, it
 * gets the words as part of its protocol; other clients get the status.
 */
export function sendRefusal(
  response: ServerResponse,
  call: RawRouteCall,
  service: ServiceName | undefined,
  failure: Failure,
): void {
  const isGit = String(call.headers['user-agent']).startsWith('git/');
  if (failure.kind !== 'unavailable' || call.method !== 'POST' || service === undefined || !isGit)
    return sendPlain(response, call, failure);
  const packet = service === 'git-receive-pack' ? errorInBand : errorPacket;
  const headers = { 'content-type': `application/x-${service}-result`, ...NOT_CACHED };
  response.writeHead(200, { ...headers, ...failure.details.headers }).end(packet(failure.message));
}
