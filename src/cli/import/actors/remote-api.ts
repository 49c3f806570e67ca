// A client of the Actors API of any server: retries what may be repeated, streams content, and puts its token in a header.
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../../kernel/failure.ts';
import { Agent } from '../../../kernel/network/http-client.ts';
import { openHttpRequest } from '../../../kernel/network/open-request.ts';
import { RELEASE } from '../../../app/release.ts';
import { RemoteError, isRetryable, waitOf } from './remote-error.ts';

/** Without a byte for this long, a call has failed. */
const IDLE_MS = 60_000;
const MAX_REDIRECTS = 5;
const SOCKETS = 16;

export type Query = Record<string, string | number | undefined>;

export interface RemoteCall {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
  query?: Query;
  headers?: Record<string, string>;
  /** Sent as it is. */
  body?: string | Uint8Array;
  /** Whether a second call does no harm if the first one was executed after all. */
  isRepeatable?: boolean;
}

export interface RemoteApiOptions {
  /** Without a trailing slash and without /v2. */
  url: string;
  token: string;
  /** Ends all calls. */
  signal: AbortSignal;
  /** Told before each wait, in words for people. */
  onWait?(words: string): void;
  random?(): number;
}

export class RemoteApi {
  readonly url: string;
  readonly #token: string;
  readonly #signal: AbortSignal;
  readonly #onWait: (words: string) => void;
  readonly #random: () => number;
  readonly #agent: InstanceType<typeof Agent>;

  constructor({ url, token, signal, onWait = () => {}, random = Math.random }: RemoteApiOptions) {
    this.url = url;
    this.#token = token;
    this.#signal = signal;
    this.#onWait = onWait;
    this.#random = random;
    const options = { keepAlive: true, maxSockets: SOCKETS };
    this.#agent = url.startsWith('https:') ? new SecureAgent(options) : new Agent(options);
  }

  get host(): string {
    return new URL(this.url).host;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The `data` of the reply. */
  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.#json({ path, query })) as T;
  }

  /** Undefined when there is no such thing. */
  async find<T>(path: string, query: Query = {}): Promise<T | undefined> {
    try {
      return await this.get<T>(path, query);
    } catch (error) {
      if (error instanceof RemoteError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Without retries, so that a wrong address or token is reported at once. */
  async getOnce<T>(path: string): Promise<T> {
    return dataOf(await this.#read(await this.#send({ path }))) as T;
  }

  async send<T>(
    method: 'POST' | 'PUT',
    path: string,
    body: unknown,
    { query = {}, isRepeatable = method === 'PUT' }: Pick<RemoteCall, 'query' | 'isRepeatable'> = {},
  ): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return (await this.#json({ path, method, query, headers, body: text, isRepeatable })) as T;
  }

  /** Runs the work again while its error is one that a later try may not meet. */
  async retry<T>(work: () => Promise<T>, canRepeat: (error: unknown) => boolean = isRetryable): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        this.#signal.throwIfAborted();
        const wait = canRepeat(error) ? waitOf(attempt, error, this.#random) : undefined;
        if (wait === undefined) throw error;
        this.#onWait(
          `${this.host}: ${(error as Error).message} Trying again in ${Math.ceil(wait / 1000)} s.`,
        );
        await delay(wait, undefined, { signal: this.#signal });
      }
    }
  }

  /** The reply as a stream, which must be read to its end or destroyed; redirects are followed. */
  async open(path: string, { query = {}, headers = {} }: RemoteCall = {}): Promise<IncomingMessage> {
    return await this.#send({ path, query, headers });
  }

  /** Throws where `get` would. */
  async head(path: string): Promise<void> {
    await this.#json({ path, method: 'HEAD', isRepeatable: true });
  }

  /** Sends a stream. The caller repeats it, as only the caller can get the content again. */
  async upload(
    path: string,
    content: AsyncIterable<Uint8Array>,
    headers: Record<string, string>,
  ): Promise<void> {
    await this.#read(await this.#send({ path, method: 'PUT', headers, content }));
  }

  async #json(call: RemoteCall & { path: string }): Promise<unknown> {
    const { method = 'GET', isRepeatable = method === 'GET' } = call;
    return await this.retry(
      async () => dataOf(await this.#read(await this.#send(call))),
      (error) => isRetryable(error, isRepeatable),
    );
  }

  async #send(
    call: RemoteCall & { path: string; content?: AsyncIterable<Uint8Array> },
  ): Promise<IncomingMessage> {
    let target = new URL(`${this.url}/v2${call.path}`);
    for (const [name, value] of Object.entries(call.query ?? {}))
      if (value !== undefined) target.searchParams.set(name, String(value));
    for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
      const answer = await this.#exchange(target, call);
      const { statusCode: status = 0, headers } = answer;
      // A place in an object storage is signed for GET alone, and its address shows that the content is there.
      if ((status >= 200 && status < 300) || (call.method === 'HEAD' && status < 400)) return answer;
      if (status < 300 || status > 399 || headers.location === undefined)
        throw await RemoteError.from(answer, call);
      answer.destroy();
      target = new URL(headers.location, target);
    }
    throw new Failure('unavailable', `${this.host} redirects too often.`);
  }

  async #exchange(
    target: URL,
    {
      method = 'GET',
      headers = {},
      body,
      content,
      isRepeatable = method !== 'POST',
    }: RemoteCall & { content?: AsyncIterable<Uint8Array> },
  ): Promise<IncomingMessage> {
    // A redirect leads to an object storage, which must not get the token.
    const isOwn = target.origin === new URL(this.url).origin;
    const options: RequestOptions = {
      method,
      signal: this.#signal,
      timeout: IDLE_MS,
      headers: {
        accept: '*/*',
        'user-agent': `signalbox-import/${RELEASE}`,
        ...(isOwn && { authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
      // A connection that was kept open may be closed by the other side just now, and the call be lost or not.
      agent: isOwn && isRepeatable ? this.#agent : false,
    };
    const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = openHttpRequest(target, options, {
      response: resolve,
      error: (error) =>
        reject(this.#signal.aborted ? (this.#signal.reason as Error) : RemoteError.lost(target, error)),
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer for ${IDLE_MS / 1000} s`)));
    if (content === undefined) outgoing.end(body);
    else await sendContent(outgoing, content, answered);
    return await answered;
  }

  async #read(answer: IncomingMessage): Promise<unknown> {
    const text = await readText(answer);
    if (text === '' || !isJson(answer.headers)) return undefined;
    return JSON.parse(text) as unknown;
  }
}

/** Stops reading the source once the reply is there: a server may reject an upload before its end. */
async function sendContent(
  outgoing: NodeJS.WritableStream & { destroy(error?: Error): void },
  content: AsyncIterable<Uint8Array>,
  answered: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  answered.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  try {
    for await (const chunk of content) {
      if (isOver) return;
      if (!outgoing.write(chunk)) {
        const drained = new Promise((resolve) => outgoing.once('drain', resolve));
        await Promise.race([drained, answered.then(undefined, () => undefined)]);
      }
    }
    outgoing.end();
  } catch (error) {
    answered.catch(() => undefined);
    outgoing.destroy(error as Error);
    throw error;
  }
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) chunks.push(chunk);
  } catch (error) {
    throw RemoteError.broken(error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function isJson(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}

/** Some replies, such as those of task inputs, are in no envelope. */
function dataOf(reply: unknown): unknown {
  return typeof reply === 'object' && reply !== null && 'data' in reply ? reply.data : reply;
}
