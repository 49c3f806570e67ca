// The error types of storages, accounts and requests, each in a situation of its own. Rule A28.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, mock, test } from 'node:test';
import { actorsApi } from '../../../src/actors/api.ts';
import { sqliteStatements } from '../../../src/actors/request-queues/store-sqlite.ts';
import { route } from '../../../src/kernel/http/route.ts';
import { Type } from '../../../src/kernel/schema/schema.ts';
import type { ChangeActor } from '../../../src/kernel/identity/actor.ts';
import { contested } from '../../../src/kernel/storage/retry.ts';
import { eventually } from '../../eventually.ts';
import { mount } from '../../mount.ts';
import { giveToken, join } from '../../people.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../../server.ts';
import { answersIn, dial } from '../../wire.ts';
import { assertDescribed, listedStatus } from './error-tables.ts';

interface Failed {
  status: number;
  json: Json;
}

/** Waits for its body. */
const take = route(
  {
    id: 'fixture_take',
    method: 'POST',
    path: '/fixture',
    summary: 'Take a body',
    access: 'anyone',
    body: Type.Object({}),
    reply: { 200: Type.Object({}) },
  },
  () => ({}),
);

let server: TestServer;
let fixture: Awaited<ReturnType<typeof mount>>;
const sockets: Socket[] = [];
before(async () => {
  server = await startServer({
    recordBytes: 10,
    limit: { 'actors.key_value_store': { known: 3, anonymous: 3, seconds: 600 } },
  });
  fixture = await mount(server, { protocol: actorsApi.protocol, routes: [take] });
  fixture.http.on('connection', (socket: Socket) => sockets.push(socket));
});
after(async () => {
  await fixture.close();
  await server.stop();
});

async function call(path: string, init: CallInit = {}): Promise<Failed> {
  const answer = await server.call(`/v2/${path}`, init);
  const { type } = (answer.json['error'] ?? {}) as { type?: string };
  if (type !== undefined) assertDescribed(init.method ?? 'GET', `/v2/${path}`, answer.status, type);
  return answer;
}
const post = (path: string, body: unknown, headers = {}) => call(path, { method: 'POST', body, headers });
const put = (path: string, body: unknown, headers = {}) => call(path, { method: 'PUT', body, headers });

async function make(kind: string, body?: unknown): Promise<string> {
  const { json } = await post(kind, body);
  return `${kind}/${json['data'].id as string}`;
}

async function raw(request: string, meanwhile?: () => Promise<void>): Promise<Failed> {
  const wire = dial(fixture.url);
  wire.write(request);
  await meanwhile?.();
  const [answer] = answersIn(await wire.closed);
  return { status: answer!.status, json: JSON.parse(answer!.body) as Json };
}

const SCHEMA = { fields: { type: 'object', properties: { n: { type: 'number' } } }, views: { one: {} } };

const SITUATIONS: Record<string, () => Promise<Failed>> = {
  'invalid-input': () => post('datasets', '{'),
  'invalid-request': () => call('datasets/admin~'),
  'invalid-content-type-header': async () =>
    post(`${await make('datasets')}/items`, '{}', { 'content-type': 'text/plain' }),
  'invalid-client-key': async () => call(`${await make('request-queues')}/head?clientKey=${'x'.repeat(33)}`),
  'request-id-invalid': async () =>
    post(`${await make('request-queues')}/requests`, { id: 'wrong', uniqueKey: 'a' }),
  'invalid-record-key': async () => call(`${await make('key-value-stores')}/records/a%20b`),
  'schema-validation-error': async () =>
    post(`${await make('datasets', { schema: SCHEMA })}/items`, { n: 'no number' }),
  'dataset-schema-invalid': () => post('datasets', { schema: { fields: { type: 'nonsense' } } }),
  'dataset-does-not-have-schema': async () => call(`${await make('datasets')}/items?view=one`),
  'requested-dataset-view-does-not-exist': async () =>
    call(`${await make('datasets', { schema: SCHEMA })}/items?view=two`),
  'no-columns-in-exported-dataset': async () => {
    const dataset = await make('datasets');
    await post(`${dataset}/items`, [{}]);
    return call(`${dataset}/items?format=csv`);
  },
  'invalid-token': () => call('datasets/nothing', { token: null }),
  'insufficient-permissions': async () => {
    const reader = await join(server, 'reader', { role: 'reader' });
    return call('datasets', {
      method: 'POST',
      token: (await giveToken(server, reader, { role: 'reader' })).value,
    });
  },
  'record-not-found': () => call('datasets/nothing'),
  'user-not-found': () => call('users/nobody'),
  'page-not-found': () => call('nothing'),
  'method-not-allowed': () => call('users/me', { method: 'DELETE' }),
  'operation-timed-out': () => {
    const known = sockets.length;
    return raw('POST /v2/fixture HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab', async () => {
      await eventually(() => (sockets[known]?.bytesRead ?? 0) > 0);
      // As Node does after its timeout, which is too long for a test.
      const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      fixture.http.emit('clientError', late, sockets[known]!);
    });
  },
  'name-not-unique': async () => {
    await post('datasets?name=Taken', undefined);
    return put(await make('datasets'), { name: 'taken' });
  },
  'concurrent-update-detected': () => {
    const { changes } = server.app.kernel;
    const run = changes.run.bind(changes);
    let attempts = 0;
    const others = mock.method(changes, 'run', (actor: ChangeActor) =>
      run(actor, async () => {
        attempts += 1;
        throw contested('storage');
      }),
    );
    return post('datasets?name=fought-over', undefined).finally(() => {
      others.mock.restore();
      assert.equal(attempts, 8);
    });
  },
  'request-handled-or-locked': async () => {
    const queue = await make('request-queues');
    const { json } = await post(`${queue}/requests`, { uniqueKey: 'a' });
    return put(`${queue}/requests/${json['data'].requestId as string}/lock?lockSecs=5`, undefined);
  },
  'request-too-large': async () =>
    post(`${await make('datasets')}/items`, `{"a":"${'x'.repeat(9_437_184)}"}`),
  'record-too-large': async () => put(`${await make('key-value-stores')}/records/one`, 'x'.repeat(11)),
  'unsupported-content-encoding': async () =>
    put(`${await make('key-value-stores')}/records/one`, 'x', { 'content-encoding': 'zstd' }),
  'rate-limit-exceeded': async () => {
    const store = await make('key-value-stores');
    for (let calls = 0; calls < 3; calls += 1) await call(store);
    return call(store);
  },
  'invalid-header': () =>
    raw(
      `GET /v2/users/me HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\nConnection: close\r\n\r\n`,
    ),
  'internal-server-error': async () => {
    const queue = await make('request-queues');
    const broken = mock.method(sqliteStatements, 'listHead', () =>
      Promise.reject(new Error('the disk is gone')),
    );
    return call(`${queue}/head`).finally(() => broken.mock.restore());
  },
};

for (const [type, provoke] of Object.entries(SITUATIONS)) {
  test(`A28 ${type} occurs with the status of the table`, async () => {
    const { status, json } = await provoke();
    assert.deepEqual(
      [status, json['error'].type],
      [listedStatus(type), type],
      JSON.stringify(json).slice(0, 200),
    );
    assert.notEqual(json['error'].message, '', type);
  });
}
