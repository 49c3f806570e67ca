// OpenAPI 3.1 documents, made from the routes: one for each API and version.
import type { Api, ApiProtocol } from '../http/protocol.ts';
import { describeErrors } from './errors.ts';
import type { Examples } from './examples.ts';
import { describeOperation } from './operation.ts';
import type { NamedSchemas } from './schemas.ts';
import { describedPath } from '../http/path-template.ts';
import type { Tag } from '../http/module.ts';
import { describedShapes } from '../http/route.ts';
import { existsIn } from '../versions/version.ts';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  servers: { url: string; description: string }[];
  tags: Tag[];
  paths: Record<string, Record<string, unknown>>;
  components: {
    schemas: Record<string, unknown>;
    responses: Record<string, unknown>;
    securitySchemes: ApiProtocol['securitySchemes'];
  };
}

export function describeApi(api: Api, version: string, examples: Examples): OpenApiDocument {
  const describing = describeInSteps(api, version, examples);
  let step = describing.next();
  while (!step.done) step = describing.next();
  return step.value;
}

/** Pauses after each route: describing hundreds of them at once would hold the event loop. */
export function* describeInSteps(
  api: Api,
  version: string,
  examples: Examples,
): Generator<void, OpenApiDocument, void> {
  const { protocol, routes, tags } = api;
  const schemas: NamedSchemas = new Map();
  const paths: OpenApiDocument['paths'] = {};
  for (const shape of routes.flatMap((one) => describedShapes(one.shape))) {
    if (!existsIn(shape, version)) continue;
    const operations = (paths[describedPath(shape.path)] ??= {});
    const operation = describeOperation(shape, { api, version, schemas }, examples[shape.id]);
    operations[shape.method.toLowerCase()] = operation;
    yield;
  }
  return {
    openapi: '3.1.0',
    info: { title: `Signalbox ${protocol.title}`, version, description: protocol.description },
    servers: protocol.prefixes.map((prefix) => ({
      url: prefix === '' ? '/' : prefix,
      description: 'Below the address of the server that this document comes from',
    })),
    tags: [...new Set(tags?.values())],
    paths: sorted(paths),
    components: {
      schemas: sorted(Object.fromEntries(schemas)),
      responses: describeErrors(protocol),
      securitySchemes: protocol.securitySchemes,
    },
  };
}

function sorted<Value>(record: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
