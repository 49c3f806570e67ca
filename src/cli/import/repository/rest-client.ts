// A client of the Host API of any server: waits where a rate limit asks for it, and repeats what may be repeated.
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { RELEASE } from '../../../app/release.ts';
import { Failure } from '../../../kernel/failure.ts';
import type { Guard } from '../../../kernel/network/guard.ts';
import { openHttpRequest } from '../../../kernel/network/open-request.ts';

/** Without a byte for this long, a call has failed. */
const IDLE_MS = 120_000;
const MAX_REDIRECTS = 3;
/** Of one reply: a page of the longest texts has less. */
const MAX_BYTES = 64 * 1024 ** 2;
const MAX_RETRIES = 8;
const FIRST_WAIT_MS = 500;
const LONGEST_BACKOFF_MS = 60_000;
/** Windows of rate limits have an hour. */
const LONGEST_WAIT_MS = 70 * 60_000;

interface RestClientOptions {
  /** The beginning of all addresses, without a slash at its end. */
  url: string;
  authorization?: string | undefined;
  guard: Guard;
  signal: AbortSignal;
  /** Called before each wait, in words for people. */
  onWait?(words: string): void;
}

interface RestReply {
  status: number;
  body: unknown;
}

interface ErrorReply {
  message?: unknown;
  errors?: { message?: unknown }[];
}

export class RestClient {
  readonly url: string;
  readonly #options: RestClientOptions;

  constructor(options: RestClientOptions) {
    this.url = options.url;
    this.#options = options;
  }

  /** What is called may be called again. Errors of the other side, and those of limits, are repeated; other statuses are returned. */
  async call(method: string, path: string, body?: unknown): Promise<RestReply> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    for (let attempt = 0; ; attempt += 1) {
      const { signal } = this.#options;
      signal.throwIfAborted();
      let failed: Failure;
      let waitMs: number | undefined;
      try {
        const { status, headers, text: answered } = await this.#exchange(method, path, text);
        waitMs = limitWaitOf(status, headers, Date.now());
        if (waitMs === undefined && status < 500) return { status, body: parseJson(answered) };
        failed = this.failureOf({ status, body: parseJson(answered) });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Failure) throw error;
        const reason = (error as Error).message || (error as NodeJS.ErrnoException).code;
        failed = new Failure('unavailable', `${this.url} cannot be reached: ${reason}.`, { cause: error });
      }
      if (attempt >= MAX_RETRIES) throw failed;
      await this.#wait(waitMs ?? Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_BACKOFF_MS), failed);
    }
  }

  /** The body of a reply with status 200; anything else is an error. */
  async get(path: string): Promise<unknown> {
    const reply = await this.call('GET', path);
    if (reply.status !== 200) throw this.failureOf(reply);
    return reply.body;
  }

  failureOf({ status, body }: RestReply): Failure {
    const { message, errors } = (body ?? {}) as ErrorReply;
    const words = [message, ...(Array.isArray(errors) ? errors.map((error) => error?.message) : [])]
      .filter((word) => typeof word === 'string')
      .join(' ')
      .slice(0, 500);
    return new Failure('unavailable', `${this.url} answers ${status}: ${words || 'without a reason'}`);
  }

  async #wait(ms: number, failed: Failure): Promise<void> {
    const seconds = Math.ceil(ms / 1000);
    this.#options.onWait?.(`${failed.message} Trying again in ${seconds.toLocaleString('en')} s.`);
    await delay(ms, undefined, { signal: this.#options.signal });
  }

  async #exchange(
    method: string,
    path: string,
    body: string | undefined,
  ): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
    let target = new URL(this.url + path);
    for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
      const answer = await this.#send(method, target, body);
      const { statusCode: status = 0, headers } = answer;
      const isMoved = [301, 302, 307, 308].includes(status) && headers.location !== undefined;
      const next = isMoved ? new URL(headers.location!, target) : undefined;
      // The token is for this server alone.
      if (next?.origin !== target.origin) return { status, headers, text: await readText(answer) };
      answer.destroy();
      target = next;
    }
    throw new Failure('unavailable', `${this.url} redirects too often.`);
  }

  async #send(method: string, target: URL, body: string | undefined): Promise<IncomingMessage> {
    const { authorization, guard, signal } = this.#options;
    const options: RequestOptions = {
      method,
      signal,
      timeout: IDLE_MS,
      lookup: guard.lookup,
      headers: {
        accept: 'application/json',
        'user-agent': `signalbox-import/${RELEASE}`,
        ...(authorization !== undefined && { authorization }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
      },
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = openHttpRequest(guard.checkUrl(target), options, { response: resolve, error: reject });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer for ${IDLE_MS / 1000} s`)));
    outgoing.end(body);
    return await promise;
  }
}

/** How long a limit asks to wait; undefined where the reply is about none. */
export function limitWaitOf(status: number, headers: IncomingHttpHeaders, now: number): number | undefined {
  if (status !== 403 && status !== 429 && status !== 503) return undefined;
  const after = headers['retry-after'];
  const isSpent = headers['x-ratelimit-remaining'] === '0' && status !== 503;
  const seconds = Number(after ?? 'none');
  const reset = Number(headers['x-ratelimit-reset'] ?? 'none') * 1000 - now;
  const asked = Number.isFinite(seconds)
    ? seconds * 1000
    : isSpent && Number.isFinite(reset)
      ? reset
      : undefined;
  if (asked === undefined) return status === 429 ? LONGEST_BACKOFF_MS : undefined;
  return Math.min(Math.max(asked, 0), LONGEST_WAIT_MS);
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) {
      answer.destroy();
      throw new Failure('unavailable', `A reply has more than ${MAX_BYTES.toLocaleString('en')} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}
