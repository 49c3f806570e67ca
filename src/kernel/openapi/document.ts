// OpenAPI 3.1 documents, made from the routes: one for each API and version, then kept as bytes with an ETag.
import type { Api, ApiProtocol } from '../http/protocol.ts';
import { describeErrors } from './errors.ts';
import { type Examples, readExamples } from './examples.ts';
import { describeOperation } from './operation.ts';
import type { NamedSchemas } from './schemas.ts';
import { describedPath, describedShapes } from '../http/path-template.ts';
import type { Tag } from '../http/module.ts';
import { existsIn } from '../versions/version.ts';
import { etagOf, type StoredBytes } from '../http/reply/etag.ts';
import { stringifyLarge } from '../json/stringify.ts';
import { memoizeAsync } from '../collections/memoize-async.ts';
import type { Limits } from '../limits/limits.ts';

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
function* describeInSteps(
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

/** About ten milliseconds of work on a slow machine. */
const ROUTES_AT_ONCE = 8;

const documents = new WeakMap<Api, Map<string, () => Promise<StoredBytes>>>();

/** Calls that come while a document is being made wait for the same one. */
export function openApiBytes(api: Api, version: string): Promise<StoredBytes> {
  let versions = documents.get(api);
  if (versions === undefined) documents.set(api, (versions = new Map()));
  let document = versions.get(version);
  if (document === undefined)
    versions.set(version, (document = memoizeAsync(() => makeDocument(api, version))));
  return document();
}

async function makeDocument(api: Api, version: string): Promise<StoredBytes> {
  const describing = describeInSteps(api, version, await readExamples(api.protocol.name));
  for (let count = 1; ; count += 1) {
    const step = describing.next();
    if (step.done) {
      const bytes = await stringifyLarge(step.value);
      return { bytes, etag: etagOf(bytes) };
    }
    if (count % ROUTES_AT_ONCE === 0) await new Promise(setImmediate);
  }
}

const servedApis = new WeakMap<Api, Map<number, Api>>();

/** The same object for the same status, so that documents are made once. */
export function servedApi(api: Api, { exceededStatus }: Pick<Limits, 'exceededStatus'>): Api {
  const { protocol } = api;
  if (protocol.limits.hasChosenStatus !== true || exceededStatus === undefined) return api;
  if (exceededStatus === protocol.status.exhausted) return api;
  let served = servedApis.get(api);
  if (served === undefined) servedApis.set(api, (served = new Map()));
  let chosen = served.get(exceededStatus);
  if (chosen === undefined) {
    const status = { ...protocol.status, exhausted: exceededStatus };
    served.set(exceededStatus, (chosen = { ...api, protocol: { ...protocol, status } }));
  }
  return chosen;
}
