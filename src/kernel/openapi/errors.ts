// The errors in an OpenAPI document: which ones a route can answer, and what each status means.
import type { ApiProtocol } from '../http/protocol.ts';
import type { FailureKind } from '../failure.ts';
import { documentedFailures, FAILURE_DESCRIPTIONS } from './failure-descriptions.ts';
import { refTo } from './schemas.ts';
import { publicAccess, type RouteShape } from '../http/route.ts';
import type { JsonSchema } from '../schema/schema.ts';

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
    content: { 'application/json': { schema } },
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
