// The tables of error types: all of the specification's are in them, all of the program's too, and each that occurs is tested. Rule A28.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { after, before, mock, test } from 'node:test';
import type { ExecutionSettings } from '../../../src/actors/jobs/settings.ts';
import { updateRun } from '../../../src/actors/runs/store.ts';
import type { Services } from '../../../src/kernel/kernel.ts';
import { startServer, type Answer, type TestServer } from '../../server.ts';
import { assertDescribed, describedTypes, listedStatus, ROOT, SPECIFIED, tableOf } from './error-tables.ts';
import { giveActor, giveBuild, giveRun } from './runs/run-rows.ts';

let server: TestServer;
before(async () => {
  // Runs wait for ever, because no node executes them.
  server = await startServer({ limits: 'off', role: 'api' });
});
after(() => server.stop());

async function post(path: string, body?: unknown): Promise<Answer> {
  const answer = await server.call(`/v2/${path}`, { method: 'POST', body });
  const { type } = (answer.json['error'] ?? {}) as { type?: string };
  if (type !== undefined) assertDescribed('POST', `/v2/${path}`, answer.status, type);
  return answer;
}

/** An Actor with a build that has this input schema. */
async function actorWith(inputSchema?: unknown): Promise<string> {
  const actor = await giveActor(server);
  await giveBuild(server, actor, { inputSchema });
  return `actors/${actor.id}`;
}

/** With other settings or services, as on another server. */
async function having<T extends object>(target: T, changes: Partial<T>, work: () => Promise<Answer>) {
  const usual = { ...target };
  Object.assign(target, changes);
  return await work().finally(() => Object.assign(target, usual));
}
const withSettings = (changes: Partial<ExecutionSettings>, work: () => Promise<Answer>) =>
  having(server.app.kernel.settings.execution, changes, work);
const withServices = (changes: Partial<Services>, work: () => Promise<Answer>) =>
  having(server.app.kernel.services, changes, work);

const DEFAULTS = {
  title: 'Input',
  type: 'object',
  schemaVersion: 1,
  properties: {
    filler: {
      title: 'Filler',
      type: 'string',
      description: 'A text',
      editor: 'textfield',
      default: 'x'.repeat(200),
    },
  },
};

/** Those that no test of a resource has. */
const SITUATIONS: Record<string, () => Promise<Answer>> = {
  'input-json-too-long': async () =>
    await post(`${await actorWith(DEFAULTS)}/runs`, `{"a":"${'x'.repeat(9_437_100)}"}`),
  'invalid-input-schema': async () =>
    await post(`${await actorWith({ title: 'Input', type: 'nonsense' })}/runs`, {}),
  'actor-memory-limit-exceeded': async () => {
    const actor = await actorWith();
    return await withSettings({ accountMemoryMbytes: 128 }, () => post(`${actor}/runs?memory=256`, {}));
  },
  'concurrent-runs-limit-exceeded': async () => {
    const actor = await actorWith();
    return await withSettings({ accountRuns: 0 }, () => post(`${actor}/runs`, {}));
  },
  'platform-feature-disabled': async () => {
    const actor = await actorWith();
    const { runner } = server.app.kernel.services;
    const refusal = 'There is no sandbox.';
    return await withSettings({ isExecuting: true }, () =>
      withServices({ runner: { ...runner, refusal } }, () => post(`${actor}/runs`, {})),
    );
  },
  'actor-not-found': async () => {
    const actor = await giveActor(server);
    const run = await giveRun(server, actor);
    await server.app.kernel.db.deleteFrom('actors').where('id', '=', actor.id).execute();
    return await post(`actor-runs/${run.id}/resurrect?build=latest`);
  },
  'run-timeout-exceeded': async () => {
    const actor = await actorWith();
    const { finishWaits } = server.app.kernel.services;
    const impatient = mock.method(finishWaits, 'wait', () => Promise.resolve());
    return await post(`${actor}/run-sync`, {}).finally(() => impatient.mock.restore());
  },
  'max-total-charge-usd-below-minimum': async () => {
    const actor = await actorWith();
    const events = { hit: { eventTitle: 'Hit', eventDescription: 'A hit', eventPriceUsd: 0.01 } };
    const pricing = {
      pricingModel: 'PAY_PER_EVENT',
      minimalMaxTotalChargeUsd: 0.5,
      pricingPerEvent: { actorChargeEvents: events },
    };
    await server.call(`/v2/${actor}`, { method: 'PUT', body: { pricingInfos: [pricing] } });
    assert.equal((await post(`${actor}/runs?maxTotalChargeUsd=0.5`, {})).status, 201);
    assert.equal((await post(`${actor}/runs`, {})).status, 201);
    return await post(`${actor}/runs?maxTotalChargeUsd=0.49`, {});
  },
  'max-metamorphs-exceeded': async () => {
    const actor = await giveActor(server);
    await giveBuild(server, actor, {});
    const run = await giveRun(server, actor, { status: 'RUNNING' });
    const past = { createdAt: new Date(0).toISOString(), actorId: actor.id, buildId: 'a', inputKey: 'INPUT' };
    await updateRun(server.app.kernel.db, run.id, { metamorphs: Array.from({ length: 10 }, () => past) });
    return await post(`actor-runs/${run.id}/metamorph?targetActorId=${actor.id}`, {});
  },
};

