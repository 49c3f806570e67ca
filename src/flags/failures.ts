// Renders errors of the flag service: `{code, message, id}`, where the id is that of the call.
import type { RequestContext } from '../kernel/http/request-context.ts';
import type { FurtherError } from '../kernel/http/protocol.ts';
import { sentenceOf, type Failure, type FailureKind } from '../kernel/failure.ts';
import { Type } from '../kernel/schema/schema.ts';
import { BYPASS_SEGMENT } from './policy/policy-rules.ts';

/** A missing permission is 401; no access to the resource at all is 403. */
export const status: Record<FailureKind, number> = {
  malformed: 400,
  invalid: 400,
  unauthenticated: 401,
  denied: 401,
  forbidden: 403,
  'approval-required': 405,
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
  'unsupported-encoding': 400,
  exhausted: 429,
  'over-quota': 402,
  timeout: 408,
  unavailable: 503,
  internal: 500,
};

export const FLAGS_ERROR_CODES: Record<FailureKind, string> = {
  malformed: 'invalid_request',
  invalid: 'invalid_request',
  unauthenticated: 'unauthorized',
  denied: 'unauthorized',
  forbidden: 'forbidden',
  'approval-required': 'method_not_allowed',
  'not-found': 'not_found',
  moved: 'not_found',
  'no-route': 'not_found',
  'wrong-method': 'method_not_allowed',
  'not-acceptable': 'not_acceptable',
  conflict: 'optimistic_locking_error',
  retired: 'gone',
  'bad-patch': 'patch_failed',
  'too-large': 'request_too_large',
  'headers-too-large': 'headers_too_large',
  'unsupported-encoding': 'invalid_request',
  exhausted: 'rate_limited',
  'over-quota': 'quota_exceeded',
  timeout: 'request_timeout',
  unavailable: 'service_unavailable',
  internal: 'internal_error',
};

export const FURTHER_FLAGS_ERRORS: readonly FurtherError[] = [
  {
    code: 'key_exists',
    kind: 'conflict',
    cause: 'The key is taken by another project, segment, team, role or link.',
  },
  {
    code: 'conflict',
    kind: 'conflict',
    cause: 'Flags that have it as a prerequisite keep the flag from being archived.',
  },
];

export const FlagsError = Type.Object(
  {
    code: Type.String({ description: 'The general class of the error' }),
    message: Type.String(),
    id: Type.String({ description: 'Unique for the call; quote it when you ask for help' }),
  },
  { $id: 'Error' },
);

/** A segment change that needs approval has the status and code of `forbidden`, unlike a flag change. */
function shownKind({ kind, details }: Failure): FailureKind {
  return kind === 'approval-required' && details.access?.action === BYPASS_SEGMENT ? 'forbidden' : kind;
}

export function statusOf(failure: Failure): number {
  return status[shownKind(failure)];
}

export function renderError(failure: Failure, { id }: RequestContext): unknown {
  const { message, details } = failure;
  const { code, access, data } = details;
  return {
    code: code ?? FLAGS_ERROR_CODES[shownKind(failure)],
    message: sentenceOf(message),
    id,
    // Clients read the invalid addresses of an invitation. Other data is internal.
    ...(data?.['invalid_emails'] !== undefined && { invalid_emails: data['invalid_emails'] }),
    ...(access !== undefined && { access, reason: { effect: 'deny' } }),
  };
}
