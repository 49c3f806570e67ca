// Data folders of earlier releases can be opened and used.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RELEASE } from '../../src/app/release.ts';
import { run } from '../../src/cli/fixture.ts';
import { sortKeyOf } from '../../src/kernel/text/fold-case.ts';
import { SEMANTIC } from '../conformance/flags/sample-resources.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../server.ts';

interface Kept {
  personal: string;
  service: string;
  approval: string;
  ids: Record<string, string>;
}

let folder: string;
let kept: Kept;
let server: TestServer;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-upgrade-'));
  const archive = fileURLToPath(new URL('data-0.1.0.tar.gz', import.meta.url));
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  kept = JSON.parse(readFileSync(join(folder, 'kept.json'), 'utf8')) as Kept;
  server = await startServer({ data: folder });
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function read(path: string, token = ADMIN_TOKEN): Promise<Json> {
  const { status, json, text } = await server.call(path, { token });
  assert.equal(status, 200, `${path}: ${text}`);
  return json;
}

test('the log tells how many migrations the upgrade of 0.1.0 ran, and how long', () => {
  const [begun, done] = server.log.filter((line) => line.migrations !== undefined);
  assert.equal(begun!['msg'], `upgrading the database from 0.1.0 to ${RELEASE}`);
  assert.equal(done!['msg'], `database upgraded from 0.1.0 to ${RELEASE}`);
  assert.equal(done!['migrations'], begun!['migrations']);
  assert.ok(Number(done!['migrations']) > 50 && Number(done!['ms']) >= 0);
});

test('the rows of release 0.1.0 were backed up before they were changed', async () => {
  const line = server.log.find(({ msg }) => String(msg).startsWith('backed up the rows before the upgrade'))!;
  const from = join(folder, 'backups');
  const place = mkdtempSync(join(tmpdir(), 'signalbox-back-'));
  const restored = await run(['restore', from, '--backup', String(line['backup']), '--data', place]);
  assert.equal(restored.code, 0, restored.err);
  const listed = await run(['restore', from, '--data', place]);
  assert.match(
    listed.err,
    /There is no whole backup in /,
    'a backup of rows alone is not taken for a whole one',
  );
  const { json } = await server.call('/api/v2/members');
  const status = JSON.parse((await run(['status', '--data', place])).out) as Json;
  assert.equal(status['database'].members, json['totalCount']);
  rmSync(place, { recursive: true });
});

test('each migration is recorded with its release, and whether it only adds', async () => {
  const { db } = server.app.kernel;
  const rows = await db.selectFrom('migrations').select(['release', 'kind']).execute();
  assert.deepEqual(new Set(rows.map(({ kind }) => kind)), new Set(['expand']));
  for (const [release, count] of [
    ['0.1.0', 23],
    ['0.2.0', 102],
  ] as const)
    assert.equal(rows.filter((row) => row.release === release).length, count);
});

test('flags of release 0.1.0 are shown and can be changed', async () => {
  const flag = await read('/api/v2/flags/kept/kept-flag');
  assert.deepEqual(flag['customProperties'], { 'team-owner': { name: 'Owner', value: ['web'] } });
  const { status, json } = await server.call('/api/v2/flags/kept/kept-flag', {
    method: 'PATCH',
    headers: SEMANTIC,
    body: { environmentKey: 'test', instructions: [{ kind: 'turnFlagOn' }] },
  });
  assert.equal(status, 200);
  assert.equal(json['environments'].test.on, true);
});

test('flags, segments and members of release 0.1.0 are sorted by name', async () => {
  const { db } = server.app.kernel;
  for (const table of ['flags', 'segments'] as const) {
    const rows = await db.selectFrom(table).select(['name', 'sort_name']).execute();
    for (const row of rows) assert.equal(row.sort_name, sortKeyOf(row.name), table);
  }
  for (const row of await db.selectFrom('members').select(['email', 'sort_name', 'first_name']).execute())
    assert.ok(row.sort_name.startsWith(sortKeyOf(row.first_name ?? row.email)), row.email);
});

test('a pending approval request of release 0.1.0 can be reviewed and applied', async () => {
  const path = `/api/v2/projects/kept/flags/kept-flag/environments/production/approval-requests/${kept.approval}`;
  const review = await server.call(`${path}/reviews`, {
    method: 'POST',
    token: kept.personal,
    body: { kind: 'approve' },
  });
  assert.equal(review.status, 200, review.text);
  const applied = await server.call(`${path}/apply`, { method: 'POST', body: {} });
  assert.equal(applied.status, 200, applied.text);
  const flag = await read('/api/v2/flags/kept/kept-flag');
  assert.equal(flag['environments'].production.on, true);
});

test('the audit log, members, teams, roles, tokens and webhooks of release 0.1.0 are listed', async () => {
  for (const path of ['auditlog', 'members', 'teams', 'roles', 'tokens?showAll=true', 'webhooks']) {
    assert.notEqual((await read(`/api/v2/${path}`))['items'].length, 0, path);
  }
});