for (const [type, provoke] of Object.entries(SITUATIONS)) {
  test(`A28 ${type} occurs with the status of the table`, async () => {
    const { status, text, json } = await provoke();
    assert.deepEqual([status, json['error']?.type], [listedStatus(type), type], text.slice(0, 200));
    assert.notEqual(json['error'].message, '', type);
  });
}

const occurring = () => [
  ...tableOf('Types that occur'),
  ...tableOf("Types beyond the specification's table"),
];

test('A28 every type of the specification stands in one of the two tables, once', () => {
  const listed = [...tableOf('Types that occur'), ...tableOf('Types that do not occur')].map(
    ([type]) => type!,
  );
  assert.deepEqual(listed.toSorted(), SPECIFIED.toSorted());
  for (const [type, reason] of tableOf('Types that do not occur')) assert.ok(reason!.length > 10, type);
});

test('A28 each type that occurs is listed by an operation of the OpenAPI document, and no other type is', () => {
  // They answer to what is no operation, or to any call.
  const elsewhere = new Set([
    'page-not-found',
    'method-not-allowed',
    'operation-timed-out',
    'invalid-header',
    'internal-server-error',
    'standby-not-enabled',
    'web-server-not-available',
    'web-server-timed-out',
  ]);
  const listed = occurring().flatMap(([type]) => (elsewhere.has(type!) ? [] : [type!]));
  assert.deepEqual([...describedTypes()].toSorted(), listed.toSorted());
});

test('A28 each type that occurs is asserted by a conformance test', () => {
  const texts = globSync('test/conformance/actors/**/*.test.ts', { cwd: ROOT }).map((path) =>
    readFileSync(joinPath(ROOT, path), 'utf8'),
  );
  for (const [type] of occurring())
    assert.ok(
      texts.some((text) => text.includes(`'${type}'`)),
      `${type} is in no test`,
    );
});

test('A28 the program knows no type that is in none of the tables, and none that cannot occur', () => {
  const sources = globSync('src/{actors,kernel/export}/**/*.ts', { cwd: ROOT }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  const text = sources.map((path) => readFileSync(joinPath(ROOT, path), 'utf8')).join('\n');
  for (const [type] of tableOf('Types that do not occur')) {
    assert.ok(!text.includes(`'${type}'`), `${type} is in the sources`);
  }
  const known = new Set(occurring().map(([type]) => type));
  for (const [, code] of text.matchAll(/(?:code: |TaskError\(\s*)'([a-z-]+)'/g))
    assert.ok(known.has(code), `${code} is in no table`);
});
