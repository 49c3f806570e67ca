// The member commands: they work on the database, beside a running server and without one.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { startServer, type Json, type TestServer } from '../../../test/server.ts';
import { makeFolder, run } from '../fixture.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let place: string[];
  const member = (...argv: string[]) => run(['member', ...argv, ...place]);
  const list = async () => JSON.parse((await member('ls')).out) as Json[];
  const find = async (username: string) => (await list()).find((one) => one['username'] === username);
  const entries = async () =>
    ((await server.call('/api/v2/auditlog?limit=20')).json['items'] as Json[]).map(
      ({ titleVerb, target }) => `${titleVerb} ${(target as Json | undefined)?.['name'] ?? ''}`,
    );

  before(async () => {
    const location = await engine.migratedDatabase();
    const database = location.startsWith('postgres') ? location : undefined;
    const data = database === undefined ? dirname(location) : makeFolder();
    server = await startServer({ data, ...(database !== undefined && { database }) });
    place = ['--data', data, ...(database === undefined ? [] : ['--database', database])];
  });
  after(() => server.stop());

  test('a member is added with a link that lets them in, and no password', async () => {
    const { code, out, err } = await member(
      'add',
      'ann@example.org',
      '--role',
      'writer',
      '--username',
      'ann',
    );
    assert.equal(code, 0, err);
    assert.match(out, /^http:\/\/.*\/session\/\w{43}$/);
    assert.match(err, /^Added ann \(ann@example\.org\) with the role writer\.$/);
    const session = await server.call(new URL(out).pathname, { token: null });
    assert.ok(session.status < 400, session.text);
    assert.ok((await entries()).some((entry) => entry.startsWith('invited the member')));
    const again = await member('add', 'ann@example.org');
    assert.equal(again.code, 2);
    assert.match(again.err, /members already/);
    assert.equal((await member('add', 'nobody')).code, 2);
  });

  test('a role is changed, and the last owner stays one', async () => {
    assert.equal((await member('set-role', 'ann', 'admin')).code, 0);
    assert.equal((await find('ann'))!['role'], 'admin');
    const { code, err } = await member('set-role', 'admin', 'reader');
    assert.equal(code, 1);
    assert.match(err, /The account needs an owner/);
    assert.equal((await member('set-role', 'ann@example.org', 'owner')).code, 0);
    assert.equal((await member('set-role', 'ann', 'writer')).code, 0);
    assert.match((await member('set-role', 'absent', 'reader')).err, /There is no member "absent"/);
  });

  test('a reset ends password and sessions, and gives a link or takes a password', async () => {
    const login = async (password: string) => {
      const body = new URLSearchParams({ name: 'ann', password }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.url };
      return await server.call('/session', { method: 'POST', token: null, headers, body });
    };
    const set = await run(['member', 'reset-password', 'ann', '--password-stdin', ...place], {
      readInput: async () => Buffer.from('correct horse\n'),
    });
    assert.deepEqual([set.code, set.out], [0, '']);
    const opened = await login('correct horse');
    assert.equal(opened.status, 200);
    const { code, out, err } = await member('reset-password', 'ann@example.org', '--json');
    assert.equal(code, 0, err);
    const report = JSON.parse(out) as Json;
    assert.equal(report['endedSessions'] >= 1, true);
    assert.match(report['link'], /\/session\//);
    assert.notEqual((await login('correct horse')).status, 200);
    assert.ok((await entries()).some((entry) => entry.startsWith('reset the password of the member')));
    const short = await run(['member', 'reset-password', 'ann', '--password-stdin', ...place], {
      readInput: async () => Buffer.from('short'),
    });
    assert.equal(short.code, 2);
  });

  test('a member is removed, an owner is not, and nobody without a confirmation', async () => {
    const unasked = await member('remove', 'ann');
    assert.equal(unasked.code, 2);
    assert.match(unasked.err, /say so with --yes/);
    const declined = await run(['member', 'remove', 'ann', ...place], { confirm: async () => false });
    assert.deepEqual([declined.code, declined.err], [1, 'Nobody was removed.']);
    assert.equal((await member('remove', 'ann', '--yes')).code, 0);
    assert.equal(await find('ann'), undefined);
    const { code, err } = await member('remove', 'admin', '--yes');
    assert.equal(code, 1);
    assert.match(err, /The owner of the account cannot be removed/);
  });
});
