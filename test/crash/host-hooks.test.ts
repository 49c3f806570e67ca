// SIGKILL after an event was recorded and before webhooks delivered it: they do after the next start, once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { onEngine } from '../engines.ts';
import { openReceiver } from '../webhook-receiver.ts';
import { callerOf, settingsOn, startChild } from './child-server.ts';

onEngine('sqlite', (engine) => {
  test('after a kill webhooks deliver what was acknowledged before', needsGit, async (t) => {
    const { settings } = await settingsOn(engine);
    const allowed = { ...settings, SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS: '1' };
    const receiver = await openReceiver();
    t.after(() => receiver.close());
    // Without background work nothing is delivered before the kill.
    let child = await startChild({ ...allowed, SIGNALBOX_ROLE: 'api' });
    t.after(() => child.kill());
    const server = callerOf(() => child.url);
    const expect = async (status: number, method: string, path: string, body?: unknown) => {
      const answer = await server.call(path, { method, ...(body !== undefined && { body }) });
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    };
    await expect(201, 'POST', '/user/repos', { name: 'demo' });
    const config = { url: `${receiver.url}/demo`, content_type: 'json', secret: 'key' };
    await expect(201, 'POST', '/repos/admin/demo/hooks', { config, events: ['star', 'push'] });
    await expect(204, 'PUT', '/user/starred/admin/demo');
    await expect(201, 'PUT', '/repos/admin/demo/contents/a.txt', { message: 'a', content: 'YQ==' });
    await expect(204, 'DELETE', '/user/starred/admin/demo');
    assert.deepEqual(receiver.received, []);
    await child.kill();
    child = await startChild(allowed);
    const received = await receiver.wait('/demo', 4);
    const names = received.map(({ headers, json }) =>
      [headers['x-github-event'], json['action']].filter((word) => word !== undefined).join(' '),
    );
    assert.deepEqual(names.toSorted(), ['ping', 'push', 'star created', 'star deleted']);
    assert.equal(new Set(received.map(({ headers }) => headers['x-github-delivery'])).size, 4);
  });
});
