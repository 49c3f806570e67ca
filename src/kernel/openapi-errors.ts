// The errors in an OpenAPI document: which ones a route can answer, and what each status means.
import type { Dialect } from './dialect.ts';
import type { FailureKind } from './failure.ts';
import { documentedFailures, FAILURE_DESCRIPTIONS } from './failure-descriptions.ts';
import { refTo } from './openapi-schemas.ts';
import { publicAccess, type RouteShape } from './route.ts';
import type { JsonSchema } from './schema.ts';

/** The statuses of the errors that a call of the route can be answered with, as far as its shape tells. */
export function errorStatuses(shape: RouteShape, dialect: Dialect): Set<number> {
  return new Set(failuresOf(shape, dialect).map((kind) => dialect.status[kind]));
}

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
  const kinds = documentedFailures(dialect);
  const byStatus = Object.groupBy(kinds, (kind) => dialect.status[kind]);
  const schema = refTo((dialect.errorSchema as JsonSchema).$id!);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, same = []]) => [
      status,
      {
        description: same.map((kind) => FAILURE_DESCRIPTIONS[kind]).join(' '),
        content: { 'application/json': { schema } },
      },
    ]),
  );
}
