// Standby mode: requests start runs of an Actor, share them, and end them by staying away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishedRun, logOf } from '../../../actors.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { onServer } from '../../../suites.ts';
import { createStandby, openHttpRequest, runOf, runsOf } from './calls.ts';
import type { Json, TestServer } from '../../../server.ts';

onEachEngine((engine) => {
  let server: TestServer;
  onServer(engine, { limits: 'off' }, (one) => {
    server = one;
    return Promise.resolve();
  });

  test('the first request starts a run, and the next ones get the same', async () => {
    const actor = await createStandby(server, {}, { name: `first-${engine.kind}` });
    const { status, json } = await server.call(`/standby/admin~first-${engine.kind}/a/b?c=d%20e&f`);
    assert.equal(status, 200);
    assert.equal(json['url'], '/a/b?c=d%20e&f');
    assert.equal(json['origin'], 'STANDBY');
    let run: Json = {};
    await eventually(async () => {
      run = await runOf(server, json['run'] as string);
      return run['isContainerServerReady'] === true;
    }, 'it is saved that the run is ready');
    assert.equal(run['status'], 'RUNNING');
    assert.equal(run['meta'].origin, 'STANDBY');
    assert.equal(run['options'].timeoutSecs, 0);
    assert.equal(run['options'].memoryMbytes, 256);
    assert.equal(run['containerUrl'], `${server.url}/container/${run['id']}`);
    assert.equal(new Set(json['ports'] as string[]).size, 1);
    assert.deepEqual(json['urls'], [`${server.url}/standby/admin~first-${engine.kind}`, run['containerUrl']]);
    assert.equal(json['timeout'], undefined);
    assert.equal(json['input'], undefined);
    const again = await server.call(`/standby/${actor['id']}`);
    assert.equal(again.json['run'], json['run']);
    assert.equal(again.json['url'], '/');
    const shown = (await server.call(`/v2/actors/${actor['id']}`)).json.data as Json;
    assert.equal(shown['standbyUrl'], `${server.url}/standby/admin~first-${engine.kind}`);
    assert.equal((await runsOf(server, actor['id'] as string)).length, 1);
  });

  test('eight requests at once have as many runs as the settings say, and none too many', async () => {
    const actor = await createStandby(server, { desiredRequestsPerActorRun: 3, maxRequestsPerActorRun: 4 });
    const path = `/standby/${actor['id']}/hold`;
    const open = Array.from({ length: 8 }, () => openHttpRequest(server, path));
    await eventually(async () => (await runsOf(server, actor['id'] as string)).length >= 3, 'three runs');
    const answers = await Promise.all(open.map((one) => one.end()));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    for (const { json } of answers) assert.ok((json['most'] as number) <= 4, `${json['most']} at once`);
    assert.equal((await runsOf(server, actor['id'] as string)).length, 3);
  });

  test('a run without requests is told to stop after the idle time, and has succeeded', async () => {
    const actor = await createStandby(server, { idleTimeoutSecs: 60 });
    const { json } = await server.call(`/standby/${actor['id']}/`);
    const id = json['run'] as string;
    server.clock.ahead += 61_000;
    const run = await finishedRun(server, id);
    assert.equal(run['status'], 'SUCCEEDED');
    assert.equal(run['containerUrl'], undefined);
    assert.match(await logOf(server, id), /terminated/);
    const next = await server.call(`/standby/${actor['id']}/`);
    assert.equal(next.status, 200);
    assert.notEqual(next.json['run'], id);
  });
});
