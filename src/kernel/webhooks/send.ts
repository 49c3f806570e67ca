// One attempt: a POST with limits on time and size that follows no redirects and cannot reach our own network.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { Failure } from '../failure.ts';
import { Agent } from '../network/http-client.ts';
import { openHttpRequest, type ReplyHandlers } from '../network/open-request.ts';
import { guarded } from '../network/streams.ts';
import type { Guard } from '../network/guard.ts';
import { PhaseClock, type AttemptPhases } from './phases.ts';

/** The result of one attempt. */
export interface Attempt {
  status: number | null;
  /** A message for failures that the status does not express. */
  error: string | null;
  durationMs: number;
  phases?: AttemptPhases;
  /** The first bytes of the response, as text. */
  response: string;
  /** The headers of the response, where there is one. */
  responseHeaders?: Record<string, string>;
  /** There was no complete response in time. */
  isTimeout: boolean;
  /** A retry would be useless. */
  isFinal: boolean;
  /** What the API saves with the attempt, in its own format. */
  details?: string;
  retryAfterMs?: number;
}

export interface WebhookMessage {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Whether the receiver's certificate may be any. */
  trustsAnyCertificate?: boolean;
}

export interface WebhookSenderSettings {
  guard: Guard;
  release: string;
  /** Until the connection is established, name resolution and TLS included. */
  connectMs?: number;
  /** Until the last byte of the response. */
  answerMs?: number;
  /** How much of the response is recorded. */
  keptBytes?: number;
}

export interface WebhookSender {
  /** Undefined when the signal aborted it: the result is then unknown. */
  send(message: WebhookMessage, signal: AbortSignal): Promise<Attempt | undefined>;
  close(): void;
}

const KEPT_BYTES = 4 * 1024;
/** Responses up to this size are read to the end, so that the connection can be reused. */
const READ_BYTES = 64 * 1024;
const KEPT_CONNECTIONS = { keepAlive: true, timeout: 30_000 };

export function createWebhookSender(settings: WebhookSenderSettings): WebhookSender {
  const { guard, release, connectMs = 5_000, answerMs = 10_000, keptBytes = KEPT_BYTES } = settings;
  const plain = new Agent(KEPT_CONNECTIONS);
  const secure = new SecureAgent(KEPT_CONNECTIONS);
  // Apart from the others: a connection without a check must not be reused where one is asked for.
  const unchecked = new SecureAgent({ ...KEPT_CONNECTIONS, rejectUnauthorized: false });

  function open(
    { url, headers, body, trustsAnyCertificate = false }: WebhookMessage,
    signal: AbortSignal,
    handlers: ReplyHandlers,
  ): ClientRequest {
    const checked = guard.checkUrl(url);
    const isSecure = checked.protocol === 'https:';
    const options = {
      method: 'POST',
      agent: isSecure ? (trustsAnyCertificate ? unchecked : secure) : plain,
      lookup: guard.lookup,
      signal,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `signalbox/${release}`,
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        ...headers,
        'Content-Length': Buffer.byteLength(body),
      },
    };
    return openHttpRequest(checked, options, handlers).end(body);
  }

  function post(message: WebhookMessage, signal: AbortSignal): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    let timers: NodeJS.Timeout[] = [];
    const settle = (outcome: Outcome): void => {
      timers.forEach(clearTimeout);
      timers = [];
      resolve(outcome);
    };
    let answer: IncomingMessage | undefined;
    const kept: Buffer[] = [];
    const clock = new PhaseClock();
    const received = (): ReceivedAnswer => ({
      answer,
      bytes: Buffer.concat(kept).subarray(0, keptBytes),
      phases: clock.phases,
    });
    const expire = (words: string) => (): void => {
      settle({ ...received(), timeout: words });
      request.destroy();
    };
    const fail = (error: NodeJS.ErrnoException): void => {
      const wasStale =
        request.reusedSocket && answer === undefined && /^(ECONNRESET|EPIPE)$/.test(error.code ?? '');
      settle({ ...received(), error, wasStale });
    };
    const request = open(message, signal, {
      socket(socket) {
        clock.watch(socket, request.reusedSocket);
        if (request.reusedSocket) clearTimeout(connecting);
        else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
      },
      response(response) {
        answer = response;
        clock.end('firstByteMs');
        let read = 0;
        const keep = (chunk: Buffer): void => {
          if (read < keptBytes) kept.push(chunk);
          read += chunk.length;
          if (read <= READ_BYTES) return;
          settle(received());
          request.destroy();
        };
        response.on('data', guarded(keep, fail));
        // Once the status has arrived it counts, even if the rest of the response fails.
        response.on('error', () => settle(received()));
        response.on('close', () => settle(received()));
      },
      error: fail,
    });
    timers.push(setTimeout(expire(`There was no whole answer within ${answerMs / 1000} s.`), answerMs));
    const connecting = setTimeout(expire(`There was no connection within ${connectMs / 1000} s.`), connectMs);
    timers.push(connecting);
    return promise;
  }

  return {
    async send(message, signal) {
      const begun = performance.now();
      let outcome: Outcome;
      try {
        outcome = await post(message, signal);
        // The receiver closed a kept-alive connection just as it was reused.
        if (outcome.wasStale) outcome = await post(message, signal);
      } catch (error) {
        return failedBefore(error as Error);
      }
      if (signal.aborted && outcome.answer === undefined) return undefined;
      return describe(outcome, Math.round(performance.now() - begun));
    },
    close() {
      plain.destroy();
      secure.destroy();
      unchecked.destroy();
    },
  };
}

