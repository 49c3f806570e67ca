// Invalid calls to request queues: the right status, and nothing changed (A15, A28, with A2 and A3).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import { ADMIN_TOKEN, type Answer, type CallInit, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { queueCalls, type Queue } from './queue-calls.ts';

const idOf = (uniqueKey: string) =>
  createHash('sha256').update(uniqueKey).digest('base64').replaceAll(/[+/=]/g, '').slice(0, 15);
const ID = idOf('there');

/** Every route of a queue's requests, with a valid call. */
const ROUTES: [name: string, path: string, init?: CallInit][] = [
  ['add', '/requests', { method: 'POST', body: { url: 'https://new.test' } }],
  ['batch add', '/requests/batch', { method: 'POST', body: [{ url: 'https://new.test' }] }],
  ['list', '/requests'],
  ['get', `/requests/${ID}`],
  [
    'update',
    `/requests/${ID}`,
    { method: 'PUT', body: { id: ID, uniqueKey: 'there', url: 'https://new.test' } },
  ],
  ['delete', `/requests/${ID}`, { method: 'DELETE' }],
  ['batch delete', '/requests/batch', { method: 'DELETE', body: [{ id: ID }] }],
  ['head', '/head'],
  ['lock', '/head/lock?lockSecs=5', { method: 'POST' }],
  ['prolong', `/requests/${ID}/lock?lockSecs=5`, { method: 'PUT' }],
  ['unlock', `/requests/${ID}/lock`, { method: 'DELETE' }],
  ['unlock all', '/requests/unlock', { method: 'POST' }],
];

