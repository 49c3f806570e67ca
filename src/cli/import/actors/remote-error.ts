// The error of a call to another server: what it answered, or how the connection was lost, and whether and when the call is repeated.
import type { IncomingMessage } from 'node:http';

const MAX_MESSAGE = 500;

interface ErrorBody {
  error?: { type?: string; message?: string };
}

export class RemoteError extends Error {
  /** 0 when there was no answer. */
  readonly status: number;
  /** `error.type` of the answer, or the code of the network error. */
  readonly type: string;
  readonly retryAfterMs: number | undefined;
  /** Whether the call was certainly not executed. */
  readonly isUnsent: boolean;

  constructor(
    message: string,
    { status = 0, type = '', retryAfterMs, isUnsent = false, cause }: RemoteErrorDetails = {},
  ) {
    super(message, { cause });
    this.name = 'RemoteError';
    this.status = status;
    this.type = type;
    this.retryAfterMs = retryAfterMs;
    this.isUnsent = isUnsent;
  }

  /** Reads the rest of the answer. */
  static async from(
    answer: IncomingMessage,
    { method = 'GET', path }: { method?: string; path: string },
  ): Promise<RemoteError> {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of answer as AsyncIterable<Uint8Array>) chunks.push(chunk);
    } catch {
      // The status alone is enough.
    }
    const { statusCode: status = 0, headers } = answer;
    const { type = '', message = '' } = parseError(Buffer.concat(chunks).toString('utf8'));
    const words =
      message === ''
        ? `answered ${status} to ${method} /v2${path}.`
        : endSentence(message.slice(0, MAX_MESSAGE));
    const seconds = Number(headers['retry-after']);
    return new RemoteError(words, {
      status,
      type,
      // Both are answered before anything is executed.
      isUnsent: status === 429 || status === 503,
      ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1000 }),
    });
  }

  static lost(target: URL, error: NodeJS.ErrnoException): RemoteError {
    const { code = '' } = error;
    // If several addresses failed, the error has a code and no message.
    const words = error.message || code || 'the connection failed';
    return new RemoteError(`${target.host} cannot be reached: ${words}.`, {
      type: code,
      isUnsent: code === 'ECONNREFUSED' || code === 'ENOTFOUND',
      cause: error,
    });
  }

  static broken(error: unknown): RemoteError {
    return new RemoteError('The connection was closed too early.', { cause: error });
  }
}

interface RemoteErrorDetails {
  status?: number;
  type?: string;
  retryAfterMs?: number;
  isUnsent?: boolean;
  cause?: unknown;
}

function parseError(text: string): { type?: string; message?: string } {
  try {
    return (JSON.parse(text) as ErrorBody).error ?? {};
  } catch {
    return {};
  }
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const MAX_RETRIES = 8;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 60_000;

/** A call that must not be executed twice is repeated only if it was certainly not executed. */
export function isRetryable(error: unknown, isRepeatable = true): boolean {
  if (!(error instanceof RemoteError)) return false;
  const isTemporary = error.status === 0 || error.status === 429 || error.status >= 500;
  return isTemporary && (isRepeatable || error.isUnsent);
}

/** The wait before the next try; undefined when there have been enough. */
export function waitOf(attempt: number, error: unknown, random: () => number): number | undefined {
  if (attempt >= MAX_RETRIES) return undefined;
  const asked = error instanceof RemoteError ? error.retryAfterMs : undefined;
  if (asked !== undefined) return Math.min(Math.max(asked, FIRST_WAIT_MS), MAX_WAIT_MS);
  const longest = Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS);
  // Half of it is random, so that several clients do not come again at the same moment.
  return longest / 2 + (random() * longest) / 2;
}