/** For failures before anything was sent. */
export function failedBefore(error: Error): Attempt {
  return describe({ answer: undefined, bytes: NO_BYTES, error }, 0);
}

interface ReceivedAnswer {
  answer: IncomingMessage | undefined;
  bytes: Buffer;
  phases?: AttemptPhases;
}

interface Outcome extends ReceivedAnswer {
  timeout?: string;
  error?: Error;
  wasStale?: boolean;
}

const NO_BYTES = Buffer.alloc(0);
const MAX_ERROR = 500;

function describe({ answer, bytes, timeout, error, phases }: Outcome, durationMs: number): Attempt {
  const status = answer?.statusCode ?? null;
  const retryAfterMs = status === 429 || status === 503 ? readRetryAfter(answer) : undefined;
  return {
    status,
    error: status === null ? (timeout ?? sayError(error)) : redirectOf(status, answer),
    durationMs,
    ...(phases && { phases }),
    response: textOf(bytes),
    ...(answer && { responseHeaders: headersOf(answer) }),
    isTimeout: timeout !== undefined,
    isFinal: status === 410 || (status === null && error instanceof Failure),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function sayError(error: NodeJS.ErrnoException | undefined): string {
  // If several addresses all failed, the error has a code and no message.
  return clean(error?.message || error?.code || 'The connection failed.').slice(0, MAX_ERROR);
}

function redirectOf(status: number, answer: IncomingMessage | undefined): string | null {
  if (status < 300 || status > 399) return null;
  const location = answer?.headers.location;
  return clean(`Redirects are not followed${location ? ` (to ${location})` : ''}.`).slice(0, MAX_ERROR);
}

/** Seconds, or a date relative to the receiver's own clock. */
function readRetryAfter(answer: IncomingMessage | undefined): number | undefined {
  const { 'retry-after': text = '', date = '' } = answer?.headers ?? {};
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const wait = Date.parse(text) - Date.parse(date);
  return wait > 0 ? wait : undefined;
}

/** With the names as they were sent. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value] = [clean(rawHeaders[at]!), clean(rawHeaders[at + 1]!)];
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/** Drops a character that the limit cut in two. */
function textOf(bytes: Buffer): string {
  return clean(new TextDecoder().decode(bytes, { stream: true }));
}

/** PostgreSQL stores no zero character. */
function clean(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
