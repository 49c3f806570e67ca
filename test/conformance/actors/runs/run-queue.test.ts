// Runs that wait: quotas of accounts, room on the node, turns of accounts, and a node without public routes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createActor, finishedRun, logOf, startRun, statusOf } from '../../../actors.ts';
import { OBEDIENT } from '../../../actor-sources.ts';
import { onEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';

onEngine('sqlite', (engine) => {
  let server: TestServer;
  let actor: Json;
  const settings = {
    limits: 'off',
    nodeRuns: 1,
    nodeMemory: 1024,
    accountRuns: 3,
    accountMemory: 2048,
  } as const;
  onServer(engine, settings, async (started) => {
    server = started;
    actor ??= await createActor(server, OBEDIENT, { name: 'obedient', fields: { isPublic: true } });
  });

  const call = (path: string, init?: CallInit) => server.call(`/v2${path}`, init);
  const start = (query: string, input: Json = {}, token?: string) =>
    startRun(server, actor['id'] as string, { query, input, ...(token !== undefined && { token }) });
  const abort = (run: Json) => call(`/actor-runs/${run['id']}/abort`, { method: 'POST' });

  test('more runs or memory than the account may have is 402, and starts nothing', async () => {
    const runs: Json[] = [];
    for (let n = 0; n < 3; n += 1) runs.push(await start('memory=128', { sleep: 600_000 }));
    const fourth = await call('/actors/~obedient/runs?memory=128', { method: 'POST' });
    assert.deepEqual([fourth.status, fourth.json.error.type], [402, 'concurrent-runs-limit-exceeded']);
    assert.match(fourth.json.error.message, /3 unfinished runs/);
    for (const run of runs) await abort(run);
    for (const run of runs)
      assert.equal((await finishedRun(server, run['id'] as string))['status'], 'ABORTED');
    const large = await call('/actors/~obedient/runs?memory=4096', { method: 'POST' });
    assert.deepEqual([large.status, large.json.error.type], [402, 'actor-memory-limit-exceeded']);
    const tooLarge = await call('/actors/~obedient/runs?memory=2048', { method: 'POST' });
    assert.deepEqual([tooLarge.status, tooLarge.json.error.type], [402, 'actor-memory-limit-exceeded']);
    assert.match(tooLarge.json.error.message, /this server has 1024 MB/);
    const limits = (await call('/users/me/limits')).json.data;
    assert.equal(limits.limits.maxConcurrentActorJobs, 3);
  });

  test('a run that finds no room waits, says so, and can be aborted at once', async () => {
    const first = await start('memory=128', { sleep: 600_000 });
    await eventually(async () => (await statusOf(server, first['id'] as string)) === 'RUNNING');
    const second = await start('memory=128');
    server.clock.ahead += 2000;
    const waiting = (await call(`/actor-runs/${second['id']}`)).json.data;
    assert.equal(waiting.status, 'READY');
    assert.match(waiting.statusMessage, /queue/);
    const aborted = await abort(second);
    assert.equal(aborted.json.data.status, 'ABORTED');
    assert.equal(await logOf(server, second['id'] as string), '');
    await abort(first);
    assert.equal((await finishedRun(server, first['id'] as string))['status'], 'ABORTED');
  });

  test('accounts take turns, whatever one of them has queued', async () => {
    const { value: token } = await giveToken(server, await join(server, 'quick', { role: 'writer' }), {
      role: 'writer',
    });
    const gate = await start('memory=128', { sleep: 600_000 });
    await eventually(async () => (await statusOf(server, gate['id'] as string)) === 'RUNNING');
    const mine = [await start('memory=128'), await start('memory=128')];
    const theirs = await start('memory=128', {}, token);
    await abort(gate);
    const ended = await Promise.all([
      ...mine.map(({ id }) => finishedRun(server, id as string)),
      finishedRun(server, theirs['id'] as string, { token }),
    ]);
    const [first, second, other] = ended.map((run) => Date.parse(run['finishedAt'] as string));
    assert.ok(other! < Math.max(first!, second!), 'the other account did not wait for all of the first');
  });

  test('eight clients that abort, reboot and change one run leave it in one of its ends', async () => {
    const run = await start('memory=128', { sleep: 600_000 });
    await eventually(async () => (await statusOf(server, run['id'] as string)) === 'RUNNING');
    const calls: [string, string, unknown?][] = [
      ['POST', '/abort'],
      ['POST', '/reboot'],
      ['POST', '/abort?gracefully=1'],
      ['PUT', '', { statusMessage: 'one' }],
      ['POST', '/reboot'],
      ['PUT', '', { statusMessage: 'two' }],
      ['POST', '/abort'],
      ['POST', '/charge', { eventName: 'page' }],
    ];
    const answers = await Promise.all(
      calls.map(([method, path, body]) =>
        call(`/actor-runs/${run['id']}${path}`, { method, ...(body !== undefined && { body }) }),
      ),
    );
    for (const { status, text } of answers) assert.ok([200, 201, 403].includes(status), text);
    const ended = await finishedRun(server, run['id'] as string);
    assert.equal(ended['status'], 'ABORTED');
  });
});

onEngine('postgres', (engine) => {
  let api: TestServer;
  let worker: TestServer;
  before(async () => {
    const database = await engine.migratedDatabase();
    const secretKey = 'one key for the server and its worker';
    api = await startServer({ database, limits: 'off', role: 'api', secretKey });
    const blobs = `${api.app.kernel.settings.execution.work}/../blobs`;
    worker = await startServer({
      database,
      limits: 'off',
      role: 'worker',
      secretKey,
      blobs,
      actorsUnsandboxed: true,
    });
  });
  after(async () => {
    await worker.stop();
    await api.stop();
  });

  test('a worker without public routes executes builds and runs, and their logs are live on the other node', async () => {
    const actor = await createActor(api, OBEDIENT, { name: 'obedient' });
    const run = await startRun(api, actor['id'] as string, {
      input: { log: 'from the worker', push: { a: 1 }, sleep: 600_000 },
    });
    const live = await fetch(`${api.url}/v2/logs/${run['id']}?stream=1`, {
      headers: { authorization: 'Bearer api-test-administrator-token' },
    });
    let text = '';
    const reader = live.body!.pipeThrough(new TextDecoderStream()).getReader();
    while (!text.includes('from the worker')) {
      const { value, done } = await reader.read();
      assert.ok(!done, `the log ended before the run: ${text}`);
      text += value;
    }
    await api.call(`/v2/actor-runs/${run['id']}/abort`, { method: 'POST' });
    while (!(await reader.read()).done);
    assert.equal((await finishedRun(api, run['id'] as string))['status'], 'ABORTED');
    assert.equal((await worker.call('/v2/users/me')).status, 404);
  });
});
