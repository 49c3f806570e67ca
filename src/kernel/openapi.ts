// OpenAPI 3.1 documents, made from the routes: one for each API and version.
import type { Api, Dialect } from './dialect.ts';
import type { FailureKind } from './failure.ts';
import { FAILURE_DESCRIPTIONS } from './failure-descriptions.ts';
import { isOpen, publicAccess, type Route, type RouteShape } from './route.ts';
import type { JsonSchema, TSchema } from './schema.ts';
import { changesAhead, schemaInVersion, existsIn } from './version.ts';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description?: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: {
    schemas: Record<string, unknown>;
    responses: Record<string, unknown>;
    securitySchemes: Record<string, unknown>;
  };
}

export function describeApi(api: Api, version: string): OpenApiDocument {
  const describing = describeInSteps(api, version);
  let step = describing.next();
  while (!step.done) step = describing.next();
  return step.value;
}

/** Pauses after each route: describing hundreds of them at once would hold the event loop. */
export function* describeInSteps(
  { dialect, routes }: Api,
  version: string,
): Generator<void, OpenApiDocument, void> {
  const schemas = new Map<string, unknown>();
  const paths: OpenApiDocument['paths'] = {};
  for (const { shape } of routes) {
    if (!existsIn(shape, version)) continue;
    const operations = (paths[shape.path] ??= {});
    operations[shape.method.toLowerCase()] = describeRoute(shape, dialect, version, schemas);
    yield;
  }
  return {
    openapi: '3.1.0',
    info: { title: `Signalbox ${dialect.title}`, version },
    servers: dialect.prefixes.map((prefix) => ({ url: prefix === '' ? '/' : prefix })),
    paths: sorted(paths),
    components: {
      schemas: sorted(Object.fromEntries(schemas)),
      responses: describeErrors(dialect),
      securitySchemes: { token: dialect.securityScheme },
    },
  };
}

function describeRoute(shape: RouteShape, dialect: Dialect, version: string, schemas: Map<string, unknown>) {
  const body = shape.body && schemaInVersion(shape.body, version, dialect.versions).schema;
  const isAhead = changesAhead(shape, version, dialect.versions).length > 0 || shape.until !== undefined;
  const access = publicAccess(shape);
  return {
    operationId: shape.id,
    summary: shape.summary,
    ...(shape.description !== undefined && { description: shape.description }),
    ...(isAhead && { 'x-changes-ahead': true }),
    parameters: [...parameters(shape.params, 'path', schemas), ...parameters(shape.query, 'query', schemas)],
    ...((body ?? shape.consumes) && {
      requestBody: {
        required: body !== undefined && !shape.bodyIsOptional,
        content: {
          ...(body && json(lift(body, schemas))),
          ...Object.fromEntries(
            Object.entries(shape.consumes ?? {}).map(([type, schema]) => [
              type,
              { schema: lift(schema, schemas) },
            ]),
          ),
        },
      },
    }),
    responses: describeReplies(shape, dialect, version, schemas),
    security: isOpen(shape) ? [{}, { token: [] }] : [{ token: [] }],
    ...(typeof access === 'object' && { 'x-permission': access.action }),
  };
}

function describeReplies(
  shape: RouteShape,
  dialect: Dialect,
  version: string,
  schemas: Map<string, unknown>,
) {
  const replies: Record<string, unknown> = {};
  const wrap = (schema: TSchema) => (dialect.wrap === undefined ? schema : dialect.wrap.schema(schema));
  for (const [status, schema] of Object.entries(shape.reply ?? {})) {
    replies[status] =
      schema === null
        ? { description: 'Done; no body.' }
        : {
            description: shape.summary,
            content: {
              [shape.produces ?? 'application/json']: {
                schema: lift(
                  shape.produces === undefined
                    ? wrap(schemaInVersion(schema, version, dialect.versions).schema)
                    : schema,
                  schemas,
                ),
              },
            },
          };
  }
  if (shape.list !== undefined) {
    const item = schemaInVersion(shape.list, version, dialect.versions).schema;
    replies['200'] = {
      description: shape.summary,
      content: json(lift(wrap(dialect.page.schema(item)), schemas)),
    };
  }
  if (dialect.conditional && shape.method === 'GET') replies['304'] = { description: 'Nothing changed.' };
  for (const kind of failuresOf(shape)) {
    const status = String(dialect.status[kind]);
    replies[status] ??= { $ref: `#/components/responses/${status}` };
  }
  replies['default'] = {
    description: 'The call failed.',
    content: json(lift(dialect.errorSchema, schemas)),
  };
  return replies;
}

/** How a call of the route can fail, as far as its shape tells. */
function failuresOf(shape: RouteShape): FailureKind[] {
  const { method, path, query, body, consumes, charge } = shape;
  const access = publicAccess(shape);
  const hasBody = body !== undefined || consumes !== undefined;
  const isRead = method === 'GET';
  return [
    ...(hasBody || query !== undefined ? (['malformed', 'invalid'] as const) : []),
    ...(access === 'anyone' ? [] : (['unauthenticated'] as const)),
    ...(typeof access === 'object' ? (['denied', 'forbidden'] as const) : []),
    ...(path.includes('{') ? (['not-found'] as const) : []),
    ...(isRead ? [] : (['conflict'] as const)),
    ...(hasBody ? (['too-large'] as const) : []),
    ...(method === 'PATCH' ? (['bad-patch'] as const) : []),
    ...(charge === 'never' ? [] : (['exhausted'] as const)),
  ];
}

/** By status, what the kinds of failure that have it mean. */
function describeErrors(dialect: Dialect): Record<string, unknown> {
  const kinds = Object.keys(FAILURE_DESCRIPTIONS) as FailureKind[];
  const byStatus = Object.groupBy(kinds, (kind) => dialect.status[kind]);
  const ref = { $ref: `#/components/schemas/${(dialect.errorSchema as JsonSchema).$id}` };
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, same = []]) => [
      status,
      { description: same.map((kind) => FAILURE_DESCRIPTIONS[kind]).join(' '), content: json(ref) },
    ]),
  );
}

function parameters(schema: RouteShape['query'], place: 'path' | 'query', schemas: Map<string, unknown>) {
  const { properties = {}, required = [] } = (schema ?? {}) as JsonSchema;
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: lift(property, schemas),
  }));
}

function json(schema: unknown) {
  return { 'application/json': { schema } };
}

/** Schemas with a name become components, so that a reader sees the same resource as the same thing everywhere. */
function lift(schema: unknown, schemas: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => lift(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as JsonSchema;
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, lift(value, schemas)]));
  if ($id === undefined) return inner;
  schemas.set($id, inner);
  return { $ref: `#/components/schemas/${$id}` };
}

function sorted<Value>(record: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Every route's operation name must be its own. */
export function checkOperationNames(routes: readonly Route[]): void {
  const seen = new Set<string>();
  for (const { shape } of routes) {
    if (seen.has(shape.id)) throw new Error(`Two routes are called ${shape.id}`);
    seen.add(shape.id);
  }
}
