// Which routes of the host warn of a newer version: all of them are called, and compared with what the descriptions say.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hostApi } from '../../../../src/host/api.ts';
import { describeApi, type OpenApiDocument } from '../../../../src/kernel/openapi/document.ts';
import { describedPath, fillPath, parametersOf } from '../../../../src/kernel/http/path-template.ts';
import type { RouteShape } from '../../../../src/kernel/http/route.ts';
import { startServer, type TestServer } from '../../../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const WARNINGS = ['deprecation', 'sunset', 'link'];

let server: TestServer;
before(async () => (server = await startServer({ limits: 'off' })));
after(() => server.stop());

const documents = new Map([OLD, NEW].map((version) => [version, describeApi(hostApi, version, {})]));

/** Everything that a document says of an operation, with the schemas that it refers to; undefined where it has no such. */
function descriptionOf({ paths, components }: OpenApiDocument, { method, path }: RouteShape) {
  const operation = paths[describedPath(path)]?.[method.toLowerCase()];
  if (operation === undefined) return undefined;
  const { 'x-changes-ahead': _mark, ...rest } = operation as Record<string, unknown>;
  const schemas = new Map<string, unknown>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const name = key === '$ref' ? (inner as string).split('/schemas/')[1] : undefined;
      if (name === undefined) collect(inner);
      else if (!schemas.has(name)) {
        schemas.set(name, components.schemas[name]);
        collect(components.schemas[name]);
      }
    }
  };
  collect(rest);
  return JSON.stringify([rest, [...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

function isChanged(shape: RouteShape): boolean {
  const [old, fresh] = [OLD, NEW].map((version) => descriptionOf(documents.get(version)!, shape));
  return old !== fresh;
}

async function warningsOf(shape: RouteShape, version: string | undefined): Promise<string[]> {
  const params = Object.fromEntries(parametersOf(shape.path).map((name) => [name, '1']));
  const { headers } = await server.call(fillPath(shape.path, params), {
    method: shape.method,
    headers: version === undefined ? {} : { 'x-host-api-version': version },
    token: null,
  });
  return WARNINGS.filter(
    (name) => name !== 'link' || /rel="deprecation"/.test(headers.get(name) ?? ''),
  ).filter((name) => headers.has(name));
}

test('H7 a route warns in the old version if its description changes, and never in the new one', async () => {
  let changed = 0;
  for (const { shape } of hostApi.routes) {
    const isWarning = isChanged(shape);
    if (isWarning) changed += 1;
    assert.deepEqual(await warningsOf(shape, OLD), isWarning ? WARNINGS : [], `${shape.id} in ${OLD}`);
    assert.deepEqual(await warningsOf(shape, NEW), [], `${shape.id} in ${NEW}`);
    // A call without a version goes on with the next one: only an operation that goes is removed for it.
    const unnamed = isWarning ? (shape.until === undefined ? ['link'] : WARNINGS) : [];
    assert.deepEqual(await warningsOf(shape, undefined), unnamed, `${shape.id} without a version`);
  }
  assert.ok(changed > 20 && changed < hostApi.routes.length, String(changed));
});

test('H9 what a newer version only adds is there in the old one too', () => {
  for (const { shape } of hostApi.routes) assert.equal(shape.since, undefined, shape.id);
});

test('H7 caches keep replies of each version and media type apart', async () => {
  for (const path of ['/', '/rate_limit', '/user/emails', '/nothing']) {
    const { headers } = await server.call(path);
    const vary = headers.get('vary')!.toLowerCase();
    for (const name of ['x-host-api-version', 'x-github-api-version', 'accept', 'authorization'])
      assert.ok(vary.split(', ').includes(name), `${name} of ${path}`);
  }
});
