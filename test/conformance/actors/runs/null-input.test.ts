// A body of JSON null is no input, on every way to start a run and to validate an input: some clients send it for none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { giveBuiltActor, scheduleCalls } from '../schedules/schedule-calls.ts';

const SCHEMA = {
  title: 'Input',
  type: 'object',
  schemaVersion: 1,
  properties: {
    count: { title: 'Count', type: 'integer', description: 'c', editor: 'number', default: 7 },
  },
};

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const NULLS: [name: string, init: CallInit][] = [
  ['null', { body: 'null', headers: JSON_TYPE }],
  ['null between white space', { body: '\r\n\t null \n', headers: { 'content-type': 'application/json' } }],
  ['null of another JSON type', { body: 'null', headers: { 'content-type': 'application/ld+json' } }],
  ['compressed null', { body: gzipSync('null'), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }],
];

onEachEngine((engine) => {
  let server: TestServer;
  let plain: string;
  let withDefaults: string;
  // Runs wait for ever, because the node has no room for them.
  onServer(engine, { limits: 'off', nodeRuns: 0 }, async (started) => {
    server = started;
    plain ??= await giveBuiltActor(server, { name: 'plain' });
    withDefaults ??= await giveBuiltActor(server, { name: 'with-defaults', inputSchema: SCHEMA });
  });
  const { call, createSchedule, runsOf, fired } = scheduleCalls(() => server);
  const post = (path: string, init: CallInit = {}) => call(path, { method: 'POST', ...init });

  const recordOf = (run: Json, key = 'INPUT') =>
    call(`/key-value-stores/${run['defaultKeyValueStoreId']}/records/${key}`);

  async function assertNone(run: Json, label: string): Promise<void> {
    assert.equal((await recordOf(run)).status, 404, label);
    const { stats } = (await call(`/actor-runs/${run['id']}`)).json['data'];
    assert.equal(stats.inputBodyLen, null, label);
  }

  async function createTask(actId: string, input: Json): Promise<string> {
    const answer = await post('/actor-tasks', { body: { actId, input } });
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'].id as string;
  }

  for (const [name, init] of NULLS) {
    test(`a run that is started with ${name} has no input, or the defaults of its schema`, async () => {
      const bare = await post(`/actors/${plain}/runs`, init);
      assert.equal(bare.status, 201, bare.text);
      await assertNone(bare.json['data'] as Json, name);
      const { json, status, text } = await post(`/actors/${withDefaults}/runs`, init);
      assert.equal(status, 201, text);
      assert.deepEqual((await recordOf(json['data'] as Json)).json, { count: 7 });
    });

    test(`a run of a task that is started with ${name} has the input of the task`, async () => {
      const id = await createTask(plain, { word: 'saved' });
      const { json, status, text } = await post(`/actor-tasks/${id}/runs`, init);
      assert.equal(status, 201, text);
      assert.deepEqual((await recordOf(json['data'] as Json)).json, { word: 'saved' });
    });

    test(`${name} is a valid input where no field is required`, async () => {
      for (const id of [plain, withDefaults]) {
        const { status, json, text } = await post(`/actors/${id}/validate-input`, init);
        assert.deepEqual([status, json], [200, { valid: true }], text);
      }
      const strict = await giveBuiltActor(server, { inputSchema: { ...SCHEMA, required: ['count'] } });
      assert.equal((await post(`/actors/${strict}/validate-input`, init)).status, 200);
      const { properties } = SCHEMA;
      const { default: _default, ...count } = properties.count;
      const needy = await giveBuiltActor(server, {
        inputSchema: { ...SCHEMA, properties: { count }, required: ['count'] },
      });
      const refused = await post(`/actors/${needy}/validate-input`, init);
      assert.deepEqual(
        [refused.status, refused.json['error'].message],
        [400, 'Input is not valid: Field input.count is required.'],
      );
    });
  }

  test('a synchronous run that is started with null has no input', async () => {
    const body = { body: 'null', headers: JSON_TYPE };
    for (const path of ['run-sync', 'run-sync-get-dataset-items']) {
      const actor = await giveBuiltActor(server);
      const reply = post(`/actors/${actor}/${path}`, body);
      let runs: Json[] = [];
      await eventually(async () => (runs = await runsOf(actor)).length > 0, 'the run');
      await assertNone(runs[0]!, path);
      await call(`/actor-runs/${runs[0]!['id']}/abort`, { method: 'POST' });
      assert.equal((await reply).json['error'].type, 'run-failed');
    }
  });

  test('text that is no JSON null is the input, whatever it says', async () => {
    for (const [body, type] of [
      ['null', 'text/plain'],
      ['nullable', 'application/x-signalbox'],
    ] as const) {
      const { json } = await post(`/actors/${plain}/runs`, { body, headers: { 'content-type': type } });
      assert.equal((await recordOf(json['data'] as Json)).text, body);
    }
    const broken = await post(`/actors/${withDefaults}/runs`, { body: 'nul', headers: JSON_TYPE });
    assert.deepEqual([broken.status, broken.json['error'].type], [400, 'run-input-body-not-valid-json']);
  });

  test('a metamorph with null gives the other Actor no input, or the defaults of its schema', async () => {
    const { data } = (await post(`/actors/${plain}/runs`, { body: { a: 1 } })).json;
    const init = { body: 'null', headers: JSON_TYPE };
    const path = `/actor-runs/${data.id}/metamorph?targetActorId=`;
    const first = await post(path + plain, init);
    assert.equal(first.status, 200, first.text);
    assert.equal((await recordOf(data as Json, 'INPUT-METAMORPH-1')).status, 404);
    assert.equal((await post(path + withDefaults, init)).status, 200);
    assert.deepEqual((await recordOf(data as Json, 'INPUT-METAMORPH-2')).json, { count: 7 });
  });

  test('a schedule with null as the input starts runs without input', async () => {
    const actor = await giveBuiltActor(server);
    const taskActor = await giveBuiltActor(server);
    const actorTaskId = await createTask(taskActor, { word: 'saved' });
    const { id, actions } = await createSchedule({
      isExclusive: false,
      actions: [
        { type: 'RUN_ACTOR', actorId: actor, runInput: { body: 'null', contentType: 'application/json' } },
        { type: 'RUN_ACTOR_TASK', actorTaskId, input: 'null' },
      ],
    });
    assert.equal(actions[1].input, null);
    await post(`/schedules/${id}/invoke`);
    await fired(id as string, 1);
    await assertNone((await runsOf(actor))[0]!, 'the Actor');
    assert.deepEqual((await recordOf((await runsOf(taskActor))[0]!)).json, { word: 'saved' });
  });

  test('a webhook whose payload is null starts runs without input', async () => {
    const actor = await giveBuiltActor(server);
    const taskActor = await giveBuiltActor(server);
    const task = await createTask(taskActor, { word: 'saved' });
    for (const path of [`actors/${actor}`, `actor-tasks/${task}`]) {
      const created = await post('/webhooks', {
        body: {
          requestUrl: `${server.url}/v2/${path}/runs`,
          condition: { actorId: plain },
          eventTypes: ['ACTOR.RUN.SUCCEEDED'],
          payloadTemplate: 'null',
        },
      });
      assert.equal(created.status, 201, created.text);
      const { id } = (await post(`/webhooks/${created.json['data'].id}/test`)).json['data'];
      const called = async () =>
        ((await call(`/webhook-dispatches/${id}`)).json['data'].calls as unknown[]).length > 0;
      await eventually(called, 'the call');
    }
    await assertNone((await runsOf(actor))[0]!, 'the Actor');
    assert.deepEqual((await recordOf((await runsOf(taskActor))[0]!)).json, { word: 'saved' });
  });
});