test('the administrator of release 0.1.0 has the address that is the default now', async () => {
  assert.equal((await read('/v2/users/me'))['data'].email, 'admin@signalbox.example');
});

test('datasets of release 0.1.0 are read and grow', async () => {
  const id = kept.ids['datasets/shops']!;
  const push = await server.call(`/v2/datasets/${id}/items`, {
    method: 'POST',
    token: kept.personal,
    body: { index: 500 },
  });
  assert.equal(push.status, 201, push.text);
  const { text } = await server.call(`/v2/datasets/${id}/items?offset=499`, { token: kept.personal });
  assert.deepEqual(JSON.parse(text), [{ index: 499, name: 'Shop 499', open: false }, { index: 500 }]);
});

test('two names of release 0.1.0 that differ only in case still name two datasets', async () => {
  for (const name of ['shops', 'Shops']) {
    const { data } = await read(`/v2/datasets/ada~${name}`, kept.personal);
    assert.equal(data.id, kept.ids[`datasets/${name}`]);
  }
  const both = [kept.ids['datasets/shops'], kept.ids['datasets/Shops']];
  const { data } = await read('/v2/datasets/ada~SHOPS', kept.personal);
  assert.ok(both.includes(data.id), 'a third spelling names one of them');
  const again = await server.call('/v2/datasets?name=shopS', { method: 'POST', token: kept.personal });
  assert.deepEqual([again.status, again.json['data'].id], [200, data.id]);
  const rename = async (id: string, name: string) => {
    const init = { method: 'PUT', token: kept.personal, body: { name } };
    return (await server.call(`/v2/datasets/${id}`, init)).status;
  };
  assert.equal(await rename(both[0]!, 'shops'), 200, 'the name that it has stays its own');
  assert.equal(await rename(both[0]!, 'SHOPS'), 409);
  assert.equal((await read('/v2/datasets/ada~Shops', kept.personal))['data'].id, both[1]);
});

test('records of release 0.1.0, in the database and in files, are read', async () => {
  const path = `/v2/key-value-stores/${kept.ids['key-value-stores/files']!}/records`;
  const get = async (key: string) => (await server.call(`${path}/${key}`, { token: kept.personal })).text;
  assert.equal(await get('small'), 'hello');
  assert.equal(await get('page'), '<p>hello</p>');
  assert.equal(await get('large'), 'large '.repeat(50_000));
});

test('a queue of release 0.1.0 gives its requests, once their locks have ended', async () => {
  server.clock.ahead += 60_000;
  const path = `/v2/request-queues/${kept.ids['request-queues/pages']!}`;
  const { data } = await read(`${path}/head?limit=100`, kept.personal);
  assert.equal(data.items.length, 20);
});

test('resources that a service token created before release 0.2 stay with their member', async () => {
  const { data } = await read('/v2/datasets/ada~by-robot', kept.personal);
  assert.equal(data.id, kept.ids['datasets/by-robot']);
});

test('a service token of release 0.1.0 is an account of its own, with none of the things of its maker', async () => {
  const { data: robot } = await read('/v2/users/me', kept.service);
  assert.equal(robot.username, 'robot.bot');
  const { data: made } = await server
    .call('/v2/datasets?name=by-robot', { method: 'POST', token: kept.service })
    .then(({ json }) => json);
  assert.equal(made.userId, robot.id);
  assert.notEqual(made.id, kept.ids['datasets/by-robot']);
  const { status } = await server.call('/v2/datasets/ada~by-robot', { token: kept.service });
  assert.equal(status, 404);
});

test('a server works on a database to which a newer release has only added, and none starts with --no-migrate on an older one', async () => {
  const place = mkdtempSync(join(tmpdir(), 'signalbox-beside-'));
  try {
    const first = await startServer({ data: place });
    await first.stop();
    const db = new DatabaseSync(join(place, 'signalbox.db'));
    db.exec(`create table of_tomorrow (id text primary key);
      alter table flags add column of_tomorrow text;
      insert into migrations (name, applied_at, release, kind) values ('of-tomorrow', 1, '9.1.0', 'expand')`);
    db.close();
    const beside = await startServer({ data: place, migrate: false });
    const { status, text } = await beside.call('/api/v2/flags/default', {
      method: 'POST',
      body: { key: 'beside', name: 'Beside' },
    });
    assert.equal(status, 201, text);
    await beside.stop();
    const old = new DatabaseSync(join(place, 'signalbox.db'));
    old.exec(`delete from migrations where name = 'kernel-backup-runs'`);
    old.close();
    await assert.rejects(
      startServer({ data: place, migrate: false }),
      /1 migrations bring it to .* run "signalbox migrate up", or start without --no-migrate/,
    );
  } finally {
    rmSync(place, { recursive: true });
  }
});
