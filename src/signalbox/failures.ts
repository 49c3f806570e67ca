// The errors of the Signalbox API: problem documents (RFC 9457), with the id of the call.
import { sentenceOf, type Failure, type FailureKind } from '../kernel/failure.ts';
import type { FurtherError } from '../kernel/http/protocol.ts';
import type { RequestContext } from '../kernel/http/request-context.ts';
import { Type, type Static } from '../kernel/schema/schema.ts';

export const status: Record<FailureKind, number> = {
  malformed: 400,
  invalid: 422,
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
  'over-quota': 403,
  timeout: 408,
  unavailable: 503,
  internal: 500,
};

const TITLES: Record<FailureKind, string> = {
  malformed: 'The request cannot be read',
  invalid: 'The request breaks a rule',
  unauthenticated: 'You are not logged in',
  denied: 'You may not do this',
  forbidden: 'You may not do this',
  'approval-required': 'Others must approve this first',
  'not-found': 'There is no such thing',
  moved: 'It has another address now',
  'no-route': 'There is nothing at this path',
  'wrong-method': 'The method is not allowed here',
  'not-acceptable': 'Nothing that can be sent is accepted',
  conflict: 'Something else came first',
  retired: 'It is gone',
  'bad-patch': 'The change cannot be applied',
  'too-large': 'The request is too large',
  'headers-too-large': 'The headers are too large',
  'unsupported-encoding': 'The encoding is not supported',
  exhausted: 'Too many calls',
  'over-quota': 'There are too many of them',
  timeout: 'It took too long',
  unavailable: 'The server cannot do this now',
  internal: 'The server has a fault',
};

export const FURTHER_PROBLEMS: readonly FurtherError[] = [
  { code: 'wrong-password', kind: 'unauthenticated', cause: 'The name or the password is wrong.' },
  {
    code: 'wrong-code',
    kind: 'unauthenticated',
    cause: 'The code of the authenticator app is wrong, or it was used before: wait for the next one.',
  },
  {
    code: 'login-expired',
    kind: 'unauthenticated',
    cause: 'The second step of the login came too late, or the password was changed meanwhile: begin again.',
  },
];

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Where the kind of problem is explained' }),
    title: Type.String({ description: 'The kind of problem' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'What happened, and what to do' }),
    code: Type.String({ description: 'The kind of problem, for programs' }),
    id: Type.String({ description: 'Unique for the call; quote it when you ask for help' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ description: 'A JSON pointer into the body, or `query.limit`' }),
          detail: Type.String(),
        }),
      ),
    ),
    access: Type.Optional(
      Type.Object(
        { action: Type.String(), resource: Type.String() },
        { description: 'The permission that is missing' },
      ),
    ),
  },
  { $id: 'Problem' },
);

export function renderProblem(
  { kind, message, details }: Failure,
  { id, site }: RequestContext,
): Static<typeof Problem> {
  const code = details.code ?? kind;
  return {
    type: `${site}/docs/signalbox/errors#${code}`,
    title: TITLES[kind],
    status: status[kind],
    detail: sentenceOf(message),
    code,
    id,
    ...(details.fields !== undefined && {
      errors: details.fields.map(({ field, message: detail }) => ({ field, detail })),
    }),
    ...(details.access !== undefined && { access: details.access }),
  };
}
