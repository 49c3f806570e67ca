// One route as an operation of an OpenAPI document, in one version of its API.
import type { Api, ApiProtocol } from '../http/protocol.ts';
import { describeErrorsOf } from './errors.ts';
import type { Example } from './examples.ts';
import { refer, type NamedSchemas } from './schemas.ts';
import { parametersOf } from '../http/path-template.ts';
import { isOpen, publicAccess, type RouteShape } from '../http/route.ts';
import type { JsonSchema, TSchema } from '../schema/schema.ts';
import {
  contentTypeBefore,
  isBodyless,
  operationChangesAhead,
  statusBefore,
} from '../http/reply/reply-head.ts';
import { schemaInVersion } from '../versions/schema-version.ts';
import { changesAhead, concerns } from '../versions/version.ts';

/** What the operations of a document have in common. */
export interface Describing {
  api: Api;
  version: string;
  schemas: NamedSchemas;
}

export function describeOperation(shape: RouteShape, describing: Describing, example: Example = {}) {
  const { version, schemas } = describing;
  const { protocol, tags } = describing.api;
  const isAhead = changesAhead(shape, version, protocol.versions).length > 0 || shape.until !== undefined;
  const access = publicAccess(shape);
  const tag = (tags?.get(shape.id) ?? tags?.get(shape.aliasOf ?? ''))?.name;
  const requestBody = describeBody(shape, describing, example);
  const inPath = new Set(parametersOf(shape.path));
  const ofPath = parameters(shape.params, 'path', schemas).filter(({ name }) => inPath.has(name));
  for (const { name } of ofPath) inPath.delete(name);
  return {
    operationId: shape.id,
    ...(tag !== undefined && { tags: [tag] }),
    summary: shape.summary,
    ...(shape.description !== undefined && { description: shape.description }),
    ...(isAhead && { 'x-changes-ahead': true }),
    ...(shape.aliasOf !== undefined && { 'x-alias-of': shape.aliasOf }),
    parameters: [
      ...ofPath,
      // An alias may have more of them than the route.
      ...[...inPath].map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...parameters(shape.query, 'query', schemas),
      ...parameters(shape.headers, 'header', schemas),
    ],
    ...(requestBody && { requestBody }),
    responses: describeReplies(shape, describing, example),
    security: [...(isOpen(shape) ? [{}] : []), ...schemesOf(protocol)],
    ...(typeof access === 'object' && { 'x-permission': access.action }),
  };
}

function schemesOf({ securitySchemes }: ApiProtocol) {
  return Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
}

function parameters(schema: RouteShape['query'], place: 'path' | 'query' | 'header', schemas: NamedSchemas) {
  const { properties = {}, required = [] } = (schema ?? {}) as JsonSchema;
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    // What has a default is there for the handler, whether or not it was sent.
    required: place === 'path' || (required.includes(name) && property.default === undefined),
    ...(description !== undefined && { description }),
    schema: refer(property, schemas),
  }));
}

function describeBody(
  shape: RouteShape,
  { api: { protocol }, version, schemas }: Describing,
  example: Example,
) {
  const { body, consumes } = shape;
  if (body === undefined && consumes === undefined) return undefined;
  const { request } = example;
  const types = Object.entries({
    ...(body && { 'application/json': schemaInVersion(body, version, protocol.versions).schema }),
    ...consumes?.(),
  });
  const content = types.map(([type, schema]) => [
    type,
    {
      schema: refer(schema, schemas),
      ...(request?.type === type && { example: request.body }),
    },
  ]);
  return {
    required: body !== undefined && !shape.bodyIsOptional,
    content: Object.fromEntries(content) as Record<string, unknown>,
  };
}

function describeReplies(shape: RouteShape, describing: Describing, { reply: example }: Example) {
  const { schemas, version } = describing;
  const { protocol } = describing.api;
  const replies: Record<string, unknown> = {};
  const steps = operationChangesAhead(shape, version, protocol.versions);
  for (const [now, schema] of Object.entries(repliesOf(shape, protocol))) {
    const status = statusBefore(Number(now), steps);
    const shown = example?.status === Number(now) ? example : undefined;
    replies[status] =
      schema === null || isBodyless(status)
        ? { description: 'Done; no body.' }
        : { description: shape.summary, content: describeContent(schema, shape, describing, shown) };
  }
  if (protocol.conditional && shape.method === 'GET') replies['304'] = { description: 'Nothing changed.' };
  for (const [status, error] of describeErrorsOf(shape, protocol)) replies[status] ??= error;
  replies['default'] = {
    description: 'The call failed.',
    content: { [protocol.errorType ?? 'application/json']: { schema: refer(protocol.errorSchema, schemas) } },
  };
  return replies;
}

/** By content type. A type that only a change names is one that callers may ask for. */
function describeContent(
  schema: TSchema,
  shape: RouteShape,
  describing: Describing,
  example: Example['reply'],
): Record<string, unknown> {
  const { versions } = describing.api.protocol;
  const steps = operationChangesAhead(shape, describing.version, versions);
  const usual = shape.produces ?? 'application/json';
  const others = (versions.operationChanges ?? [])
    .filter((step) => concerns(step, shape))
    .flatMap(({ contentType }) => (contentType === undefined ? [] : [contentType.now]));
  return {
    ...Object.fromEntries(
      others.map((type) => [contentTypeBefore(type, steps), { schema: { type: 'object' } }]),
    ),
    [contentTypeBefore(usual, steps)]: describeReply(schema, describing, example),
  };
}

/** The newest schemas of the bodies as they are sent. */
function repliesOf({ reply = {}, list, produces }: RouteShape, { wrap, page }: ApiProtocol) {
  const toSent = (schema: TSchema) =>
    wrap === undefined || produces !== undefined ? schema : wrap.schema(schema);
  const replies: Record<string, TSchema | null> = {};
  for (const [status, schema] of Object.entries(reply)) replies[status] = schema && toSent(schema);
  if (list !== undefined) replies['200'] = toSent(page.schema(list));
  return replies;
}

function describeReply(newest: TSchema, { api, version, schemas }: Describing, example: Example['reply']) {
  const { schema, downgrade } = schemaInVersion(newest, version, api.protocol.versions);
  const body = example?.body;
  return {
    schema: refer(schema, schemas),
    ...(body !== undefined && { example: downgrade === undefined ? body : downgrade(body) }),
  };
}
