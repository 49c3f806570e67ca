// Runs of tasks: real processes with the saved options and input, those of the call over them, and the last run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor, finishedRun, logOf } from '../../../actors.ts';
import { script } from '../../../actor-sources.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { giveActor, giveBuild } from './run-rows.ts';

/** Says what it got, and does what its input says. */
const ECHO = script(
  `
const input = (await getInput()) ?? {};
const { ACTOR_TASK_ID: task, APIFY_ACTOR_TASK_ID: old, ACTOR_MEMORY_MBYTES: memory } = env;
await setValue('OUTPUT', { input, task, old, memory });
await pushData([{ n: input.count }]);
console.log('task', task);
if (input.sleep) await sleep(input.sleep);
process.exit(input.exit ?? 0);
`,
  {
    '.actor/actor.json': JSON.stringify({
      actorSpecification: 1,
      name: 'echo',
      version: '0.1',
      input: './input.json',
    }),
    '.actor/input.json': JSON.stringify({
      title: 'Input',
      type: 'object',
      schemaVersion: 1,
      properties: {
        count: { title: 'Count', type: 'integer', description: 'c', default: 1, minimum: 1, prefill: 2 },
        word: { title: 'Word', type: 'string', description: 'w', editor: 'textfield' },
        key: { title: 'Key', type: 'string', description: 'k', editor: 'textfield', isSecret: true },
        sleep: { title: 'Sleep', type: 'integer', description: 's' },
        exit: { title: 'Exit', type: 'integer', description: 'e' },
      },
    }),
  },
);

