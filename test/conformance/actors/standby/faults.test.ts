// Standby mode when something is wrong: no permission, no such program, programs that do not answer or die, no room.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, before, test } from 'node:test';
import { createActor, finishedRun, startRun, statusOf } from '../../../actors.ts';
import { OBEDIENT, script } from '../../../actor-sources.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { tryIsolation } from '../../../../src/actors/runner/isolation/isolation.ts';
import { createStandby, openHttpRequest, runOf, runsOf } from './calls.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ limits: 'off' });
});
after(() => server.stop());

const typeOf = ({ status, json }: { status: number; json: Json }) => [status, json['error']?.type];

test('without a token, or with a wrong one, nobody gets anywhere', async () => {
  const actor = await createStandby(server);
  const path = `/standby/${actor['id']}/`;
  assert.deepEqual(typeOf(await server.call(path, { token: null })), [401, 'invalid-token']);
  assert.deepEqual(typeOf(await server.call(path, { token: 'api-wrong' })), [401, 'invalid-token']);
  assert.deepEqual(typeOf(await server.call('/container/abc/', { token: null })), [401, 'invalid-token']);
  assert.deepEqual(await runsOf(server, actor['id'] as string), []);
});

test('what is unknown, or not in standby mode, is told so', async () => {
  const plain = await createActor(server, OBEDIENT, { name: 'plain' });
  const off = await createStandby(server, { isEnabled: false });
  assert.deepEqual(typeOf(await server.call('/standby/admin~nothing/x')), [404, 'record-not-found']);
  assert.deepEqual(typeOf(await server.call('/standby/admin~/x')), [400, 'invalid-request']);
  assert.deepEqual(typeOf(await server.call('/standby/%00/x')), [400, 'invalid-request']);
  assert.deepEqual(typeOf(await server.call('/standby/')), [404, 'page-not-found']);
  assert.deepEqual(typeOf(await server.call('/standby')), [404, 'page-not-found']);
  for (const { id } of [plain, off] as Json[])
    assert.deepEqual(typeOf(await server.call(`/standby/${id}/`)), [400, 'standby-not-enabled']);
  assert.equal((await server.call(`/v2/actors/${off['id']}`)).json.data.standbyUrl, null);
});

test('an Actor of somebody else is missing unless it is public, and then runs in the account of the caller', async () => {
  const actor = await createStandby(server, {}, { name: 'shared' });
  const ada = await join(server, 'ada');
  const all = { inlinePolicy: [{ effect: 'allow' as const, actions: ['*'], resources: ['*'] }] };
  const { value: token } = await giveToken(server, { ...ada, role: 'admin' }, all);
  await server.app.kernel.db.updateTable('members').set({ role: 'admin' }).where('id', '=', ada.id).execute();
  await server.app.kernel.identity.invalidate();
  assert.deepEqual(typeOf(await server.call('/standby/admin~shared/', { token })), [404, 'record-not-found']);
  await server.call(`/v2/actors/${actor['id']}`, { method: 'PUT', body: { isPublic: true } });
  const hers = await server.call('/standby/admin~shared/', { token });
  assert.equal(hers.status, 200, hers.text);
  const mine = await server.call('/standby/admin~shared/');
  assert.notEqual(mine.json['run'], hers.json['run']);
  const run = await runOf(server, mine.json['run'] as string);
  const herRun = (await server.call(`/v2/actor-runs/${hers.json['run']}`, { token })).json.data as Json;
  assert.notEqual(herRun['userId'], run['userId']);
  const peek = await server.call(`/container/${hers.json['run']}/`);
  assert.deepEqual(typeOf(peek), [404, 'record-not-found']);
});

test('a token that may not run Actors starts none, and one that may only look sends nothing to a run', async () => {
  const actor = await createStandby(server);
  const { member } = await server.app.kernel.identity.identify(
    { kind: 'token', secret: 'api-test-administrator-token' },
    0,
  );
  const { value: token } = await giveToken(server, member, {
    inlinePolicy: [{ effect: 'allow', actions: ['view*'], resources: ['*'] }],
  });
  assert.deepEqual(typeOf(await server.call(`/standby/${actor['id']}/`, { token })), [
    403,
    'insufficient-permissions',
  ]);
  assert.deepEqual(await runsOf(server, actor['id'] as string), []);
  const { json } = await server.call(`/standby/${actor['id']}/`);
  const path = `/container/${json['run']}/seen`;
  assert.equal((await server.call(path, { token })).json['url'], '/seen');
  assert.deepEqual(typeOf(await server.call(path, { token, method: 'POST' })), [
    403,
    'insufficient-permissions',
  ]);
  assert.equal((await server.call(path, { method: 'POST' })).status, 200);
});

