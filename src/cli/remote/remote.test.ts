// Commands that call a server: by options, by a saved profile, and by the data folder of one that runs here.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createActor, startRun } from '../../../test/actors.ts';
import { script } from '../../../test/actor-sources.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../../../test/server.ts';
import { makeFolder, run, statusOf } from '../fixture.ts';
import { saveRunFile } from '../running-server.ts';
import { printableLine } from '../terminal-text.ts';

let server: TestServer;
const data = join(makeFolder(), 'data');
const home = makeFolder();

before(async () => {
  server = await startServer({ data });
});
after(() => server.stop());

/** With the URL and the token of the server. */
const remote = (...argv: string[]) => run([...argv, '--url', server.url, '--token', ADMIN_TOKEN]);
const byId = (a: Json, b: Json) => (a['id'] < b['id'] ? -1 : 1);
const jsonOf = async (...argv: string[]): Promise<Json> => JSON.parse((await remote(...argv)).out) as Json;

describe('api', () => {
  test('calls every API with the right headers, and prints the body', async () => {
    assert.equal((await jsonOf('api', '/user')).login, 'admin');
    assert.equal((await jsonOf('api', '/v2/users/me')).data.username, 'admin');
    assert.equal((await jsonOf('api', '/signalbox/v1/me')).member.username, 'admin');
    assert.equal((await jsonOf('api', 'GET', '/api/v2/caller-identity')).tokenName, 'admin');
  });

  test('fields are a JSON body, in the query of a read, and typed where they can be', async () => {
    const made = await jsonOf(
      'api',
      '/api/v2/projects',
      '-f',
      'key=remote',
      '-f',
      'name=Remote',
      '-f',
      'tags=["a","b"]',
    );
    assert.deepEqual([made.key, made.tags], ['remote', ['a', 'b']]);
    const body = join(makeFolder(), 'flag.json');
    writeFileSync(body, '{"key":"from-file","name":"From a file"}');
    assert.equal((await jsonOf('api', 'POST', '/api/v2/flags/remote', '--input', body)).key, 'from-file');
    const piped = await run(
      ['api', '/api/v2/flags/remote', '--input', '-', '--url', server.url, '--token', ADMIN_TOKEN],
      { readInput: async () => Buffer.from('{"key":"piped","name":"Piped"}') },
    );
    assert.equal((JSON.parse(piped.out) as Json).key, 'piped', piped.err);
    const listed = await jsonOf('api', 'GET', '/api/v2/flags/remote', '-f', 'limit=1');
    assert.equal(listed.items.length, 1);
  });

  test('--paginate joins the pages of every kind of list', async () => {
    const keys = ['from-file', 'piped'];
    const flags = JSON.parse(
      (await remote('api', '/api/v2/flags/remote?limit=1', '--paginate')).out,
    ) as Json[];
    assert.deepEqual(new Set(flags.map(({ key }) => key)), new Set(keys));
    for (const name of ['one', 'two', 'three']) {
      assert.equal((await server.call('/user/repos', { method: 'POST', body: { name } })).status, 201);
      assert.equal((await server.call(`/v2/datasets?name=${name}`, { method: 'POST' })).status, 201);
    }
    const list = async (path: string) => JSON.parse((await remote('api', path, '--paginate')).out) as Json[];
    assert.equal((await list('/user/repos?per_page=2')).length, 3);
    assert.equal((await list('/v2/datasets?limit=2')).length, 3);
    await server.call('/v2/datasets/admin~one/items', {
      method: 'POST',
      body: [{ n: 1 }, { n: 2 }, { n: 3 }],
    });
    assert.deepEqual(await list('/v2/datasets/admin~one/items?limit=2'), [{ n: 1 }, { n: 2 }, { n: 3 }]);
    assert.deepEqual(await list('/v2/datasets/admin~two/items'), []);
    const { code, err } = await remote('api', '/user', '--paginate');
    assert.deepEqual([code, err], [2, 'The reply is no list: leave --paginate out.']);
  });

  test('a version is sent to the API that has it', async () => {
    const { out } = await remote('api', '/user', '--api-version', '2026-03-10', '--include');
    assert.match(out, /^HTTP 200 OK\n/);
    assert.match(out, /api-version-selected: 2026-03-10/);
    const { code, err } = await remote('api', '/v2/users/me', '--api-version', '2');
    assert.equal(code, 2);
    assert.match(err, /has one version/);
  });

  test('an answer that is an error is printed, and ends with 1', async () => {
    const { code, out, err } = await remote('api', '/repos/admin/absent');
    assert.equal(code, 1);
    assert.equal((JSON.parse(out) as Json).message, 'Not Found');
    assert.equal(err, 'HTTP 404 Not Found.');
  });

  test('the token goes to its own server alone', async () => {
    for (const path of ['https://evil.example/x', 'http://a:b@evil.example', 'user']) {
      const { code, err } = await remote('api', path);
      assert.equal(code, 2, path);
      assert.match(err, /is not a path on/);
    }
    // Begins with two slashes, and is still a path of this server.
    assert.equal((await remote('api', '//evil.example/x')).err, 'HTTP 404 Not Found.');
    const { code, err } = await remote('api', '/user', '-H', 'Authorization: Bearer x');
    assert.equal(code, 2);
    assert.match(err, /The token has an option of its own/);
  });

  test('on the machine of the server it needs no token, and leaves none behind', async () => {
    const { code, err } = await run(['api', '/user', '--data', data]);
    assert.equal(code, 1);
    assert.match(err, /No server is ready on/);
    const { url } = server;
    const facts = { pid: process.pid, url, publicUrl: url, version: '0', startedAt: '', settings: {} };
    saveRunFile(data, facts);
    const { out } = await run(['api', '/user', '--data', data]);
    assert.equal((JSON.parse(out) as Json).login, 'admin');
    const tokens = JSON.parse((await run(['token', 'ls', '--data', data])).out) as Json[];
    assert.deepEqual(
      tokens.map(({ name }) => name),
      ['admin'],
    );
  });
});

