// The command `api impact`, against a server in the process of the test.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { giveToken, openBrowser } from '../../../test/people.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../test/server.ts';
import { joinHost, type HostPerson } from '../../../test/host-people.ts';
import { run } from '../fixture.ts';

let server: TestServer;
let ada: HostPerson;

before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
});
after(() => server.stop());

const impact = (argv: string[], token: string | undefined = ada.token) =>
  run(['api', 'impact', '--url', server.url, ...(token === undefined ? [] : ['--token', token]), ...argv]);

test('where nothing would change, the exit code is 0 and the next step is named', async () => {
  const { code, out, err } = await impact(['--no-json']);
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^Nothing to do\. No recorded call of yours would change in version 2026-03-10\./);
  assert.match(out, /Next: send the header X-Host-Api-Version: 2026-03-10\./);
});

test('calls that would change are listed with what to do, and the exit code is 1', async () => {
  await ada.repository('shop');
  await ada.get('/repos/ada/shop');
  await ada.get('/repos/ada/shop');
  const { code, out } = await impact(['--no-json', '--to', '2026-03-10']);
  assert.equal(code, 1);
  assert.match(out, /^Version 2026-03-10 would change 3 recorded calls:/);
  assert.match(
    out,
    /2 {2,}\d{4}-\d\d-\d\d \d\d:\d\d {2}given \(ada\) {2,}2022-11-28 {2,}GET \/repos\/\{owner\}\/\{repo\}/,
  );
  assert.match(
    out,
    /has_downloads` removed from repositories\n {4}Instead: .+\n {4}Fields: {2}reply: has_downloads removed/,
  );
  const json = await impact([]);
  assert.equal(json.code, 1);
  assert.equal((JSON.parse(json.out) as { calls: unknown[] }).calls.length, 2);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  assert.equal((await impact(['--since', later])).code, 0);
});

test('administrators see all tokens, and hostile names cannot control a terminal', async () => {
  const { value } = await giveToken(server, ada.member, { role: 'writer', name: 'red\u{1B}[31m' });
  await server.call('/repos/ada/shop', { token: value });
  const { code, out } = await impact(['--all', '--no-json'], ADMIN_TOKEN);
  assert.equal(code, 1);
  assert.ok(out.includes('red?[31m (ada)') && !out.includes('\u{1B}'));
  const refused = await impact(['--all']);
  assert.deepEqual([refused.code, refused.out], [2, '']);
  assert.match(refused.err, /answers 403: Only administrators/);
});

test('pages that are short, or empty, are followed to the last', async () => {
  const bob = await joinHost(server, 'bob');
  await bob.repository('shop');
  const { value, id } = await giveToken(server, bob.member, { role: 'writer', name: 'many' });
  await server.call('/repos/bob/shop', { token: value });
  // Operations that this release no longer has, with more calls than the one that it has: two pages of nothing, then the call.
  const { db } = server.app.kernel;
  const gone = Array.from({ length: 230 }, (_, index) => ({
    caller: id,
    api: 'host',
    version: '2022-11-28',
    variant: '',
    operation: `gone/${index}`,
    kind: 'token',
    member_id: bob.member.id,
    changed_in: '2026-03-10',
    calls: 1000,
    first_at: Date.now(),
    last_at: Date.now(),
  }));
  await db.insertInto('version_usage').values(gone).execute();
  const { code, out } = await impact([], bob.token);
  assert.equal(code, 1);
  const { calls, is_cut: isCut } = JSON.parse(out) as { calls: { operation: string }[]; is_cut?: boolean };
  assert.deepEqual(calls.map(({ operation }) => operation).toSorted(), [
    'repos/create-for-authenticated-user',
    'repos/get',
  ]);
  assert.equal(isCut, undefined);
  const page = await server.call('/docs/host/versions/2026-03-10/impact', {
    token: null,
    headers: await openBrowser(server, bob.member),
  });
  assert.match(page.text, /Next page/);
  assert.doesNotMatch(page.text, /Nothing to do/);
});

test('without a report the exit code is 2, and a sentence says what to do', async () => {
  for (const [argv, words] of [
    [['--url', server.url], /Give a token with --token or in SIGNALBOX_TOKEN/],
    [['--url', server.url, '--token', 'api-wrong'], /rejects the token/],
    [
      ['--url', server.url, '--token', ada.token, '--to', '1999-01-01'],
      /has no report at \/versions\/1999-01-01\/impact: check --to/,
    ],
    [['--url', server.url, '--token', ada.token, '--since', 'soon'], /--since must be a time/],
    [['--url', 'ftp://x', '--token', 'x'], /--url must be a URL/],
    [['--url', 'http://127.0.0.1:1', '--token', 'x'], /cannot be reached/],
    [['--url', server.url, '--token', 'tök✓'], /The token has characters that no token has/],
    [['--data', '/nonexistent', '--token', 'x'], /No server is ready on/],
  ] as const) {
    const { code, out, err } = await run(['api', 'impact', ...argv]);
    assert.deepEqual([code, out], [2, ''], argv.join(' '));
    assert.match(err, words);
  }
});

test('a server that answers with other JSON is no report either: the exit code is never that of calls to change', async () => {
  let reply: [status: number, body: string] = [200, ''];
  const other = createServer((_request, response) => response.writeHead(reply[0]).end(reply[1]));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const report = { version: 'v', state: 's', header: 'h', documentation_url: 'd', unrecorded_calls: 0 };
  const bodies = [
    '{}',
    'null',
    '[]',
    '[1]',
    '"x"',
    'x',
    '{"calls":[{}]}',
    JSON.stringify({ ...report, calls: [{}] }),
  ];
  try {
    for (const body of bodies) {
      for (const argv of [[], ['--to', '2026-03-10']]) {
        reply = [200, body];
        const found = await run(['api', 'impact', '--url', url, '--token', 'x', '--no-json', ...argv]);
        assert.deepEqual([found.code, found.out], [2, ''], body);
        assert.match(found.err, /is not a server with the Host API/, body);
      }
    }
    reply = [500, 'null'];
    const failed = await run(['api', 'impact', '--url', url, '--token', 'x']);
    assert.deepEqual([failed.code, failed.out], [2, '']);
    assert.match(failed.err, /answers 500: without a reason/);
  } finally {
    other.close();
    other.closeAllConnections();
  }
});