test('a program that ends before it answers fails its requests with the reason, and the next one tries again', async () => {
  const actor = await createStandby(server, {}, { files: script('process.exit(7)') });
  const path = `/standby/${actor['id']}/`;
  const answers = await Promise.all([server.call(path), server.call(path)]);
  for (const answer of answers) {
    assert.deepEqual(typeOf(answer), [502, 'web-server-not-available']);
    assert.match(answer.json['error'].message as string, /status is FAILED/);
    assert.equal(answer.headers.get('retry-after'), '5');
  }
  assert.equal((await runsOf(server, actor['id'] as string)).length, 1);
  await server.call(path);
  assert.equal((await runsOf(server, actor['id'] as string)).length, 2);
});

test('a program that never listens is given up after five minutes', async () => {
  const actor = await createStandby(server, {}, { files: script('await sleep(1e9)') });
  const answer = server.call(`/standby/${actor['id']}/`);
  let runs: Json[] = [];
  await eventually(async () => {
    runs = await runsOf(server, actor['id'] as string);
    return runs.length === 1 && runs[0]!['status'] === 'RUNNING';
  }, 'the run');
  assert.equal((await runOf(server, runs[0]!['id'] as string))['isContainerServerReady'], false);
  const id = runs[0]!['id'] as string;
  server.clock.ahead += 301_000;
  assert.deepEqual(typeOf(await answer), [504, 'web-server-timed-out']);
  // Its process may have begun after the time went on.
  await eventually(async () => {
    server.clock.ahead += 301_000;
    return (await statusOf(server, id)) !== 'RUNNING';
  }, 'the end');
  const run = await finishedRun(server, runs[0]!['id'] as string);
  assert.equal(run['status'], 'FAILED');
  assert.match(run['statusMessage'] as string, /did not answer/);
});

test('a run that dies fails its requests, and the next request gets a new one', async () => {
  const actor = await createStandby(server);
  const path = `/standby/${actor['id']}`;
  const { json } = await server.call(`${path}/`);
  const open = openHttpRequest(server, `${path}/hold`);
  await eventually(
    async () => ((await server.call(`${path}/`)).json['most'] as number) >= 2,
    'the request is there',
  );
  assert.deepEqual(typeOf(await server.call(`${path}/die`)), [502, 'web-server-not-available']);
  assert.equal((await open.end()).status, 502);
  const next = await server.call(`${path}/`);
  assert.equal(next.status, 200, next.text);
  assert.notEqual(next.json['run'], json['run']);
  assert.equal((await finishedRun(server, json['run'] as string))['status'], 'FAILED');
});

test('a run that is aborted gets no further requests', async () => {
  const actor = await createStandby(server);
  const path = `/standby/${actor['id']}/`;
  const { json } = await server.call(path);
  await server.call(`/v2/actor-runs/${json['run']}/abort?gracefully=true`, { method: 'POST' });
  await eventually(async () => (await server.call(path)).json['run'] !== json['run'], 'another run');
  await server.call(`/v2/actor-runs/${json['run']}/abort`, { method: 'POST' });
  assert.equal((await finishedRun(server, json['run'] as string))['status'], 'ABORTED');
});

test('where the account may have no more runs, requests share the one that is there', async () => {
  const own = await startServer({ limits: 'off', accountRuns: 1 });
  try {
    const actor = await createStandby(own, { desiredRequestsPerActorRun: 1, maxRequestsPerActorRun: 2 });
    const path = `/standby/${actor['id']}/`;
    const open = Array.from({ length: 5 }, () => openHttpRequest(own, path));
    const answers = await Promise.all(open.map((one) => one.end()));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    assert.ok(answers.every(({ json }) => (json['most'] as number) <= 2));
    const other = await createStandby(own);
    assert.deepEqual(typeOf(await own.call(`/standby/${other['id']}/`)), [
      402,
      'concurrent-runs-limit-exceeded',
    ]);
  } finally {
    await own.stop();
  }
});

test('the web server of an ordinary run is at its container URL while it runs', async () => {
  const actor = await createActor(
    server,
    script(`const { createServer } = await import('node:http');
      createServer((request, response) => response.end('live ' + request.url)).listen(Number(env.ACTOR_WEB_SERVER_PORT));`),
  );
  const { id } = await startRun(server, actor['id'] as string);
  const path = `/container/${id}/view?a=1`;
  await eventually(async () => (await server.call(path)).status === 200, 'the web server');
  assert.equal((await server.call(path)).text, 'live /view?a=1');
  const run = await runOf(server, id as string);
  assert.equal(run['containerUrl'], `${server.url}/container/${id}`);
  await eventually(
    async () => (await runOf(server, id as string))['isContainerServerReady'] === true,
    'it is ready',
  );
  await server.call(`/v2/actor-runs/${id}/abort`, { method: 'POST' });
  await finishedRun(server, id as string);
  assert.deepEqual(typeOf(await server.call(path)), [502, 'web-server-not-available']);
  assert.deepEqual(typeOf(await server.call('/container/unknown/')), [404, 'record-not-found']);
});