onEachEngine((engine) => {
  let server: TestServer;
  let queue: Queue;
  let state: string;
  before(async () => {
    server = await startServerOn(engine, {
      limits: 'off',
    });
    queue = await queueCalls(() => server).make();
    // Two clients from the start, so that none of the calls can change that.
    for (let client = 0; client < 2; client += 1)
      await queue.add({ url: 'https://example.com', uniqueKey: 'there' });
    state = await stateOf();
  });
  after(async () => {
    assert.equal(
      server.log.some(({ failure }) => failure === 'internal'),
      false,
    );
    await server.stop();
  });

  /** The whole visible state of the queue, without usage counters. */
  async function stateOf(): Promise<string> {
    const { totalRequestCount, handledRequestCount, hadMultipleClients } = (await queue.call('')).json[
      'data'
    ];
    const { items } = (await queue.call('/requests?clientKey=observer')).json['data'];
    return JSON.stringify({ totalRequestCount, handledRequestCount, hadMultipleClients, items });
  }

  async function assertRefused(
    label: string,
    answer: Promise<Answer>,
    expected: [status: number, type?: string],
  ): Promise<void> {
    const { status, json } = await answer;
    assert.equal(status, expected[0], `${label}: ${JSON.stringify(json)}`);
    if (expected[1] !== undefined) assert.equal(json['error'].type, expected[1], label);
    assert.deepEqual(Object.keys(json), ['error'], label);
    assert.equal(await stateOf(), state, label);
  }

  test('A2 no call is answered without a token', async () => {
    for (const [label, path, init] of ROUTES) {
      await assertRefused(label, queue.call(path, { ...init, token: null }), [401, 'invalid-token']);
      await assertRefused(label, queue.call(path, { ...init, token: 'api-wrong' }), [401, 'invalid-token']);
    }
  });

  test('A28 the queue of another is not found, named or not', async () => {
    const eve = await join(server, 'eve', { role: 'writer' });
    const { value: token } = await giveToken(server, eve, { role: 'writer' });
    for (const [label, path, init] of ROUTES) {
      await assertRefused(label, queue.call(path, { ...init, token }), [404, 'record-not-found']);
    }
    const { json } = await server.call('/v2/request-queues?name=private', { method: 'POST' });
    for (const [label, path, init] of ROUTES) {
      const answer = server.call(`/v2/request-queues/${json['data'].id}${path}`, { ...init, token });
      await assertRefused(label, answer, [404, 'record-not-found']);
    }
  });

  test('A28 a reader may look and may not change', async () => {
    const rita = await join(server, 'rita', { role: 'writer' });
    const { value: writes } = await giveToken(server, rita, { role: 'writer' });
    const { value: token } = await giveToken(server, rita, { role: 'reader' });
    const own = await queueCalls(() => server).make(writes);
    await own.add({ url: 'https://example.com', uniqueKey: 'there' });
    for (const [label, path, init] of ROUTES) {
      const { status } = await own.call(path, { ...init, token });
      assert.equal(status, init?.method === undefined ? 200 : 403, label);
    }
  });

  test('A28 a queue that everyone may read can be looked at, and nothing more', async () => {
    const open = await queueCalls(() => server).make();
    await open.add({ url: 'https://example.com', uniqueKey: 'there' });
    await open.call('', { method: 'PUT', body: { generalAccess: 'ANYONE_WITH_ID_CAN_READ' } });
    for (const [label, path, init] of ROUTES) {
      const { status } = await open.call(path, { ...init, token: null });
      assert.equal(status, init?.method === undefined ? 200 : 401, label);
    }
  });

  test('A3 an unknown queue is not found', async () => {
    for (const reference of ['aaaaaaaaaaaaaaaaaaaaaaaa', 'admin~nothing', '~nothing', 'nobody~x', '%20']) {
      for (const [label, path, init] of ROUTES) {
        const answer = server.call(`/v2/request-queues/${reference}${path}`, init);
        await assertRefused(`${label} ${reference}`, answer, [404, 'record-not-found']);
      }
    }
  });

  test('A28 an unknown request is not found', async () => {
    for (const id of ['aaaaaaaaaaaaaaa', 'short', 'x'.repeat(200), '%27%22%3B--', '%7B%7D', 'ü']) {
      await assertRefused('get', queue.call(`/requests/${id}`), [404, 'record-not-found']);
      await assertRefused('delete', queue.call(`/requests/${id}`, { method: 'DELETE' }), [
        404,
        'record-not-found',
      ]);
      for (const method of ['PUT', 'DELETE']) {
        const answer = queue.call(`/requests/${id}/lock?lockSecs=5`, { method });
        await assertRefused(`${method} lock`, answer, [404, 'record-not-found']);
      }
    }
  });

  test('A28 a verb that a route has not is refused', async () => {
    const allowed: Record<string, string[]> = {
      '/requests': ['GET', 'POST'],
      '/requests/batch': ['POST', 'DELETE'],
      [`/requests/${ID}`]: ['GET', 'PUT', 'DELETE'],
      '/head': ['GET'],
      '/head/lock': ['POST'],
      [`/requests/${ID}/lock`]: ['PUT', 'DELETE'],
      '/requests/unlock': ['POST'],
    };
    for (const [path, methods] of Object.entries(allowed)) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (methods.includes(method)) continue;
        await assertRefused(`${method} ${path}`, queue.call(path, { method }), [405, 'method-not-allowed']);
      }
    }
  });

  // Rejected before any statement runs.
  if (engine.kind === 'sqlite') {
    test('A15 a field of the wrong type is refused, in every call that takes a request', async () => {
      const wrong: Record<string, unknown[]> = {
        id: [5, null, {}],
        uniqueKey: [5, null, '', [], {}, 'a\0b', '\ud800'],
        url: [5, null, '', [], {}, 'https://a.test/\0', '\udfff'],
        method: ['get', 'FETCH', '', 5, null],
        retryCount: ['1', 1.5, -1, null, {}],
        loadedUrl: [5, {}, []],
        payload: [5, true, []],
        headers: ['a: b', 5, []],
        userData: ['text', 5, null, []],
        noRetry: ['true', 1, {}],
        errorMessages: ['oops', [5], [null], {}],
        handledAt: [
          'yesterday',
          '',
          5,
          true,
          '2026-02-30',
          '2026-99-99T00:00:00Z',
          '12:00',
          'Mon, 01 Jan 2026',
        ],
      };
      for (const [field, values] of Object.entries(wrong)) {
        for (const value of values) {
          const label = `${field}: ${JSON.stringify(value)}`;
          const body = { url: 'https://new.test', uniqueKey: 'new', [field]: value };
          const types: [number] = [400];
          await assertRefused(label, queue.add(body), types);
          await assertRefused(label, queue.addBatch([{ url: 'https://good.test' }, body]), types);
          const update = { id: ID, uniqueKey: 'there', url: 'https://new.test', [field]: value };
          await assertRefused(label, queue.call(`/requests/${ID}`, { method: 'PUT', body: update }), types);
        }
      }
    });
  }

  if (engine.kind === 'sqlite') {
    test('A28 a body that is not what the route takes is refused', async () => {
      const bodies: [label: string, init: CallInit, status: number][] = [
        ['no JSON', { body: '{"url":' }, 400],
        [
          'another type',
          { body: '{"url":"https://a.test"}', headers: { 'content-type': 'text/plain' } },
          400,
        ],
        [
          'a form',
          { body: 'url=https://a.test', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
          400,
        ],
        ['null', { body: 'null' }, 400],
        ['a number', { body: '5' }, 400],
        ['a string', { body: '"https://a.test"' }, 400],
        ['nothing', {}, 400],
        [
          'too deep',
          { body: `{"url":"https://a.test","userData":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}` },
          400,
        ],
        [
          'too large',
          { body: JSON.stringify({ url: 'https://a.test', payload: 'x'.repeat(9_437_184) }) },
          413,
        ],
        [
          'a bomb',
          {
            body: gzipSync(JSON.stringify({ url: 'https://a.test', payload: 'x'.repeat(20_000_000) })),
            headers: { 'content-encoding': 'gzip' },
          },
          413,
        ],
        ['no such encoding', { body: '{}', headers: { 'content-encoding': 'zstd2' } }, 415],
        ['not that encoding', { body: '{}', headers: { 'content-encoding': 'br' } }, 400],
      ];
      for (const [label, init, status] of bodies) {
        for (const [method, path] of [
          ['POST', '/requests'],
          ['POST', '/requests/batch'],
          ['PUT', `/requests/${ID}`],
          ['DELETE', '/requests/batch'],
        ] as const) {
          await assertRefused(`${method} ${path} ${label}`, queue.call(path, { method, ...init }), [status]);
        }
      }
      for (const body of [[], [{ url: 'https://a.test' }]]) {
        await assertRefused('a list', queue.add(body), [400]);
        await assertRefused('a list', queue.call(`/requests/${ID}`, { method: 'PUT', body }), [400]);
      }
      for (const body of [{ url: 'https://a.test' }, [5], [null], ['https://a.test'], [[]], [{}]]) {
        await assertRefused('no list of requests', queue.addBatch(body), [400]);
        await assertRefused('no list of names', queue.removeBatch(body), [400]);
      }
    });
  }

  test('A28 a query of the wrong kind is refused', async () => {
    for (const query of [
      'limit=x',
      'limit=-1',
      'limit=1.5',
      'limit=1&limit=2',
      'limit=%00',
      'clientKey=a&clientKey=b',
    ]) {
      await assertRefused(query, queue.call(`/head?${query}`), [400]);
      await assertRefused(query, queue.call(`/requests?${query}`), [400]);
      await assertRefused(query, queue.call(`/head/lock?lockSecs=5&${query}`, { method: 'POST' }), [400]);
    }
    for (const query of [
      'lockSecs=1e9',
      'lockSecs=99999999999',
      'lockSecs=NaN',
      'lockSecs=5&lockSecs=6',
      'lockSecs=-0',
    ]) {
      await assertRefused(query, queue.call(`/head/lock?${query}`, { method: 'POST' }), [400]);
      await assertRefused(query, queue.call(`/requests/${ID}/lock?${query}`, { method: 'PUT' }), [400]);
    }
    for (const query of [
      'cursor=',
      'cursor=%00',
      'cursor=aWQ6',
      'cursor=b3JkZXI6eA',
      'filter=',
      'filter=handled',
    ]) {
      await assertRefused(query, queue.call(`/requests?${query}`), [400]);
    }
  });

  test('A28 NUL in a path is refused', async () => {
    for (const [label, path, init] of ROUTES) {
      const answer = server.call(`/v2/request-queues/a%00b${path}`, init);
      assert.ok([400, 404].includes((await answer).status), label);
    }
    for (const method of ['GET', 'DELETE']) {
      assert.ok([400, 404].includes((await queue.call('/requests/a%00b', { method })).status), method);
    }
    assert.equal(await stateOf(), state);
  });

  test('A28 a large request that is good is kept', async () => {
    const large = await queueCalls(() => server).make();
    const userData = { text: 'ü'.repeat(4_000_000) };
    assert.equal((await large.add({ url: 'https://a.test', uniqueKey: 'large', userData })).status, 201);
    const { json } = await large.call(`/requests/${idOf('large')}`, { token: ADMIN_TOKEN });
    assert.equal(json['data'].userData.text.length, 4_000_000);
  });
});
