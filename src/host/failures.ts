// The error replies of the host: statuses, and bodies with message, documentation_url and status.
import type { CallFacts } from '../kernel/dialect.ts';
import { locationOf, type Failure, type FailureKind } from '../kernel/failure.ts';
import { Type } from '../kernel/schema.ts';
import { SECONDARY } from './rate-limit/secondary.ts';

/** A wrong verb is 404 here, never 405. A spent budget is 403 by default, the status that every client family recognises. */
export const status: Record<FailureKind, number> = {
  malformed: 400,
  invalid: 422,
  unauthenticated: 401,
  denied: 403,
  forbidden: 403,
  'approval-required': 403,
  'not-found': 404,
  moved: 301,
  'no-route': 404,
  'wrong-method': 404,
  'not-acceptable': 415,
  conflict: 409,
  retired: 410,
  'bad-patch': 422,
  'too-large': 413,
  'headers-too-large': 431,
  'unsupported-encoding': 415,
  exhausted: 403,
  'over-quota': 402,
  timeout: 408,
  unavailable: 503,
  internal: 500,
};

/** 307 makes a client repeat a change with its method and body at the new address. */
export function hostStatusOf({ kind }: Failure, { method, exceededStatus }: CallFacts): number {
  if (kind === 'exhausted') return exceededStatus ?? status.exhausted;
  return kind === 'moved' && method !== 'GET' && method !== 'HEAD' ? 307 : status[kind];
}

export const HostError = Type.Object(
  {
    message: Type.String(),
    documentation_url: Type.String(),
    status: Type.String(),
    url: Type.Optional(Type.String()),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          resource: Type.Optional(Type.String()),
          field: Type.Optional(Type.String()),
          code: Type.String(),
          message: Type.Optional(Type.String()),
        }),
      ),
    ),
  },
  { $id: 'basic-error' },
);

/** The section of the documentation that explains each kind of failure. */
const PAGES: Partial<Record<FailureKind, string>> = {
  exhausted: '#rate-limits',
  'over-quota': '#rate-limits',
  unauthenticated: '#authentication',
  denied: '#authentication',
  retired: '#versions',
  malformed: '#requests',
  'headers-too-large': '#requests',
  'not-acceptable': '#requests',
};

/** Clients compare some of these messages exactly. */
const MESSAGES: Partial<Record<FailureKind, string>> = {
  'not-found': 'Not Found',
  moved: 'Moved Permanently',
  'no-route': 'Not Found',
  'wrong-method': 'Not Found',
};

export function renderError(failure: Failure, facts: CallFacts): unknown {
  const { details } = failure;
  const { base, shape, headers } = facts;
  const url = locationOf(failure, base);
  return {
    message: messageOf(failure, headers.authorization !== undefined),
    ...(details.fields !== undefined && {
      errors: details.fields.map(({ field, message }) => ({
        resource: shape?.id.split('/')[0] ?? 'request',
        ...(field !== '' && { field }),
        code: message === 'is required' ? 'missing_field' : (details.code ?? 'invalid'),
        message: `${field} ${message}`.trim(),
      })),
    }),
    ...(url !== undefined && { url }),
    documentation_url: `${new URL(base).origin}/docs/host${pageOf(failure)}`,
    status: String(hostStatusOf(failure, facts)),
  };
}

/** Some clients recognise an exceeded secondary limit by the end of this address. */
function pageOf({ kind, details }: Failure): string {
  return kind === 'exhausted' && details.code === SECONDARY ? '#secondary-rate-limits' : (PAGES[kind] ?? '');
}

function messageOf({ kind, message, details }: Failure, hasCredential: boolean): string {
  if (kind === 'unauthenticated' && details.code === undefined)
    return hasCredential ? 'Bad credentials' : 'Requires authentication';
  if (kind === 'invalid' && details.fields !== undefined) return 'Validation Failed';
  if (details.part === 'json') return 'Problems parsing JSON';
  return (details.code === undefined ? MESSAGES[kind] : undefined) ?? message;
}
