// Backups over the Signalbox API: made now and by the schedule, checked, downloaded and restored, into a folder and into object storage.
import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeFolder, run } from '../../../src/cli/fixture.ts';
import { insertPause } from '../../../src/kernel/backup/backup-store.ts';
import { request } from '../../../src/kernel/network/http-client.ts';
import { WorkerThread } from '../../../src/kernel/network/streams.ts';
import { eventually, inTime } from '../../eventually.ts';
import { giveToken, join as joinAs } from '../../people.ts';
import { startS3, type TestS3 } from '../../s3.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../../server.ts';

const BACKUPS = '/signalbox/v1/backups';
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const LARGE = 'y'.repeat(300_000);

async function read(server: TestServer): Promise<Json> {
  const { status, json, text } = await server.call(BACKUPS);
  assert.equal(status, 200, text);
  return json;
}

async function finished(
  server: TestServer,
  { json, status, text }: { json: Json; status: number; text: string },
) {
  assert.equal(status, 202, text);
  let found: Json = {};
  await eventually(async () => {
    found = (await server.call(`${BACKUPS}/runs/${json['id']}`)).json;
    return ['done', 'failed'].includes(found['state']);
  }, 'the end of the run');
  return found;
}

const create = async (server: TestServer) => finished(server, await server.call(BACKUPS, { method: 'POST' }));

async function download(server: TestServer, id: string, file: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  request(`${server.url}${BACKUPS}/${id}/download`, { headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve(Buffer.concat(chunks)));
    response.on('error', reject);
  }).end();
  writeFileSync(file, await promise);
}

describe('backups in a folder', () => {
  let server: TestServer;
  const folder = makeFolder();
  const backups = join(folder, 'backups');
  before(async () => {
    server = await startServer({ backups, backupHours: 24, backupDays: 7, limits: 'off' });
    const { json } = await server.call('/v2/key-value-stores?name=files', { method: 'POST' });
    await server.call(`/v2/key-value-stores/${json['data'].id}/records/large`, {
      method: 'PUT',
      body: LARGE,
    });
  });
  after(() => server.stop());

  test('are made when an administrator asks, and are whole', async () => {
    assert.deepEqual((await read(server))['items'], []);
    const ended = await create(server);
    assert.deepEqual([ended['state'], ended['isScheduled'], ended['error']], ['done', false, undefined]);
    const { items, runs, place } = await read(server);
    assert.equal(place, backups);
    assert.deepEqual([items.length, items[0].id, items[0].blobs], [1, ended['backupId'], 1]);
    assert.ok(items[0].rows > 100 && items[0].bytes > LARGE.length);
    assert.equal(runs.length, 1);
    const checked = await finished(
      server,
      await server.call(`${BACKUPS}/${items[0].id}/verify`, { method: 'POST' }),
    );
    assert.deepEqual([checked['state'], checked['progress']], ['done', 'The backup is whole.']);
    const { json } = await server.call('/api/v2/auditlog?q=backup');
    assert.ok((json['items'] as Json[]).length >= 2);
  });

  test('are downloaded as one file that can be restored', async () => {
    const { items } = await read(server);
    const file = join(folder, 'one.backup');
    await download(server, items[0].id, file);
    const verified = await run(['backup', 'verify', file]);
    assert.deepEqual([verified.code, JSON.parse(verified.out).broken], [0, []], verified.err);
    const restored = await run(['restore', file, '--data', join(folder, 'restored')]);
    assert.equal(restored.code, 0, restored.err);
  });

  test('of which an object is lost are named as broken', async () => {
    const { backupId } = await create(server);
    // Some belong to the other backup alone.
    for (const shard of readdirSync(join(backups, 'objects')))
      rmSync(join(backups, 'objects', shard), { recursive: true });
    const checked = await finished(
      server,
      await server.call(`${BACKUPS}/${backupId}/verify`, { method: 'POST' }),
    );
    assert.equal(checked['state'], 'failed');
    assert.match(checked['error'], /is not in/);
  });

  test('are for administrators only', async () => {
    const member = await joinAs(server, 'writer', { role: 'writer' });
    const { value: token } = await giveToken(server, member, { role: 'writer' });
    for (const [method, path] of [
      ['GET', BACKUPS],
      ['POST', BACKUPS],
      ['GET', `${BACKUPS}/x/download`],
      ['POST', `${BACKUPS}/x/verify`],
      ['POST', '/signalbox/v1/system/resume'],
    ] as const)
      assert.equal((await server.call(path, { method, token })).status, 403, path);
    assert.equal((await server.call(`${BACKUPS}/x/download`)).status, 404);
  });

  test('are made by the schedule, and removed when they are old, but the newest', async () => {
    const earlier = (await read(server))['items'].length as number;
    assert.equal(earlier, 2);
    server.clock.ahead += 8 * DAY;
    await eventually(
      async () => ((await read(server))['items'] as Json[]).length === 1,
      'a backup by the schedule, and the end of old ones',
    );
    const { items, runs, everyHours, keptDays, nextAt } = await read(server);
    assert.deepEqual([everyHours, keptDays], [24, 7]);
    assert.ok(nextAt > server.clock.now());
    assert.equal(runs[0].isScheduled, true);
    assert.equal(items[0].id, runs[0].backupId);
    assert.equal((await run(['backup', 'verify', backups])).code, 0);
  });

  test('wait while the server is paused, and a call resumes it', async () => {
    const { db } = server.app.kernel;
    await insertPause(db, { backup: 'b', madeAt: new Date().toISOString(), since: server.clock.now() });
    const refused = await server.call(BACKUPS, { method: 'POST' });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /paused after a restore/);
    const resume = () => server.call('/signalbox/v1/system/resume', { method: 'POST' });
    assert.deepEqual((await resume()).json, { wasPaused: true });
    assert.deepEqual((await resume()).json, { wasPaused: false });
  });
});

