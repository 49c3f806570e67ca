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

/** What a caller does about it. */
export const FAILURE_CURES: Record<FailureKind, string> = {
  malformed: 'Send valid JSON with the content type of the call.',
  invalid: 'Mend the field that the message names.',
  unauthenticated: 'Send an access token that is not expired or revoked.',
  denied: 'Ask an administrator for the permission, or use another token.',
  forbidden: 'Ask somebody who may see it to share it.',
  'approval-required': 'Request an approval, and apply it once it is given.',
  'not-found': 'Look at the names in the path: they may be gone, or not for this caller.',
  moved: 'Call the address in the header Location.',
  'no-route': 'Compare the path with this page.',
  'wrong-method': 'Use a verb of the header Allow.',
  'not-acceptable': 'Ask for a type that this page names, or for any.',
  conflict: 'Read it again, and apply the change to what is there now.',
  retired: 'Look at the versions for what took its place.',
  'bad-patch': 'Compare the patch with the forms of the body on this page.',
  'too-large': 'Send less at once, or in parts.',
  'headers-too-large': 'Send fewer or shorter headers, or move parameters into the body.',
  'unsupported-encoding': 'Send it plain, or with gzip, deflate or br.',
  exhausted: 'Wait as long as the header Retry-After says.',
  'over-quota': 'Remove what is not needed, or have the limit raised.',
  timeout: 'Send it again; a slow body is given up.',
  unavailable: 'Send it again later.',
  internal: 'Send it again, and report it with the id of the call.',
};

/** One error of a route as people read it. */
export interface DescribedError {
  status: number;
  /** Of the first of its causes in the catalogue of errors. */
  anchor: string;
  cause: string;
  cure: string;
  /** Where the API has types of errors. */
  types: readonly string[];
}

export function errorsOf(shape: RouteShape, protocol: ApiProtocol): DescribedError[] {
  const kinds = failuresOf(shape, protocol);
  const types = protocol.errorTypesOf?.(shape, kinds);
  const byStatus = Map.groupBy(kinds, (kind) => protocol.status[kind]);
  return [...byStatus]
    .toSorted(([one], [other]) => one - other)
    .map(([status, same]) => ({
      status,
      anchor: codeOf(protocol, same[0]!),
      cause: same.map((kind) => FAILURE_DESCRIPTIONS[kind]).join(' '),
      cure: same.map((kind) => FAILURE_CURES[kind]).join(' '),
      types: types?.get(status) ?? [],
    }));
}

/** As errors of the API have it where they have no other. */
export function codeOf({ errorCodes }: Pick<ApiProtocol, 'errorCodes'>, kind: FailureKind): string {
  return errorCodes?.[kind] ?? kind;
}

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
