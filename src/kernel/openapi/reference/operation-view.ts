// An operation as its part of a reference page shows it: the same facts for the page and for its Markdown.
import type { Api } from '../../http/protocol.ts';
import { describedPath } from '../../http/path-template.ts';
import { publicAccess, type RouteShape } from '../../http/route.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import type { Limits } from '../../limits/limits.ts';
import { changesAhead } from '../../versions/version.ts';
import { errorsOf, type DescribedError } from '../errors.ts';
import type { Example } from '../examples.ts';
import { describeOperation } from '../operation.ts';
import type { NamedSchemas } from '../schemas.ts';
import { fieldsOf, typeOf, type FieldRow } from './fields.ts';
import { sampleCall, type SampleCall } from './samples.ts';

export interface OperationView {
  id: string;
  method: string;
  path: string;
  summary: string;
  description?: string;
  /** In words: who may call. */
  permission: string;
  /** The budget that a call is counted against. */
  limit?: string;
  since?: string;
  isChangedLater: boolean;
  parameters: (FieldRow & { in: string })[];
  bodies: { type: string; kind: string; fields: FieldRow[] }[];
  replies: { status: string; description: string; kind?: string; fields: FieldRow[]; example?: unknown }[];
  errors: DescribedError[];
  sample: SampleCall;
  /** By the official client. */
  clientSample?: { client: string; text: string };
  /** The actions that a token for the call needs at most; empty where any token is good. */
  actions: string[];
}

export interface ViewContext {
  api: Api;
  version: string;
  publicUrl: string;
  limits: Limits;
}

interface Described {
  parameters: { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<
    string,
    { description?: string; content?: Record<string, { schema: JsonSchema; example?: unknown }> }
  >;
}

export function viewOperation(shape: RouteShape, context: ViewContext, example: Example = {}): OperationView {
  const { api, version } = context;
  const { protocol } = api;
  const schemas: NamedSchemas = new Map();
  const described = describeOperation(shape, { api, version, schemas }, example) as unknown as Described;
  const limit = limitOf(shape, context);
  const sample = sampleCall(shape, protocol, context, example);
  const clientSample = clientSampleOf(shape, api, sample);
  return {
    id: shape.id,
    method: shape.method,
    path: `${protocol.prefixes[0]}${describedPath(shape.path)}`,
    summary: shape.summary,
    ...(shape.description !== undefined && { description: shape.description }),
    permission: permissionOf(shape),
    ...(limit !== undefined && { limit }),
    ...(shape.since !== undefined && { since: shape.since }),
    isChangedLater: changesAhead(shape, version, protocol.versions).length > 0,
    parameters: described.parameters.map(({ name, in: place, required, description, schema }) => ({
      name,
      in: place,
      type: typeOf(schema, schemas),
      isRequired: required,
      ...(description !== undefined && { description }),
      fields: [],
    })),
    bodies: Object.entries(described.requestBody?.content ?? {}).map(([type, { schema }]) => ({
      type,
      kind: typeOf(schema, schemas),
      fields: fieldsOf(schema, schemas),
    })),
    replies: Object.entries(described.responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, { description = '', content = {} }]) => {
        const [json] = Object.values(content);
        return {
          status,
          description,
          ...(json !== undefined && { kind: typeOf(json.schema, schemas) }),
          fields: json === undefined ? [] : fieldsOf(json.schema, schemas),
          ...(json?.example !== undefined && { example: json.example }),
        };
      }),
    errors: errorsOf(shape, protocol),
    sample,
    ...(clientSample !== undefined && { clientSample }),
    actions: actionsOf(shape),
  };
}

function clientSampleOf(shape: RouteShape, api: Api, sample: SampleCall): OperationView['clientSample'] {
  const { client } = api.protocol;
  const { id, method, path } = shape;
  const resource = api.tags?.get(id)?.name ?? '';
  const text = client?.write({ id, method, path, resource }, sample);
  return client === undefined || text === undefined ? undefined : { client: client.name, text };
}

function actionsOf({ access }: RouteShape): string[] {
  return typeof access === 'object' ? [access.action, ...(access.others ?? [])] : [];
}

function permissionOf(shape: RouteShape): string {
  const access = publicAccess(shape);
  if (typeof access === 'object') return access.action;
  return access === 'anyone' ? 'anyone' : 'any token';
}

function limitOf(shape: RouteShape, { api: { protocol }, limits }: ViewContext): string | undefined {
  if (!limits.enabled || shape.charge === 'never') return undefined;
  const [category] = protocol.limits.categoriesOf(shape);
  const quota = category === undefined ? undefined : limits.quotas[`${protocol.name}.${category}`];
  if (category === undefined || quota === undefined) return undefined;
  return `${category}: ${quota.known.toLocaleString('en')} calls in ${quota.seconds.toLocaleString('en')} s`;
}