test('a program of another run, or of this machine, gets no answer from the port of a run', async () => {
  const actor = await createStandby(server);
  const { json } = await server.call(`/standby/${actor['id']}/`);
  const port = (json['ports'] as string[])[0];
  const direct = await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(direct.status, 403);
  const guess = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-signalbox-run-secret': 'guess' } });
  assert.equal(guess.status, 403);
  const upgrade = await fetch(`http://127.0.0.1:${port}/`, {
    headers: { 'x-apify-container-server-readiness-probe': '1' },
  });
  assert.equal(upgrade.status, 403);
});

test('a program that takes the port of another gets no requests of it', async () => {
  const thief = await createActor(
    server,
    script(`const { createServer } = await import('node:http');
      const { port } = await getInput();
      createServer((request, response) => response.end('stolen')).listen(port, '127.0.0.1', () => setValue('OUTPUT', { isThere: true }));
      await sleep(1e9);`),
  );
  // It waits until the thief has its port.
  const victim = await createActor(
    server,
    script(`await setValue('PORT', Number(env.ACTOR_WEB_SERVER_PORT)); await sleep(1e9);`),
  );
  const { id, defaultKeyValueStoreId: store } = await startRun(server, victim['id'] as string);
  let port = 0;
  await eventually(async () => {
    const answer = await server.call(`/v2/key-value-stores/${store}/records/PORT`);
    if (answer.status === 200) port = Number(answer.text);
    return port > 0;
  }, 'the port');
  const stolen = await startRun(server, thief['id'] as string, { input: { port } });
  const output = `/v2/key-value-stores/${stolen['defaultKeyValueStoreId']}/records/OUTPUT`;
  await eventually(async () => (await server.call(output)).status === 200, 'the thief');
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'stolen');
  assert.deepEqual(typeOf(await server.call(`/container/${id}/`)), [502, 'web-server-not-available']);
  for (const run of [id, stolen['id']]) await server.call(`/v2/actor-runs/${run}/abort`, { method: 'POST' });
});

test('the settings may be wrong, and are then told to the first request', async () => {
  const actor = await createStandby(server, { build: 'nonsense', memoryMbytes: 100 });
  assert.deepEqual(typeOf(await server.call(`/standby/${actor['id']}/`)), [400, 'unknown-build-tag']);
});

const { kind } = await tryIsolation();

test(
  'with --actor-network none the program is reached by a socket that nobody else can open',
  { skip: kind !== 'bubblewrap' && 'needs bwrap' },
  async () => {
    const own = await startServer({ limits: 'off', actorNetwork: 'none' });
    try {
      const actor = await createStandby(own, { idleTimeoutSecs: 60 });
      const { status, json, text } = await own.call(`/standby/${actor['id']}/inside`, {
        method: 'POST',
        body: { a: 1 },
      });
      assert.equal(status, 200, text);
      assert.deepEqual([json['url'], json['length']], ['/inside', 7]);
      assert.deepEqual(json['ports'], ['4321', '4321', '4321']);
      await assert.rejects(fetch('http://127.0.0.1:4321/'));
      own.clock.ahead += 61_000;
      assert.equal((await finishedRun(own, json['run'] as string))['status'], 'SUCCEEDED');
    } finally {
      await own.stop();
    }
  },
);

test('a task in standby mode has runs of its own, with its own settings and input', async () => {
  const actor = await createStandby(
    server,
    { isEnabled: null, shouldPassActorInput: true },
    { name: 'with-task' },
  );
  const made = await server.call('/v2/actor-tasks', {
    method: 'POST',
    body: {
      actId: actor['id'],
      name: 'ready-task',
      input: { from: 'task' },
      actorStandby: { isEnabled: true, memoryMbytes: 128 },
    },
  });
  assert.equal(made.status, 201, made.text);
  const { json, status, text } = await server.call('/standby/admin~ready-task/');
  assert.equal(status, 200, text);
  assert.deepEqual(json['input'], { from: 'task' });
  const run = await runOf(server, json['run'] as string);
  assert.deepEqual([run['actorTaskId'], run['options'].memoryMbytes], [made.json.data.id, 128]);
  assert.equal((await server.call(`/standby/${made.json.data.id}/`)).json['run'], json['run']);
  assert.equal(made.json.data.standbyUrl, `${server.url}/standby/admin~ready-task`);
});

test('after a restart runs go on, answer again, and end when they are idle', async () => {
  const dir = mkdtempSync(joinPath(tmpdir(), 'signalbox-test-'));
  const first = await startServer({ limits: 'off', data: dir });
  const actor = await createStandby(first, { idleTimeoutSecs: 60 });
  const { json } = await first.call(`/standby/${actor['id']}/`);
  await first.stop();
  const second = await startServer({ limits: 'off', data: dir });
  try {
    await eventually(
      async () => (await runOf(second, json['run'] as string))['isContainerServerReady'] === true,
      'it goes on',
    );
    const again = await second.call(`/standby/${actor['id']}/`);
    assert.equal(again.json['run'], json['run']);
    second.clock.ahead += 61_000;
    assert.equal((await finishedRun(second, json['run'] as string))['status'], 'SUCCEEDED');
  } finally {
    await second.stop();
    for (const path of [dir, `${dir}-work`]) rmSync(path, { recursive: true, force: true });
  }
});
