// The errors in the documentation: what each kind of failure and each status means, and which ones a route can answer.
import type { ApiProtocol } from '../http/protocol.ts';
import type { FailureKind } from '../failure.ts';
import { refTo } from './schemas.ts';
import { publicAccess, type RouteShape } from '../http/route.ts';
import type { JsonSchema } from '../schema/schema.ts';

export const FAILURE_DESCRIPTIONS: Record<FailureKind, string> = {
  malformed: 'The request cannot be read: bad JSON, a wrong content type, a bad header.',
  invalid: 'The request breaks the schema or a rule; the message names the field.',
  unauthenticated: 'There is no credential, or it is not good (any more).',
  denied: "The caller's role lacks the permission.",
  forbidden: 'The caller has no access to this resource.',
  'approval-required': 'Others must approve the change before it is made.',
  'not-found': 'What is named does not exist.',
  moved: 'What is named has another address now, which the header Location has.',
  'no-route': 'There is nothing at this path.',
  'wrong-method': 'The path does not know this verb.',
  'not-acceptable': 'Nothing that can be sent is in the Accept header.',
  conflict: 'Somebody else changed it first, or the name is taken. Read it again and retry.',
  retired: 'It has been retired.',
  'bad-patch': 'The update cannot be understood or applied.',
  'too-large': 'The body is larger than the limit.',
  'headers-too-large': 'The request line and the headers are larger than the limit.',
  'unsupported-encoding': 'The Content-Encoding is not known.',
  exhausted: 'A rate limit is spent. Retry when the window resets.',
  'over-quota': 'The account has or uses as much as it may.',
  timeout: 'The request took too long.',
  unavailable: 'Storage is away or full. The same call may succeed later.',
  internal: 'A mistake of ours. Quote the id of the call.',
};

/** Without `moved` where the API has no redirects. */
export function documentedFailures({ status }: { status: Record<FailureKind, number> }): FailureKind[] {
  const kinds = Object.keys(FAILURE_DESCRIPTIONS) as FailureKind[];
  return kinds.filter((kind) => kind !== 'moved' || status.moved < 400);
}

/** The kinds of failure that a route has by its shape. */
function failuresOf(shape: RouteShape, { checkHeaders }: ApiProtocol): FailureKind[] {
  const { method, path, query, body, consumes, charge } = shape;
  const access = publicAccess(shape);
  const hasBody = body !== undefined || consumes !== undefined;
  return [
    ...(hasBody || query !== undefined ? (['malformed', 'invalid'] as const) : []),
    ...(access === 'anyone' ? [] : (['unauthenticated'] as const)),
    ...(typeof access === 'object' ? (['denied', 'forbidden'] as const) : []),
    ...(path.includes('{') ? (['not-found'] as const) : []),
    ...(method === 'GET' ? [] : (['conflict'] as const)),
    ...(hasBody ? (['too-large', 'unsupported-encoding'] as const) : []),
    ...(checkHeaders === undefined ? [] : (['not-acceptable'] as const)),
    ...(method === 'PATCH' ? (['bad-patch'] as const) : []),
    ...(charge === 'never' ? [] : (['exhausted'] as const)),
  ];
}

/** By status, what the kinds of failure that have it mean. */
export function describeErrors(protocol: ApiProtocol): Record<string, unknown> {
  const statuses = new Set(documentedFailures(protocol).map((kind) => protocol.status[kind]));
  return Object.fromEntries(
    [...statuses].toSorted((a, b) => a - b).map((status) => [status, describeError(protocol, status)]),
  );
}

function describeError(protocol: ApiProtocol, status: number) {
  const same = documentedFailures(protocol).filter((kind) => protocol.status[kind] === status);
  const schema = refTo((protocol.errorSchema as JsonSchema).$id!);
  return {
    description: same.map((kind) => FAILURE_DESCRIPTIONS[kind]).join(' '),
    content: { [protocol.errorType ?? 'application/json']: { schema } },
  };
}

/** By status, the errors of one route; with their types where the API has them. */
export function describeErrorsOf(shape: RouteShape, protocol: ApiProtocol): Map<number, unknown> {
  const kinds = failuresOf(shape, protocol);
  if (protocol.errorTypesOf === undefined)
    return new Map(
      kinds.map((kind) => [
        protocol.status[kind],
        { $ref: `#/components/responses/${protocol.status[kind]}` },
      ]),
    );
  return new Map(
    [...protocol.errorTypesOf(shape, kinds)].map(([status, types]) => [
      status,
      {
        ...describeError(protocol, status),
        'x-error-types': types,
      },
    ]),
  );
}