describe('profiles', () => {
  const env = { HOME: home };
  const file = join(home, '.config', 'signalbox', 'profiles.json');

  test('are saved with a token that works, for their owner alone', async () => {
    const wrong = await run(['profile', 'save', 'work', '--url', server.url, '--token', 'api-wrong'], {
      env,
    });
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /rejects the token/);
    const input = { env, readInput: async () => Buffer.from(`${ADMIN_TOKEN}\n`) };
    const { code, err } = await run(['profile', 'save', 'work', '--url', server.url], input);
    assert.equal(code, 0, err);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal((JSON.parse((await run(['api', '/user'], { env })).out) as Json).login, 'admin');
  });

  test('are listed without their tokens, chosen by name, and removed', async () => {
    const { out } = await run(['profile', 'ls'], { env });
    assert.doesNotMatch(out, new RegExp(ADMIN_TOKEN));
    assert.deepEqual(JSON.parse(out), [
      { name: 'work', url: server.url, ending: ADMIN_TOKEN.slice(-4), isCurrent: true },
    ]);
    const named = await run(['api', '/user', '--profile', 'absent'], { env });
    assert.deepEqual(
      [named.code, named.err],
      [1, 'There is no profile "absent": signalbox profile ls shows them.'],
    );
    // A token goes to no other server than its own.
    const elsewhere = await run(['api', '/user', '--url', 'http://127.0.0.1:1'], { env });
    assert.match(elsewhere.err, /A token for http:\/\/127\.0\.0\.1:1 is missing/);
    assert.equal((await run(['profile', 'remove', 'work'], { env })).code, 0);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /work/);
  });
});

describe('flags toggle', () => {
  const flag = 'remote/piped';

  test('turns a flag to the opposite, or to what is asked for', async () => {
    const toggle = (...argv: string[]) => jsonOf('flags', 'toggle', flag, '--env', 'test', ...argv);
    assert.deepEqual(await toggle(), {
      flag: 'piped',
      project: 'remote',
      environment: 'test',
      isOn: true,
      wasOn: false,
    });
    assert.equal((await toggle('--on')).wasOn, true);
    assert.equal((await toggle('--off', '--comment', 'errors')).isOn, false);
    const { json } = await server.call('/api/v2/flags/remote/piped?env=test');
    assert.equal(json['environments'].test.on, false);
  });

  test('says what is wrong with the name or the environment', async () => {
    const { code, err } = await remote('flags', 'toggle', flag, '--env', 'absent');
    assert.equal(code, 1);
    assert.match(err, /no environment|unknown|not/i);
    assert.equal((await remote('flags', 'toggle', 'piped', '--env', 'test')).code, 2);
    assert.equal((await remote('flags', 'toggle', flag, '--env', 'test', '--on', '--off')).code, 2);
  });
});

describe('runs', () => {
  test('are waited for, and their log is followed to the end', async () => {
    const { id: actor } = await createActor(server, script('console.log("hello from the run");'));
    const { id } = (await startRun(server, actor as string)) as { id: string };
    const waited = await remote('runs', 'wait', id);
    assert.equal(waited.code, 0, waited.err);
    assert.equal((JSON.parse(waited.out) as Json).status, 'SUCCEEDED');
    assert.match((await remote('logs', '-f', id)).out, /hello from the run/);
    assert.equal((await remote('logs', '--tail', '1', id)).out.split('\n').length, 1);
    assert.equal((await remote('logs', 'absent')).code, 1);
  });

  test('a line of a log keeps its colours, and no other sequence reaches the terminal', () => {
    const line = '\u{1B}[31mred\u{1B}[0m\u{1B}]0;title\u{7}\u{1B}[2Jgone\u{9B}1m\tend';
    assert.equal(printableLine(line, true), '\u{1B}[31mred\u{1B}[0m]0;title[2Jgone1m\tend');
    assert.equal(printableLine(line, false), 'red]0;title[2Jgone1m\tend');
  });
});

