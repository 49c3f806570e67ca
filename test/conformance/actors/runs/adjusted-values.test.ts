// Values that are too large or too small, and adjusted instead of refused: replies show what was taken, and OpenAPI and the guide say so.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { actorsApi } from '../../../../src/actors/api.ts';
import { describeApi } from '../../../../src/kernel/openapi/document.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { ROOT } from '../error-tables.ts';
import { giveActor, giveBuild, giveRun } from './run-rows.ts';

let server: TestServer;
before(async () => {
  // Runs wait for ever, because no node executes them.
  server = await startServer({ limits: 'off', role: 'api' });
});
after(() => server.stop());

async function make(kind: string): Promise<string> {
  return `${kind}/${(await server.call(`/v2/${kind}`, { method: 'POST' })).json['data'].id as string}`;
}

const limitAt = async (path: string, method = 'GET') =>
  (await server.call(`/v2/${path}`, { method })).json['data'].limit as number;

interface Parameter {
  name: string;
  description?: string;
}

/** The description of a parameter of an operation. */
function described(method: string, path: string, name: string): string {
  const operation = describeApi(actorsApi, 'v2', {}).paths[path]![method] as { parameters: Parameter[] };
  return operation.parameters.find((one) => one.name === name)?.description ?? '';
}

for (const [path, method, kind, at, most, usual] of [
  ['/actors', 'get', undefined, 'actors?', 1000, 1000],
  ['/store', 'get', undefined, 'store?', 1000, 1000],
  ['/webhooks', 'get', undefined, 'webhooks?', 1000, 1000],
  ['/datasets', 'get', undefined, 'datasets?', 1000, 1000],
  ['/key-value-stores/{storageId}/keys', 'get', 'key-value-stores', '/keys?', 1000, 1000],
  ['/request-queues/{storageId}/requests', 'get', 'request-queues', '/requests?', 10_000, 1000],
  ['/request-queues/{storageId}/head', 'get', 'request-queues', '/head?', 1000, 100],
  ['/request-queues/{storageId}/head/lock', 'post', 'request-queues', '/head/lock?lockSecs=5&', 25, 25],
] as const) {
  test(`a limit above ${most} counts as ${most} at ${path}, which says so`, async () => {
    const place = (kind === undefined ? '' : await make(kind)) + at;
    assert.equal(await limitAt(`${place}limit=${most}`, method.toUpperCase()), most);
    assert.equal(await limitAt(`${place}limit=${most + 1}`, method.toUpperCase()), most);
    assert.equal(await limitAt(`${place}limit=0`, method.toUpperCase()), usual);
    assert.equal(await limitAt(place.slice(0, -1), method.toUpperCase()), usual);
    const text = described(method, path, 'limit');
    assert.match(text, new RegExp(`a larger one counts as ${most}\\b`));
    assert.match(text, new RegExp(`\\b${usual} where it is absent or 0`));
  });
}

test('every parameter limit that is not for items says what a larger one counts as', () => {
  for (const { shape } of actorsApi.routes) {
    const { limit, view } = (shape.query?.properties ?? {}) as Record<string, Parameter>;
    if (limit !== undefined && view === undefined)
      assert.match(limit.description ?? '', /a larger one counts as/, shape.id);
  }
});

test('the memory of a run is brought to a power of two within the limits', async () => {
  const actor = await giveActor(server);
  await giveBuild(server, actor, {});
  for (const [asked, taken] of [
    [1, 128],
    [300, 256],
    [1024, 1024],
    [100_000, 32_768],
  ] as const) {
    const { status, text, json } = await server.call(`/v2/actors/${actor.id}/runs?memory=${asked}`, {
      method: 'POST',
      body: {},
    });
    assert.equal(status, 201, text);
    assert.equal((json['data'] as Json)['options'].memoryMbytes, taken);
  }
  assert.match(described('post', '/actors/{actorId}/runs', 'memory'), /nearest power of two.*128 to 32768/);
});

test('a long status message is cut, and a call that should wait too long says how long it waits', async () => {
  const run = await giveRun(server, await giveActor(server), { status: 'RUNNING' });
  const body = { statusMessage: 'x'.repeat(1001) };
  const { status, json } = await server.call(`/v2/actor-runs/${run.id}`, { method: 'PUT', body });
  assert.deepEqual([status, json['data'].statusMessage.length], [200, 1000]);
  assert.match(described('get', '/actor-runs/{runId}', 'waitForFinish'), /a larger one counts as 60/);
});

test('the guide has every parameter that is adjusted', () => {
  const page = readFileSync(join(ROOT, 'docs/guide/actors-errors.md'), 'utf8');
  const [, section = ''] = page.split('## Values that are adjusted instead\n');
  const rows = section
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  for (const text of [
    '`limit` above 1000',
    '`limit` above 10000',
    '`limit` above 25',
    '`waitForFinish` above 60',
    '`memory`',
    '`statusMessage`',
    '`idleTimeoutSecs` below 5',
  ])
    assert.ok(
      rows.some((row) => row.includes(text)),
      text,
    );
});
