// The errors in an OpenAPI document: which ones a route can answer, and what each status means.
import type { Dialect } from '../http/protocol.ts';
import type { FailureKind } from '../failure.ts';
import { documentedFailures, FAILURE_DESCRIPTIONS } from './failure-descriptions.ts';
import { refTo } from './schemas.ts';
import { publicAccess, type RouteShape } from '../http/route.ts';
import type { JsonSchema } from '../schema/schema.ts';

/** The kinds of failure that a route has by its shape. */
function failuresOf(shape: RouteShape, { checkHeaders }: Dialect): FailureKind[] {
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
export function describeErrors(dialect: Dialect): Record<string, unknown> {
  const statuses = new Set(documentedFailures(dialect).map((kind) => dialect.status[kind]));
  return Object.fromEntries(
    [...statuses].toSorted((a, b) => a - b).map((status) => [status, describeError(dialect, status)]),
  );
}

function describeError(dialect: Dialect, status: number) {
  const same = documentedFailures(dialect).filter((kind) => dialect.status[kind] === status);
  const schema = refTo((dialect.errorSchema as JsonSchema).$id!);
  return {
    description: same.map((kind) => FAILURE_DESCRIPTIONS[kind]).join(' '),
    content: { 'application/json': { schema } },
  };
}

/** By status, the errors of one route; with their types where the API has them. */
export function describeErrorsOf(shape: RouteShape, dialect: Dialect): Map<number, unknown> {
  const kinds = failuresOf(shape, dialect);
  if (dialect.errorTypesOf === undefined)
    return new Map(
      kinds.map((kind) => [dialect.status[kind], { $ref: `#/components/responses/${dialect.status[kind]}` }]),
    );
  return new Map(
    [...dialect.errorTypesOf(shape, kinds)].map(([status, types]) => [
      status,
      {
        ...describeError(dialect, status),
        'x-error-types': types,
      },
    ]),
  );
}