describe('members and tokens of a server that is named', () => {
  test('are listed, added, changed and removed by its APIs, in the words of the local commands', async () => {
    const added = await remote('member', 'add', 'far@example.org', '--role', 'writer');
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /^http:\/\/.*\/session\/\w{43}$/);
    assert.match(added.err, /^Added far \(far@example\.org\) with the role writer on http/);
    assert.equal(
      (await remote('member', 'set-role', 'far@example.org', 'admin')).err,
      'far has the role admin now, and had writer.',
    );
    const local = JSON.parse((await run(['member', 'ls', '--data', data])).out) as Json[];
    const listed = (await jsonOf('member', 'ls')) as Json[];
    // The server saves every ten seconds when members were last seen.
    const unseen = (members: Json[]) =>
      members.map((member): Json => ({ ...member, lastSeenAt: null })).toSorted(byId);
    assert.deepEqual(unseen(listed), unseen(local));
    const reset = await remote('member', 'reset-password', 'far', '--json');
    assert.match((JSON.parse(reset.out) as Json)['link'], /\/session\/\w{43}$/);
    assert.match((await remote('member', 'remove', 'far')).err, /say so with --yes/);
    assert.equal((await remote('member', 'remove', 'far', '--yes')).code, 0);
    assert.match((await remote('member', 'set-role', 'far', 'reader')).err, /There is no member "far"/);
  });

  test('a token is created, listed and revoked, with a saved profile too', async () => {
    const made = await remote('token', 'create', '--name', 'far', '--role', 'reader', '--expires', '2h');
    assert.equal(made.code, 0, made.err);
    assert.equal(await statusOf(server.url, made.out), 200);
    const env = { XDG_CONFIG_HOME: makeFolder() };
    const saved = await run(['profile', 'save', 'far', '--url', server.url, '--token', ADMIN_TOKEN], { env });
    assert.equal(saved.code, 0, saved.err);
    const listed = JSON.parse((await run(['token', 'ls', '--profile', 'far'], { env })).out) as Json[];
    const local = JSON.parse((await run(['token', 'ls', '--data', data])).out) as Json[];
    const own = (tokens: Json[]) =>
      tokens.filter(({ name }) => name === 'far').map((token) => ({ ...token, lastUsedAt: null }));
    assert.deepEqual(own(listed), own(local));
    assert.equal((await remote('token', 'revoke', made.out.slice(-4), '--yes')).code, 0);
    assert.equal(await statusOf(server.url, made.out), 401);
  });

  test('what only the database can do is refused with the way to do it', async () => {
    for (const [argv, said] of [
      [['member', 'add', 'a@example.org', '--username', 'a'], /leave --username out/],
      [['member', 'reset-password', 'admin', '--password-stdin'], /leave --password-stdin out/],
      [['token', 'create', '--member', 'ann'], /leave --member out/],
    ] as const) {
      const { code, err } = await remote(...argv);
      assert.equal(code, 2, argv.join(' '));
      assert.match(err, said);
    }
    const unknown = await run(['member', 'ls', '--url', server.url, '--token', 'api-wrong']);
    assert.deepEqual([unknown.code, /rejects the token/.test(unknown.err)], [1, true], unknown.err);
  });
});

test('demo reset makes the examples anew, without what was changed in them', async () => {
  const reset = () => run(['demo', 'reset', '--yes', '--data', data]);
  assert.equal((await run(['demo', 'reset', '--data', data])).code, 2);
  const first = await reset();
  assert.equal(first.code, 0, first.err);
  const flags = async () =>
    ((await server.call('/api/v2/flags/demo')).json['items'] as Json[]).map(({ key }) => key);
  const examples = await flags();
  await server.call('/api/v2/flags/demo', { method: 'POST', body: { key: 'own', name: 'Own' } });
  await server.call('/repos/admin/demo-shop', { method: 'PATCH', body: { description: 'Changed' } });
  assert.equal((await reset()).code, 0);
  assert.deepEqual(await flags(), examples);
  assert.equal((await server.call('/repos/admin/demo-shop')).json['description'], 'The shop of the examples');
  assert.equal((await server.call('/v2/datasets/admin~demo-products')).status, 200);
  assert.equal((await server.call('/repos/admin/one')).status, 200);
});