onEachEngine((engine) => {
  let server: TestServer;
  let echo: Json;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
    echo ??= await createActor(server, ECHO, {
      name: 'echo',
      fields: { isPublic: true, defaultRunOptions: { timeoutSecs: 500, memoryMbytes: 256 } },
    });
  });

  const call = (path: string, init: CallInit = {}) => server.call(`/v2${path}`, init);
  const post = (path: string, body?: unknown, more: CallInit = {}) =>
    call(path, { method: 'POST', body, ...more });

  async function createTask(fields: Json = {}, token?: string): Promise<Json> {
    const body = { actId: echo['id'] as string, ...fields };
    const answer = await post('/actor-tasks', body, token === undefined ? {} : { token });
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'] as Json;
  }

  async function outputOf(run: Json, token?: string): Promise<Json> {
    const who = token === undefined ? {} : { token };
    const { status } = await finishedRun(server, run['id'] as string, who);
    assert.equal(status, 'SUCCEEDED', await logOf(server, run['id'] as string));
    return (await call(`/key-value-stores/${run['defaultKeyValueStoreId']}/records/OUTPUT`, who)).json;
  }

  test('A32 a run has the options and the input of its task, with those of the call over them', async () => {
    const task = await createTask({
      options: {
        memoryMbytes: 128,
        timeoutSecs: 400,
        restartOnError: true,
        maxItems: 9,
        maxTotalChargeUsd: 2,
      },
      input: { count: 5, word: 'saved' },
    });
    const first = await post(`/actor-tasks/${task['id']}/runs`);
    assert.equal(first.status, 201, first.text);
    const run = first.json['data'] as Json;
    assert.deepEqual([run['actorTaskId'], run['actId']], [task['id'], echo['id']]);
    assert.equal(first.headers.get('location'), `${server.url}/v2/actor-runs/${run['id']}`);
    const { build, timeoutSecs, memoryMbytes, restartOnError, maxItems, maxTotalChargeUsd } = run['options'];
    assert.deepEqual(
      [build, timeoutSecs, memoryMbytes, restartOnError, maxItems, maxTotalChargeUsd],
      ['latest', 400, 128, true, 9, 2],
    );
    const { id } = task;
    assert.deepEqual(await outputOf(run), {
      input: { count: 5, word: 'saved' },
      task: id,
      old: id,
      memory: '128',
    });
    const query = 'timeout=300&memory=512&restartOnError=0&maxItems=3&waitForFinish=60';
    const second = (await post(`/actor-tasks/${id}/runs?${query}`, { word: 'sent', more: [1] })).json['data'];
    assert.deepEqual(
      [second.options.timeoutSecs, second.options.memoryMbytes, second.options.restartOnError],
      [300, 512, false],
    );
    assert.deepEqual([second.options.maxItems, second.options.maxTotalChargeUsd], [3, 2]);
    assert.deepEqual((await outputOf(second))['input'], { count: 5, word: 'sent', more: [1] });
    // The task itself stays as it was, but for its statistics.
    const after = (await call(`/actor-tasks/${id}`)).json['data'];
    assert.deepEqual({ ...after, stats: task['stats'] }, task);
    assert.deepEqual(after.stats, { totalRuns: 2, lastRunStartedAt: second.startedAt });
  });

  test('A32 what the task leaves open is decided by the Actor, and defaults of the schema are filled in', async () => {
    const { id } = await createTask({ input: { word: 'x' } });
    const run = (await post(`/actor-tasks/${id}/runs`)).json['data'];
    assert.deepEqual([run.options.timeoutSecs, run.options.memoryMbytes], [500, 256]);
    assert.deepEqual((await outputOf(run))['input'], { word: 'x', count: 1 });
    const cleared = await post(`/actor-tasks/${id}/runs`, { word: null });
    assert.equal(cleared.status, 400);
  });

  test('A32 secret fields of a task reach its runs encrypted for them', async () => {
    const { id, input } = await createTask({ input: { key: 'hush' } });
    assert.match(input.key, /^ENCRYPTED_VALUE:/);
    const run = (await post(`/actor-tasks/${id}/runs`, { word: 'y' })).json['data'];
    assert.deepEqual((await outputOf(run))['input'], { key: input.key, word: 'y', count: 1 });
  });

  test('A5 A32 run-sync and run-sync-get-dataset-items of a task, with input or without', async () => {
    const { name } = await createTask({ name: 'sync', input: { count: 7 } });
    const got = await call(`/actor-tasks/~${name}/run-sync`);
    assert.deepEqual([got.status, got.json['input']], [201, { count: 7 }], got.text);
    const posted = await post(`/actor-tasks/admin~${name}/run-sync`, { count: 8 });
    assert.deepEqual([posted.status, posted.json['input']], [201, { count: 8 }]);
    const record = await post(`/actor-tasks/~${name}/run-sync?outputRecordKey=INPUT`, { count: 9 });
    assert.deepEqual(record.json, { count: 9 });
    const items = await call(`/actor-tasks/~${name}/run-sync-get-dataset-items`);
    assert.deepEqual([items.status, items.json], [201, [{ n: 7 }]]);
    const csv = await post(`/actor-tasks/~${name}/run-sync-get-dataset-items?format=csv&bom=0`, { count: 3 });
    assert.equal(csv.text.trim(), 'n\r\n3');
    assert.equal(csv.headers.get('x-apify-pagination-total'), '1');
    const failed = await post(`/actor-tasks/~${name}/run-sync`, { exit: 1 });
    assert.deepEqual([failed.status, failed.json['error'].type], [400, 'run-failed']);
    const head = await call(`/actor-tasks/~${name}/run-sync`, { method: 'HEAD' });
    assert.equal(head.status, 405);
    assert.equal((await call(`/actor-tasks/~${name}`)).json['data'].stats.totalRuns, 6);
  });

  test('A21 the last run of a task is one of its own, and everything below it works', async () => {
    const { id } = await createTask();
    const path = `/actor-tasks/${id}/runs`;
    assert.equal((await call(`${path}/last`)).status, 404);
    const good = (await post(`${path}?waitForFinish=60`, { count: 4 })).json['data'];
    const bad = (
      await post(`${path}?waitForFinish=60`, { exit: 1 }, { headers: { 'x-apify-request-origin': 'CLI' } })
    ).json['data'];
    assert.deepEqual([good.status, bad.status], ['SUCCEEDED', 'FAILED']);
    await post(`/actors/${echo['id']}/runs?waitForFinish=60`, {});
    const last = async (query = '') => (await call(`${path}/last${query}`)).json['data']?.id as string;
    assert.equal(await last(), bad.id);
    assert.equal(await last('?status=SUCCEEDED'), good.id);
    assert.equal(await last('?origin=CLI&status=FAILED,ABORTED'), bad.id);
    assert.equal((await call(`${path}/last?status=nonsense`)).json['error'].type, 'invalid-request');
    assert.deepEqual((await call(`${path}/last/dataset/items?status=SUCCEEDED`)).json, [{ n: 4 }]);
    assert.match((await call(`${path}/last/log`)).text, new RegExp(`task ${id}`));
    const listed = (await call(`${path}?desc=1`)).json['data'];
    assert.deepEqual([listed.total, listed.items.map((item: Json) => item['id'])], [2, [bad.id, good.id]]);
    const failed = (await call(`${path}?status=FAILED`)).json['data'];
    assert.deepEqual([failed.total, failed.items[0].actorTaskId], [1, id]);
    assert.equal((await call(`${path}?startedBefore=yesterday`)).status, 400);
    const begun = (await post(path, { sleep: 600_000 })).json['data'];
    await eventually(async () => (await call(`${path}/last`)).json['data'].status === 'RUNNING');
    assert.equal((await post(`${path}/last/abort`)).status, 200);
    assert.equal((await finishedRun(server, begun.id as string))['status'], 'ABORTED');
    assert.equal((await post(`${path}/last/reboot`)).json['error'].type, 'job-finished');
    assert.equal((await post(`${path}/last/resurrect`)).json['data'].id, begun.id);
    await post(`${path}/last/abort`);
  });

  test('a deleted task aborts its unfinished runs, and they stay', async () => {
    const { id } = await createTask();
    const done = (await post(`/actor-tasks/${id}/runs?waitForFinish=60`)).json['data'];
    const running = (await post(`/actor-tasks/${id}/runs`, { sleep: 600_000 })).json['data'];
    await eventually(async () => (await call(`/actor-runs/${running.id}`)).json['data'].status === 'RUNNING');
    assert.equal((await call(`/actor-tasks/${id}`, { method: 'DELETE' })).status, 204);
    const aborted = await finishedRun(server, running.id as string);
    assert.deepEqual([aborted['status'], aborted['actorTaskId']], ['ABORTED', id]);
    assert.equal((await call(`/actor-runs/${done.id}`)).json['data'].status, 'SUCCEEDED');
    assert.equal((await post(`/actor-tasks/${id}/runs`)).status, 404);
    assert.equal((await call(`/actor-tasks/${id}/runs/last`)).status, 404);
  });

  test('a program may see and run the tasks of its owner, and change none', async () => {
    const task = await createTask({ input: { count: 6 } });
    const runner = await createActor(
      server,
      script(`
const { task } = await getInput();
const calls = [
  ['GET', '/actor-tasks/' + task], ['GET', '/actor-tasks/' + task + '/input'], ['GET', '/actor-tasks'],
  ['POST', '/actor-tasks/' + task + '/runs?waitForFinish=60'], ['GET', '/actor-tasks/' + task + '/runs/last'],
  ['PUT', '/actor-tasks/' + task, { title: 'mine' }], ['PUT', '/actor-tasks/' + task + '/input', {}],
  ['DELETE', '/actor-tasks/' + task], ['POST', '/actor-tasks', { actId: env.ACTOR_ID }],
];
const statuses = [];
for (const [method, path, body] of calls) statuses.push((await api(path, { method, body })).status);
await setValue('OUTPUT', statuses);
`),
      { fields: { isPublic: true } },
    );
    const statuses = await post(`/actors/${runner['id']}/run-sync`, { task: task['id'] });
    assert.deepEqual(statuses.json, [200, 200, 200, 201, 200, 404, 404, 404, 403]);
    const { stats, title } = (await call(`/actor-tasks/${task['id']}`)).json['data'];
    assert.deepEqual([stats.totalRuns, title], [1, task['title']]);
    const run = (await call(`/actor-tasks/${task['id']}/runs/last`)).json['data'];
    assert.equal(run.meta.origin, 'ACTOR');
    // The program of somebody else has limited permissions, and learns nothing of tasks.
    const member = await join(server, 'caller', { role: 'writer' });
    const { value: token } = await giveToken(server, member, { role: 'writer' });
    const theirs = await createTask({}, token);
    const limited = await post(`/actors/${runner['id']}/run-sync`, { task: theirs['id'] }, { token });
    assert.deepEqual(limited.json, [404, 404, 403, 404, 404, 404, 404, 404, 403]);
  });

  test('a task of a public Actor of others runs in the account of its owner, as long as the Actor is public', async () => {
    const member = await join(server, 'guest', { role: 'writer' });
    const { value: token } = await giveToken(server, member, { role: 'writer' });
    const task = await createTask({ input: { count: 2 } }, token);
    const answer = await post(`/actor-tasks/${task['id']}/runs`, undefined, { token });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json['data'].userId, task['userId']);
    assert.deepEqual((await outputOf(answer.json['data'] as Json, token))['input'], { count: 2 });
    assert.equal((await call(`/actor-runs/${answer.json['data'].id}`)).status, 404);
    const setPublic = (isPublic: boolean) =>
      call(`/actors/${echo['id']}`, { method: 'PUT', body: { isPublic } });
    await setPublic(false);
    const hidden = await post(`/actor-tasks/${task['id']}/runs`, undefined, { token });
    await setPublic(true);
    assert.deepEqual([hidden.status, hidden.json['error'].type], [404, 'actor-not-found']);
  });

  test('A28 an input that cannot be merged is refused, and nothing is started', async () => {
    const { id } = await createTask({ input: { count: 2 } });
    const json = { 'content-type': 'application/json' };
    const wrong: [body: string, headers: Record<string, string>, status: number, type: string][] = [
      ['{"count":0}', json, 400, 'invalid-input'],
      ['{"count":', json, 400, 'run-input-body-not-valid-json'],
      ['[1]', json, 403, 'input-json-not-object'],
      ['  "text"', json, 403, 'input-json-not-object'],
      ['nul', json, 400, 'run-input-body-not-valid-json'],
      ['12', json, 403, 'input-json-not-object'],
      ['{"a":1}', { 'content-type': 'text/plain' }, 403, 'invalid-content-type-header'],
      ['a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 403, 'invalid-content-type-header'],
      [`{"a":"${'x'.repeat(200_000)}"`, json, 400, 'run-input-body-not-valid-json'],
      ['{}', { ...json, 'content-encoding': 'zstd' }, 415, 'unsupported-content-encoding'],
    ];
    for (const path of ['runs', 'run-sync', 'run-sync-get-dataset-items']) {
      for (const [body, headers, status, type] of wrong) {
        const answer = await post(`/actor-tasks/${id}/${path}`, body, { headers });
        assert.deepEqual(
          [answer.status, answer.json['error'].type],
          [status, type],
          `${path} ${body.slice(0, 20)}`,
        );
      }
    }
    const array = await post(`/actor-tasks/${id}/runs`, [1]);
    assert.equal(array.json['error'].message, 'Provided input must be object, got "array" instead.');
    for (const query of ['memory=x', 'timeout=-1', 'build=nothing', 'maxItems=0', 'maxTotalChargeUsd=-1']) {
      const answer = await post(`/actor-tasks/${id}/runs?${query}`, {});
      assert.equal(answer.status, 400, query);
    }
    assert.deepEqual((await call(`/actor-tasks/${id}`)).json['data'].stats, { totalRuns: 0 });
    assert.equal((await call(`/actor-tasks/${id}/runs`)).json['data'].total, 0);
    // Clients that send no body may still send the content type of forms.
    const empty = await post(`/actor-tasks/${id}/runs`, '', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(empty.status, 201, empty.text);
    assert.deepEqual((await outputOf(empty.json['data'] as Json))['input'], { count: 2 });
  });

  test('a large input is merged', async () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `word ${index}`);
    const { id } = await createTask({ input: { count: 2, words } });
    const run = (await post(`/actor-tasks/${id}/runs`, { count: 3 })).json['data'];
    const { input } = await outputOf(run as Json);
    assert.deepEqual([input.count, input.words.length], [3, 20_000]);
  });

  test('eight clients that run one task at once while it changes: every run counts', async () => {
    const actor = await giveActor(server);
    await giveBuild(server, actor, {});
    const { id } = await createTask({ actId: actor.id, options: { memoryMbytes: 128 } });
    const [, ...started] = await Promise.all([
      call(`/actor-tasks/${id}`, { method: 'PUT', body: { title: 'Busy' } }),
      ...Array.from({ length: 8 }, (_, at) => post(`/actor-tasks/${id}/runs`, { at })),
    ]);
    assert.deepEqual([...new Set(started.map(({ status }) => status))], [201]);
    const { stats, title } = (await call(`/actor-tasks/${id}`)).json['data'];
    assert.deepEqual([stats.totalRuns, title], [8, 'Busy']);
    // None of them outlives the task.
    const [removed, ...late] = await Promise.all([
      call(`/actor-tasks/${id}`, { method: 'DELETE' }),
      ...Array.from({ length: 8 }, () => post(`/actor-tasks/${id}/runs`)),
    ]);
    assert.equal(removed.status, 204);
    for (const { status } of late) assert.ok(status === 201 || status === 404, String(status));
    const { db } = server.app.kernel;
    await eventually(async () => {
      const left = await db
        .selectFrom('runs')
        .select('id')
        .where('task_id', '=', id as string)
        .where('finished_at', 'is', null)
        .execute();
      return left.length === 0;
    }, 'the end of all runs of the task');
  });
});
