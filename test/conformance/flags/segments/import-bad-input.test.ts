// Bad input for imports and exports of big segments: the right status, an error object, and nothing left behind.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { eventually } from '../../../eventually.ts';
import { ADMIN_TOKEN, startServer, type CallInit, type TestServer } from '../../../server.ts';
import { dial } from '../../../wire.ts';
import { fileCalls, toForm } from './file-calls.ts';

const MB = 1024 * 1024;

let server: TestServer;
const { call, at, makeProject, post, read, change, send, startExport, leftovers } = fileCalls(() => server);

before(async () => {
  server = await startServer({ limits: 'off' });
  await makeProject();
  await post({ key: 'big', name: 'Big', unbounded: true });
  await post({ key: 'small', name: 'Small' });
  await change('big', { included: { add: ['ada'] } });
});
after(() => server.stop());

const cleared = () => eventually(async () => (await leftovers()).length === 0);

test('F33 a form that is none, or lacks what it needs, is refused', async () => {
  const whole = await toForm('a\nb\n');
  const bytes = whole.body as Uint8Array;
  const cases: [what: string, init: CallInit, status: number][] = [
    ['no body', { method: 'POST' }, 400],
    ['JSON', { method: 'POST', body: { file: 'a' } }, 400],
    ['text', { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a\nb' }, 400],
    ['no boundary', { ...whole, headers: { 'content-type': 'multipart/form-data' } }, 400],
    ['another boundary', { ...whole, headers: { 'content-type': 'multipart/form-data; boundary=x' } }, 400],
    ['half a form', { ...whole, body: bytes.subarray(0, -10) }, 400],
    ['an encoding', { ...whole, headers: { ...whole.headers, 'content-encoding': 'gzip' } }, 400],
    ['no file', await toForm(undefined, { mode: 'merge' }), 400],
    ['an empty file', await toForm(''), 400],
    ['an unknown mode', await toForm('a', { mode: 'append' }), 400],
    ['an empty mode', await toForm('a', { mode: '' }), 400],
    ['a long mode', await toForm('a', { mode: 'x'.repeat(2000) }), 400],
    ['no yes or no', await toForm('a', { waitOnApprovals: 'perhaps' }), 400],
  ];
  const form = new FormData();
  form.append('file', new Blob(['a']), 'one.csv');
  form.append('file', new Blob(['b']), 'two.csv');
  const twice = new Response(form);
  cases.push([
    'two files',
    {
      method: 'POST',
      headers: { 'content-type': twice.headers.get('content-type')! },
      body: new Uint8Array(await twice.arrayBuffer()),
    },
    400,
  ]);
  for (const [what, init, expected] of cases) {
    const { status, json } = await call(`${at('big')}/imports`, init);
    assert.deepEqual([status, Object.keys(json)], [expected, ['code', 'message', 'id']], what);
  }
  await cleared();
  const { json } = await read('big');
  assert.deepEqual([json['version'], json['_importInProgress']], [2, false]);
});

test('a file may be a plain field, and other fields are left alone', async () => {
  const form = new FormData();
  form.set('note', 'x'.repeat(5000));
  form.set('file', 'bob\n');
  const whole = new Response(form);
  const { status } = await call(`${at('big')}/imports`, {
    method: 'POST',
    headers: { 'content-type': whole.headers.get('content-type')! },
    body: new Uint8Array(await whole.arrayBuffer()),
  });
  assert.equal(status, 204);
  await eventually(async () => (await read('big')).json['version'] === 3);
});

test('F33 what is not there is 404, what is no big segment 400, and another verb 405', async () => {
  for (const path of ['segments/shop/test/none', 'segments/shop/none/big', 'segments/none/test/big']) {
    assert.equal((await call(`${path}/imports`, await toForm('a'))).status, 404, path);
    assert.equal((await call(`${path}/exports`, { method: 'POST' })).status, 404, path);
  }
  for (const { status, json } of [await send('small', 'a'), await startExport('small')])
    assert.deepEqual([status, json['code']], [400, 'invalid_request']);
  for (const id of ['none', '0'.repeat(24), 'a%20b', '-']) {
    for (const kind of ['imports', 'exports'])
      assert.equal((await call(`${at('big')}/${kind}/${id}`)).status, 404, `${kind} ${id}`);
    assert.equal((await call(`${at('big')}/exports/${id}/file`)).status, 404);
  }
  for (const method of ['PUT', 'PATCH', 'DELETE', 'GET'])
    for (const kind of ['imports', 'exports']) {
      const { status, headers } = await call(`${at('big')}/${kind}`, { method });
      assert.deepEqual([status, headers.get('allow')], [405, 'OPTIONS, POST']);
    }
  await cleared();
});

function raw(headers: Record<string, string | number>) {
  const outgoing = request(`${server.url}/api/v2/${at('big')}/imports`, {
    method: 'POST',
    headers: { authorization: ADMIN_TOKEN, 'content-type': 'multipart/form-data; boundary=x', ...headers },
  });
  outgoing.on('error', () => {}); // tests check the response and the stored data
  return outgoing;
}
const HEAD = '--x\r\ncontent-disposition: form-data; name="file"; filename="k.csv"\r\n\r\n';

test('a file that is too large is refused by its length, or when it has come so far', async () => {
  const announced = raw({ 'content-length': 200 * MB });
  announced.flushHeaders();
  const [early] = (await once(announced, 'response')) as [{ statusCode: number }];
  announced.destroy();
  assert.equal(early.statusCode, 413);

  const endless = raw({});
  let status = 0;
  endless.on('response', (response) => {
    status = response.statusCode!;
    response.resume();
  });
  endless.write(HEAD);
  const piece = Buffer.alloc(MB, 'some-key\n');
  for (let sent = 0; sent < 102; sent += 1) if (!endless.write(piece)) await once(endless, 'drain');
  endless.end('\r\n--x--');
  await eventually(() => status !== 0);
  assert.equal(status, 413);
  await cleared();
});

test('a caller who goes away in the middle leaves nothing', async () => {
  const { db } = server.app.kernel;
  const planned = async () =>
    (await db.selectFrom('due').select('id').where('kind', '=', 'flags.segment-import-file').execute())
      .length;
  const known = await planned();
  const leaving = raw({});
  leaving.write(HEAD + 'a\n'.repeat(100_000));
  await eventually(async () => (await planned()) > known);
  leaving.destroy();
  await eventually(() => server.log.some(({ msg }) => /caller went away/.test(String(msg))));
  await cleared();
  assert.equal((await read('big')).json['_importInProgress'], false);
});

test('who is refused while sending, or sends more than a form, can send to the end and go on', async () => {
  const mode = '--x\r\ncontent-disposition: form-data; name="mode"\r\n\r\n';
  for (const [start, status] of [
    [`${mode}${'m'.repeat(2000)}\r\n${HEAD}`, 400],
    [`${HEAD}some-key\r\n--x--\r\n`, 204],
  ] as const) {
    const wire = dial(server.url);
    const common = `Host: localhost\r\nAuthorization: ${ADMIN_TOKEN}\r\n`;
    const length = start.length + 20 * MB;
    wire.write(
      `POST /api/v2/${at('big')}/imports HTTP/1.1\r\n${common}Content-Length: ${length}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\n\r\n${start}`,
    );
    wire.write(Buffer.alloc(20 * MB, 'more\n'));
    wire.write(`GET /api/v2/caller-identity HTTP/1.1\r\n${common}Connection: close\r\n\r\n`);
    const statuses = [...(await wire.closed).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code));
    assert.deepEqual(statuses, [status, 200]);
  }
});
