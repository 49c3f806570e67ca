// A run and a build whose server dies again and again: they are given up, and do not keep the server from starting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor, finishedRun, startRun } from '../actors.ts';
import { script } from '../actor-sources.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import type { Json } from '../server.ts';
import { callerOf, settingsOn, startChild, type ChildServer } from './child-server.ts';

const REASON =
  /^The server ended unexpectedly 5 times within an hour while it executed this (run|build), so /;

onEachEngine((engine) => {
  test('after the fifth death within an hour a run and a build fail with the reason', async (t) => {
    const { location, settings } = await settingsOn(engine);
    let child: ChildServer = await startChild(settings);
    t.after(() => child.kill());
    const server = callerOf(() => child.url);
    const actor = await createActor(server, script('await sleep(1e9)'), { name: 'poison' });
    const version = {
      versionNumber: '0.2',
      sourceType: 'SOURCE_FILES',
      sourceFiles: [
        { name: 'main.js', format: 'TEXT', content: '' },
        {
          name: 'package.json',
          format: 'TEXT',
          content: JSON.stringify({ scripts: { start: 'node main.js', build: 'sleep 1000' } }),
        },
      ],
    };
    const path = `/v2/actors/${actor['id']}`;
    assert.equal((await server.call(`${path}/versions`, { method: 'POST', body: version })).status, 201);
    const { id: run } = await startRun(server, actor['id'] as string, { query: 'memory=128' });
    const begun = await server.call(`${path}/builds?version=0.2`, { method: 'POST' });
    const build = begun.json.data.id as string;
    const statusOf = async (what: string) => (await server.call(what)).json.data as Json;
    await eventually(async () => {
      const both = [await statusOf(`/v2/actor-runs/${run}`), await statusOf(`/v2/actor-builds/${build}`)];
      return both.every(({ status }) => status === 'RUNNING');
    }, 'both are executed');
    await child.kill();
    // Four more, so that the test need not wait for what follows each of them.
    const database = await engine.open([], location);
    const now = Date.now();
    const deaths = JSON.stringify([1, 2, 3, 4].map((n) => ({ at: now - n * 60_000, owner: `node/${n}.1` })));
    await database.db.updateTable('jobs').set({ deaths }).execute();
    await database.close();

    child = await startChild(settings);
    const ended = await finishedRun(server, run as string);
    assert.equal(ended['status'], 'FAILED');
    assert.match(ended['statusMessage'] as string, REASON);
    assert.match((await server.call(`/v2/logs/${run}`)).text, /The server ended unexpectedly 5 times/);
    let last: Json = {};
    await eventually(async () => {
      last = await statusOf(`/v2/actor-builds/${build}`);
      return last['finishedAt'] != null;
    }, 'the end of the build');
    assert.equal(last['status'], 'FAILED');
    assert.match(last['statusMessage'] as string, REASON);
  });
});
