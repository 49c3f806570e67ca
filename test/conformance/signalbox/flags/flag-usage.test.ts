// Evaluations of a flag over the Signalbox API: per variation by day, and by SDK.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { CallInit, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { eventCalls, summaryOf } from '../../flags/events/calls.ts';
import { openProject } from '../../flags/delivery/keys-calls.ts';

const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  const usage = (project: string, flag: string, query: string, init?: CallInit) =>
    server.call(`/signalbox/v1/projects/${project}/flags/${flag}/usage?${query}`, init);

  test('evaluations are added up by day and variation, and each SDK has its last time', async () => {
    const home = await openProject(server);
    await home.rest(`flags/${home.project}`, { method: 'POST', body: { key: 'f', name: 'F' } });
    const events = eventCalls(server, home);
    const fresh = await usage(home.project, 'f', 'environment=test');
    assert.deepEqual([fresh.json['days'], fresh.json['sdks'], fresh.json['isComplete']], [[], [], true]);
    await events.send([summaryOf({ f: { variation: 0, count: 3 } })]);
    await events.send([summaryOf({ f: { variation: 1, count: 2 } })]);
    await events.send([summaryOf({ f: { unknown: true, count: 1 } })], {
      headers: { 'x-launchdarkly-user-agent': 'GoClient/7.1' },
    });
    await events.save();
    const { status, json, text } = await usage(home.project, 'f', 'environment=test&days=2');
    assert.equal(status, 200, text);
    const today = server.clock.now() - (server.clock.now() % DAY);
    assert.equal(json['since'], today - DAY);
    assert.deepEqual(json['days'], [
      { at: today, count: 1 },
      { at: today, variation: 0, count: 3 },
      { at: today, variation: 1, count: 2 },
    ]);
    const sdks = json['sdks'].map(({ name, version, count }: Record<string, unknown>) => [
      name,
      version,
      count,
    ]);
    assert.deepEqual(sdks, [
      ['GoClient', '7.1', 1],
      ['NodeJSClient', '9.13.7', 5],
    ]);
    assert.deepEqual((await usage(home.project, 'f', 'environment=production')).json['days'], []);
  });

  test('what does not exist is not found, and only who may view the project sees it', async () => {
    const home = await openProject(server);
    await home.rest(`flags/${home.project}`, { method: 'POST', body: { key: 'f', name: 'F' } });
    assert.equal((await usage(home.project, 'none', 'environment=test')).status, 404);
    assert.equal((await usage(home.project, 'f', 'environment=none')).status, 404);
    assert.equal((await usage('none', 'f', 'environment=test')).status, 404);
    for (const query of ['', 'environment=test&days=0', 'environment=test&days=61'])
      assert.equal((await usage(home.project, 'f', query)).status, 422, query);
    const member = await join(server, `blind-${engine.kind}`, { role: 'owner' });
    const { value } = await giveToken(server, member, {
      isService: true,
      inlinePolicy: [{ effect: 'allow', actions: ['viewWebhook'], resources: ['webhook/*'] }],
    });
    assert.equal((await usage(home.project, 'f', 'environment=test', { token: value })).status, 403);
  });
});
