// What needs attention about request queues: requests whose locks expired, with those who held them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Member } from '../../../src/kernel/identity/store-members.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import { startServerOn } from '../../suites.ts';
import type { Json, TestServer } from '../../server.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

onEachEngine((engine) => {
  let server: TestServer;
  let member: Member;
  let own: string;

  const make = async (path: string, body: object = {}): Promise<Json> => {
    const { status, json, text } = await server.call(path, { method: 'POST', token: own, body });
    assert.ok(status === 201 || status === 200, text);
    return json['data'] as Json;
  };
  const addQueue = async (name: string, keys: readonly string[]): Promise<string> => {
    const { id } = await make(`/v2/request-queues?name=${name}`);
    for (const uniqueKey of keys)
      await make(`/v2/request-queues/${id}/requests`, { uniqueKey, url: 'https://example.com/' });
    return id as string;
  };
  const lock = (id: string, limit: number, client?: string) =>
    make(
      `/v2/request-queues/${id}/head/lock?lockSecs=60&limit=${limit}${client === undefined ? '' : `&clientKey=${client}`}`,
    );
  const expired = async (token: string | undefined = own): Promise<Json[]> => {
    const { json, text } = await server.call('/signalbox/v1/attention', { token });
    assert.ok(Array.isArray(json['items']), text);
    return (json['items'] as Json[]).filter(({ kind }) => kind === 'expired-locks');
  };

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    server.clock.stop();
    member = await join(server, 'ada', { role: 'writer' });
    own = (await giveToken(server, member, { role: 'writer' })).value;
  });
  after(() => server.stop());

  test('locks that expired are there with those who held them, a minute later, until a client takes the requests', async () => {
    const id = await addQueue('orders', ['a', 'b', 'c', 'd']);
    await lock(id, 2, 'crawler-1');
    await lock(id, 1);
    assert.deepEqual(await expired(), [], 'they are held');
    server.clock.ahead += MINUTE + 30_000;
    assert.deepEqual(await expired(), [], 'the next client may still be on its way');
    server.clock.ahead += MINUTE;
    const [cause, ...more] = await expired();
    assert.deepEqual(more, []);
    assert.deepEqual(cause, {
      id: `expired-locks-${id}`,
      kind: 'expired-locks',
      urgency: 'failing',
      title: 'orders',
      reason:
        'The client crawler-1 and another held the locks, and no client has asked for the requests since.',
      at: server.clock.now() - MINUTE - 30_000,
      count: 3,
      action: { label: 'Look at the queue', path: `storage/queues/${id}` },
    });
    await lock(id, 4, 'crawler-2');
    assert.deepEqual(await expired(), []);
    await make(`/v2/request-queues/${id}/requests/unlock?clientKey=crawler-2`);
    server.clock.ahead += 5 * MINUTE;
    assert.deepEqual(await expired(), [], 'a lock that was released has not expired');
  });

  test('what is handled has lost no lock, and a queue that was left alone for a week is forgotten', async () => {
    const done = await addQueue('done', ['a']);
    const { items } = await lock(done, 1, 'only');
    const request = { ...items[0], handledAt: new Date(server.clock.now()).toISOString() } as Json;
    const handled = await server.call(`/v2/request-queues/${done}/requests/${request['id'] as string}`, {
      method: 'PUT',
      token: own,
      body: request,
    });
    assert.equal(handled.status, 200, handled.text);
    await lock(await addQueue('left', ['a']), 1);
    server.clock.ahead += 5 * MINUTE;
    assert.deepEqual(
      (await expired()).map(({ title, count, reason }) => [title, count, reason]),
      [['left', 1, 'A client without a key held the locks, and no client has asked for the requests since.']],
    );
    server.clock.ahead += 8 * DAY;
    assert.deepEqual(await expired(), []);
  });

  test('they are shown to nobody who may not see the queue', async () => {
    await lock(await addQueue('hidden', ['a']), 1, 'only');
    server.clock.ahead += 5 * MINUTE;
    assert.equal((await expired()).length, 1);
    const narrow = await giveToken(server, member, {
      inlinePolicy: [{ effect: 'allow', actions: ['viewAttention'], resources: ['member/me:attention/*'] }],
    });
    assert.deepEqual(await expired(narrow.value), []);
    const olga = await giveToken(server, await join(server, 'olga'), { role: 'reader' });
    assert.deepEqual(await expired(olga.value), []);
    const { json } = await server.call('/signalbox/v1/attention');
    assert.ok(!JSON.stringify(json).includes('expired-locks'), 'not even an administrator');
  });
});
