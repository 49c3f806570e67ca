// The error replies of the platform: statuses, and bodies with a type and a message under `error`.
import { Failure, sentenceOf, type FailureDetails, type FailureKind } from '../kernel/failure.ts';
import { Type } from '../kernel/schema/schema.ts';

export const status: Record<FailureKind, number> = {
  malformed: 400,
  invalid: 400,
  unauthenticated: 401,
  denied: 403,
  forbidden: 403,
  'approval-required': 403,
  'not-found': 404,
  moved: 404,
  'no-route': 404,
  'wrong-method': 405,
  'not-acceptable': 406,
  conflict: 409,
  retired: 410,
  'bad-patch': 422,
  'too-large': 413,
  'headers-too-large': 431,
  'unsupported-encoding': 415,
  exhausted: 429,
  'over-quota': 402,
  timeout: 408,
  unavailable: 503,
  internal: 500,
};

/** Of codes whose status is not that of their kind: a proxy answers them. */
const STATUS_OF_CODES: Record<string, number> = {
  'web-server-not-available': 502,
  'web-server-timed-out': 504,
};

export function statusOfFailure({ kind, details: { code } }: Failure): number {
  return statusOfCode(code ?? '') ?? status[kind];
}

/** Undefined where the kind decides. */
export function statusOfCode(code: string): number | undefined {
  return STATUS_OF_CODES[code];
}

/** The error type of each kind of failure that has no code of its own. */
export const TYPE_OF_KINDS: Record<FailureKind, string> = {
  malformed: 'invalid-input',
  invalid: 'invalid-input',
  unauthenticated: 'invalid-token',
  denied: 'insufficient-permissions',
  forbidden: 'insufficient-permissions',
  'approval-required': 'insufficient-permissions',
  'not-found': 'record-not-found',
  moved: 'record-not-found',
  'no-route': 'page-not-found',
  'wrong-method': 'method-not-allowed',
  'not-acceptable': 'invalid-header',
  conflict: 'concurrent-update-detected',
  retired: 'record-not-found',
  'bad-patch': 'invalid-input',
  'too-large': 'request-too-large',
  'headers-too-large': 'invalid-header',
  'unsupported-encoding': 'unsupported-content-encoding',
  exhausted: 'rate-limit-exceeded',
  'over-quota': 'limit-reached',
  timeout: 'operation-timed-out',
  unavailable: 'internal-server-error',
  internal: 'internal-server-error',
};

export const TOKEN_HEADER = 'Authorization: Bearer <token>';

export const ActorsError = Type.Object(
  {
    error: Type.Object({ type: Type.String(), message: Type.String(), data: Type.Optional(Type.Unknown()) }),
  },
  { $id: 'ErrorResponse' },
);

export function renderError({ kind, message, details }: Failure): unknown {
  const { code, part, data } = details;
  const type = code ?? (part === undefined ? TYPE_OF_KINDS[kind] : PARTS[part]);
  return { error: { type, message: sentenceOf(message), ...(data !== undefined && { data }) } };
}

/** The error type by the part of the request that is malformed. */
const PARTS: Record<NonNullable<FailureDetails['part']>, string> = {
  request: 'invalid-request',
  'content-type': 'invalid-content-type-header',
  json: 'invalid-input',
};

/** An account has as many of a resource as it may have. */
export function tooMany(things: string, limit: number, code: string): Failure {
  return new Failure(
    'forbidden',
    `You have ${limit} ${things}, and more are not allowed: delete one first.`,
    { code },
  );
}
