// SIGKILL of a server with runs in standby mode: they go on when it is back, answer again, and end when nobody needs them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor, finishedRun } from '../actors.ts';
import { script } from '../actor-sources.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import type { Json } from '../server.ts';
import { callerOf, settingsOn, startChild, type ChildServer } from './child-server.ts';

const PROGRAM = script(`
const { createServer } = await import('node:http');
createServer((request, response) => response.end(JSON.stringify({ run: env.ACTOR_RUN_ID, pid: process.pid }))).listen(Number(env.ACTOR_STANDBY_PORT));
`);

onEachEngine((engine) => {
  test('after a kill a run answers again, and is not left over after another', async (t) => {
    const { settings } = await settingsOn(engine);
    let child: ChildServer = await startChild(settings);
    t.after(() => child.kill());
    const server = callerOf(() => child.url);
    const actorStandby = { isEnabled: true, memoryMbytes: 256, idleTimeoutSecs: 3600 };
    const { id } = await createActor(server, PROGRAM, { fields: { actorStandby } });
    const path = `/standby/${id}/`;
    const first = await server.call(path);
    assert.equal(first.status, 200, first.text);
    await child.kill();
    child = await startChild(settings);
    const again = await server.call(path);
    assert.equal(again.status, 200, again.text);
    assert.equal(again.json['run'], first.json['run']);
    // The next start reads it. Before, even a machine that stops for a while has not ended the run.
    const sooner = { actorStandby: { ...actorStandby, idleTimeoutSecs: 5 } };
    const changed = await server.call(`/v2/actors/${id}`, { method: 'PUT', body: sooner });
    assert.equal(changed.status, 200, changed.text);
    await child.kill();
    child = await startChild(settings);
    await finishedRun(server, first.json['run'] as string);
    await eventually(async () => {
      const { items } = (await server.call(`/v2/actors/${id}/runs`)).json['data'] as { items: Json[] };
      return items.every(({ status }) => status === 'SUCCEEDED');
    }, 'the end of all runs');
  });
});