test('the thread of a backup loads neither the APIs nor the clients of databases, which would cost more than a backup', async () => {
  const thread = new URL('../../../src/app/backup/backup-thread.ts', import.meta.url).href;
  const count = `
    const { parentPort } = require('node:worker_threads');
    const loaded = [];
    require('node:module').registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    import(${JSON.stringify(thread)}).then(() => parentPort.postMessage({ loaded }));`;
  const worker = new WorkerThread(count, { eval: true, execArgv: [] });
  try {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    worker.on('message', ({ loaded }: { loaded?: string[] }) => loaded && resolve(loaded));
    const loaded = await inTime(promise, 'the modules of the thread');
    assert.ok(loaded.includes(thread));
    assert.deepEqual(
      loaded.filter((url) => /node_modules|\/api\.ts$/.test(url)),
      [],
    );
  } finally {
    await worker.terminate();
  }
});

describe('encrypted backups in object storage', () => {
  let s3: TestS3;
  before(async () => {
    s3 = await startS3();
  });
  after(() => s3.stop());

  test('are restored from there, and only with the passphrase', async () => {
    const folder = makeFolder();
    const backups = s3.location.replace(/\?/, '/backups?');
    const passphrase = 'correct horse battery';
    const server = await startServer({ backups, backupPassphrase: passphrase, ...s3.keys });
    try {
      const first = await create(server);
      assert.equal(first['error'], undefined);
      const objects = s3.objects.size;
      await create(server);
      const { items, isEncrypted } = await read(server);
      assert.deepEqual([items.length, isEncrypted, items[0].hasSecretKey], [2, true, true]);
      assert.ok(s3.objects.size - objects < objects / 2, 'most objects are shared');
    } finally {
      await server.stop();
    }
    const env = { AWS_ACCESS_KEY_ID: s3.keys.s3AccessKey, AWS_SECRET_ACCESS_KEY: s3.keys.s3SecretKey };
    const restore = async (more: Record<string, string>) =>
      await run(['restore', backups, '--data', join(folder, 'data')], { env: { ...env, ...more } });
    assert.match((await restore({})).err, /The backup is encrypted/);
    const restored = await restore({ SIGNALBOX_BACKUP_PASSPHRASE: passphrase });
    assert.equal(restored.code, 0, restored.err);
  });
});
