// Backups: a round trip through both engines, bad archives, and a restore that is interrupted.
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { cpSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { dieAt } from '../../../test/crash/child-server.ts';
import { onEngine } from '../../../test/engines.ts';
import { rounds } from '../../../test/long.ts';
import { startServer, type Json } from '../../../test/server.ts';
import { endBackupLease, extendBackupLease } from '../../kernel/backup/backup-store.ts';
import { openFileSink, readFileArchive, writeFileArchive } from '../../kernel/backup/file-archive.ts';
import { LineWriter } from '../../kernel/backup/lines.ts';
import type { BackupManifest } from '../../kernel/backup/manifest.ts';
import { listFirstDue, schedule } from '../../kernel/jobs/due-store.ts';
import { BLOB_PART_BYTES } from '../../kernel/storage/blobs/blob-checksum.ts';
import { openFileBlobs } from '../../kernel/storage/blobs/blob.ts';
import { makeFolder, run, start } from '../fixture.ts';
import { eventually } from '../../../test/eventually.ts';
import { RESTORE } from './restore-rows.ts';

const LARGE = 'x'.repeat(300_000);

/** A server with rows of every API, a large record, a repository and a gist, which is then stopped. */
async function fill(data: string, database?: string): Promise<void> {
  const server = await startServer({ data, ...(database !== undefined && { database }) });
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await server.call(path, { method, ...(body !== undefined && { body }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  await send('POST', '/api/v2/projects', { key: 'kept', name: 'Kept' });
  await send('POST', '/api/v2/flags/kept', { key: 'kept-flag', name: 'Kept flag' });
  const { json } = await send('POST', '/v2/key-value-stores?name=files');
  await send('PUT', `/v2/key-value-stores/${json['data'].id}/records/large`, LARGE);
  await send('POST', '/user/repos', { name: 'kept', auto_init: true });
  await send('POST', '/gists', { files: { 'a.txt': { content: 'kept' } } });
  await server.stop();
}

async function manifestOf(file: string): Promise<BackupManifest> {
  const reader = await readFileArchive(file, undefined);
  try {
    return (await reader.manifest()) as BackupManifest;
  } finally {
    await reader.close();
  }
}

/** What two backups of the same content have in common, on any engine. */
async function contentOf(file: string) {
  const { tables, blobs, repositories } = await manifestOf(file);
  return {
    // A server that starts and stops writes those.
    tables: tables
      .filter(({ name }) => name !== 'migrations')
      .map(({ name, columns, rows, checksum }) => ({ name, columns, rows, checksum })),
    blobs: [blobs.count, blobs.bytes],
    repositories: [repositories.repositories, repositories.count, repositories.bytes],
  };
}

async function command(data: string, database: string | undefined, ...argv: string[]) {
  const place = ['--data', data, ...(database === undefined ? [] : ['--database', database])];
  return await run([...argv, ...place]);
}

/** Kills a copy in a process of its own, types the command that is named then, and compares what is there in the end. */
async function killAtRandomMoments(
  words: readonly string[],
  file: string,
  times: number,
  newDatabase?: () => Promise<string>,
): Promise<void> {
  const folder = makeFolder();
  let moments = 0;
  const count = (name: unknown) => (moments += Number(name === RESTORE));
  subscribe('signalbox.checkpoint', count);
  const whole = await command(join(folder, 'whole'), await newDatabase?.(), ...words, file);
  unsubscribe('signalbox.checkpoint', count);
  assert.equal(whole.code, 0, whole.err);
  for (let round = 0; round < times; round += 1) {
    const moment = randomInt(1, moments + 1);
    const at = `killed at ${moment} of ${moments}`;
    const data = join(folder, `killed-${round}`);
    const database = await newDatabase?.();
    const place = ['--data', data, ...(database === undefined ? [] : ['--database', database])];
    const killed = start([...words, file, ...place], dieAt(RESTORE, moment));
    assert.equal((await killed.ended).signal, 'SIGKILL', at);
    const { err } = await command(data, database, 'status');
    const goOn = /was interrupted\. Go on with "signalbox (.*)"\.$/.exec(err)?.[1];
    // The last moment is after the mark is gone.
    assert.equal(goOn === undefined, moment === moments, `${at}: ${err}`);
    if (goOn !== undefined) {
      await assert.rejects(
        startServer({ data, ...(database !== undefined && { database }) }),
        /Go on with/,
        at,
      );
      const again = await run(goOn.replace('URL', database ?? '').split(' '));
      assert.equal(again.code, 0, `${at}: ${again.err}`);
    }
    const copy = join(folder, `copy-${round}.backup`);
    assert.equal((await command(data, database, 'backup', copy)).code, 0, at);
    assert.deepEqual(await contentOf(copy), await contentOf(file), at);
  }
}

/** The databases of one suite: a new folder is SQLite. */
onEngine('postgres', (engine) => {
  for (const isPostgres of [false, true]) {
    test(`a backup of ${isPostgres ? 'PostgreSQL' : 'SQLite'} is restored into the other engine with the same rows, objects and repositories`, async () => {
      const folder = makeFolder();
      const first = join(folder, 'first');
      const database = isPostgres ? await engine.database() : undefined;
      await fill(first, database);
      const one = join(folder, 'one.backup');
      const made = await command(first, database, 'backup', one);
      assert.equal(made.code, 0, made.err);
      const verified = await run(['backup', 'verify', one]);
      assert.deepEqual([verified.code, JSON.parse(verified.out).broken], [0, []], verified.err);

      const second = join(folder, 'second');
      const other = isPostgres ? undefined : await engine.database();
      const restored = await command(second, other, 'restore', one);
      assert.equal(restored.code, 0, restored.err);
      const two = join(folder, 'two.backup');
      assert.equal((await command(second, other, 'backup', two)).code, 0);
      assert.deepEqual(await contentOf(two), await contentOf(one));

      const server = await startServer({ data: second, ...(other !== undefined && { database: other }) });
      try {
        assert.ok(server.log.some(({ msg }) => String(msg).startsWith('paused after a restore')));
        const record = await server.call('/v2/key-value-stores/admin~files/records/large');
        assert.equal(record.text.includes(LARGE.slice(0, 1000)), true);
        assert.equal((await server.call('/repos/admin/kept/commits')).json.length, 1);
        assert.equal((await server.call('/gists')).json.length, 1);
        assert.equal((await server.call('/api/v2/flags/kept/kept-flag')).status, 200);
      } finally {
        await server.stop();
      }
      const again = await command(second, other, 'restore', one);
      assert.equal(again.code, 1);
      assert.match(again.err, /There is something already|not empty/);
      assert.equal((await command(second, other, 'resume')).err.startsWith('The server goes on'), true);
    });
  }
});

onEngine('postgres', (engine) => {
  test('export and import data move everything from SQLite to PostgreSQL and back, and compare all of it', async () => {
    const folder = makeFolder();
    const first = join(folder, 'first');
    await fill(first);
    const one = join(folder, 'one.export');
    const exported = await command(first, undefined, 'export', one, '--with-secret-key');
    assert.equal(exported.code, 0, exported.err);
    const database = await engine.database();
    const second = join(folder, 'second');
    await killAtRandomMoments(['import', 'data'], one, rounds(1, 12), () => engine.database());
    const there = await command(second, database, 'import', 'data', one, '--resume');
    assert.equal(there.code, 0, there.err);
    const two = join(folder, 'two.export');
    assert.equal((await command(second, database, 'export', two)).code, 0);
    const third = join(folder, 'third');
    const back = await command(third, undefined, 'import', 'data', two);
    assert.equal(back.code, 0, back.err);
    assert.equal((JSON.parse(back.out) as Json)['isCompared'], true);
    const three = join(folder, 'three.export');
    assert.equal((await command(third, undefined, 'export', three)).code, 0);
    assert.deepEqual(await contentOf(two), await contentOf(one));
    assert.deepEqual(await contentOf(three), await contentOf(one));
    const pausedSince = async (data: string, place?: string) =>
      (JSON.parse((await command(data, place, 'status')).out) as Json)['database'].pausedSince;
    assert.equal(await pausedSince(second, database), null);
    assert.notEqual(await pausedSince(third), null);
  });
});

describe('a backup of SQLite', () => {
  const data = join(makeFolder(), 'data');
  const file = join(dirname(data), 'box.backup');
  before(async () => {
    await fill(data);
    const made = await command(data, undefined, 'backup', file);
    assert.equal(made.code, 0, made.err);
  });

  test('of which one bit is changed, or the end is missing, is named as broken', async () => {
    const folder = makeFolder();
    const bytes = readFileSync(file);
    const { blobs } = await manifestOf(file);
    assert.equal(blobs.count > 0, true);
    const changed = Buffer.from(bytes);
    // Large objects are plain, so that the place of one is found by its content.
    const at = changed.indexOf('xxxxxxxx');
    changed[at + 1000]! ^= 1;
    const bad = join(folder, 'bad.backup');
    writeFileSync(bad, changed);
    const verified = await run(['backup', 'verify', bad]);
    assert.equal(verified.code, 1);
    assert.match(verified.out, /The large object .* not those that were written/);
    const target = join(folder, 'target');
    const restored = await command(target, undefined, 'restore', bad);
    assert.notEqual(restored.code, 0);
    assert.equal(existsSync(join(target, 'signalbox.db')), false);
    // A server does not start on the half, and says how to go on; another restore does.
    await assert.rejects(startServer({ data: target }), /was interrupted. Go on with ".* restore/);
    const whole = await command(target, undefined, 'restore', file);
    assert.equal(whole.code, 0, whole.err);

    truncateSync(bad, bytes.length - 10);
    assert.match((await run(['backup', 'verify', bad])).err, /incomplete: its end is missing/);
    writeFileSync(bad, 'something else');
    assert.match((await run(['backup', 'verify', bad])).err, /is not a backup of Signalbox/);
  });

  test('is not made from a large object that is damaged, which is named', async () => {
    const own = join(makeFolder(), 'data');
    cpSync(data, own, { recursive: true });
    const root = join(own, 'blobs');
    const blobs = await openFileBlobs(root);
    // Less than is read at once, and more than is hashed at once.
    for (const size of [100_000, BLOB_PART_BYTES + 1]) {
      const key = `bytes/${size}`;
      await blobs.put(key, randomBytes(size));
      const made = await command(own, undefined, 'backup', join(own, 'good.backup'));
      assert.equal(made.code, 0, made.err);
      const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex');
      const path = join(root, hash.slice(0, 2), hash.slice(2));
      const bytes = readFileSync(path);
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(path, bytes);
      const refused = await command(own, undefined, 'backup', join(own, 'bad.backup'));
      assert.notEqual(refused.code, 0);
      assert.ok(refused.err.includes(`The blob ${key} is damaged`), refused.err);
      await blobs.delete(key);
    }
  });

  test('is encrypted with a passphrase, and then has the secret key', async () => {
    const folder = makeFolder();
    const own = join(folder, 'data');
    cpSync(data, own, { recursive: true });
    writeFileSync(join(own, 'secret.key'), `${'k'.repeat(43)}\n`);
    const env = { SIGNALBOX_BACKUP_PASSPHRASE: 'correct horse battery' };
    for (const place of [join(folder, 'box.backup'), `${join(folder, 'boxes')}/`]) {
      const made = await run(['backup', place, '--encrypt', '--data', own], { env });
      assert.equal(made.code, 0, made.err);
      const wrong = await run(['backup', 'verify', place], {
        env: { SIGNALBOX_BACKUP_PASSPHRASE: 'another passphrase' },
      });
      assert.match(wrong.err, /The passphrase is not the one/);
      assert.match((await run(['backup', 'verify', place])).err, /The backup is encrypted/);
      assert.equal((await run(['backup', 'verify', place], { env })).code, 0);
      const target = join(folder, place.endsWith('/') ? 'from-folder' : 'from-file');
      const restored = await run(['restore', place, '--data', target], { env });
      assert.equal(restored.code, 0, restored.err);
      assert.equal(readFileSync(join(target, 'secret.key'), 'utf8').trim(), 'k'.repeat(43));
    }
  });

  test('in a folder is written again only where something has changed', async () => {
    const folder = makeFolder();
    const to = `${join(folder, 'boxes')}/`;
    const report = async () => JSON.parse((await command(data, undefined, 'backup', to)).out);
    const first = await report();
    const second = await report();
    assert.equal(first.bytesWritten > LARGE.length, true);
    assert.equal(second.bytesWritten < LARGE.length / 2, true, JSON.stringify(second));
    assert.equal((await run(['backup', 'verify', to])).code, 0);
  });

  test('whose restore is killed at any moment is whole or clearly not there, and the command that is named makes it whole', async () => {
    await killAtRandomMoments(['restore'], file, rounds(2, 25));
  });

  test('with a broken line is refused, and what is there stays as it was', async () => {
    const folder = makeFolder();
    const broken = join(folder, 'broken.backup');
    const writer = await writeFileArchive(await openFileSink(broken), undefined);
    const lines = new LineWriter(writer);
    await lines.add(['only one value']);
    const checksum = await lines.end();
    const empty = { count: 0, bytes: 0, parts: [] };
    const columns = ['appliedAt', 'name'].map((name) => ({ name, type: 'text' as const }));
    await writer.finish({
      format: 1,
      id: 'broken',
      createdAt: new Date().toISOString(),
      release: '0.1.0',
      engine: 'sqlite',
      migrations: [],
      secretKey: {},
      tables: [{ name: 'migrations', columns, rows: 1, checksum, parts: lines.parts }],
      blobs: empty,
      repositories: { ...empty, repositories: 0 },
    });
    const target = join(folder, 'target');
    const refused = await command(target, undefined, 'import', 'data', broken);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /A line of migrations is no row of 2 values: use another backup\./);
    assert.equal(existsSync(join(target, 'signalbox.db')), false);
  });

  test('of a newer release is refused by its name', async () => {
    const folder = makeFolder();
    const newer = join(folder, 'newer.backup');
    const writer = await writeFileArchive(await openFileSink(newer), undefined);
    const empty = { count: 0, bytes: 0, parts: [] };
    await writer.finish({
      format: 1,
      id: 'newer',
      createdAt: new Date().toISOString(),
      release: '99.1.0',
      engine: 'sqlite',
      migrations: ['from-the-future'],
      secretKey: {},
      tables: [],
      blobs: empty,
      repositories: { ...empty, repositories: 0 },
    });
    const refused = await command(join(folder, 'target'), undefined, 'restore', newer);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /made by Signalbox 99\.1\.0, which is newer than this program/);
  });

  test('holds deletions of large objects only while it is made', async () => {
    const server = await startServer();
    try {
      const { db, blobs, clock } = server.app.kernel;
      await blobs.put('kv/held', Buffer.from('a'));
      await blobs.put('elsewhere/held', Buffer.from('a'));
      await extendBackupLease(db, 'one', clock.now());
      await blobs.delete('kv/held');
      await blobs.delete('elsewhere/held');
      assert.notEqual(await blobs.get('elsewhere/held').then(async (blob) => blob?.close() ?? true), true);
      await endBackupLease(db, 'one', clock.now());
      server.clock.ahead += 2 * 60_000;
      await eventually(async () => (await blobs.get('elsewhere/held')) === undefined, 'the deletion');
    } finally {
      await server.stop();
    }
  });

  test('into a folder that is not there is refused with what to do', async () => {
    const folder = makeFolder();
    const { code, err } = await command(data, undefined, 'backup', join(folder, 'nowhere', 'box.backup'));
    assert.equal(code, 2);
    assert.match(err, /There is no folder for the backup .*nowhere.*\. Make it first\./);
  });

  test('is restored paused: schedules do not fire until the server is resumed', async () => {
    const folder = makeFolder();
    const target = join(folder, 'target');
    assert.equal((await command(target, undefined, 'restore', file)).code, 0);
    const status = JSON.parse((await command(target, undefined, 'status')).out) as Json;
    assert.notEqual(status['database'].pausedSince, null);
    const server = await startServer({ data: target });
    try {
      const { db, clock } = server.app.kernel;
      const now = clock.now();
      const work = { id: 'identity.sweep', kind: 'identity.sweep', payload: '', dueAt: now - 1000 };
      await schedule(db, work, now, 'move');
      const dueAt = async () => (await listFirstDue(db, 1000)).find(({ kind }) => kind === work.kind)?.due_at;
      assert.equal(await dueAt(), now - 1000);
      const { json } = await server.call('/signalbox/v1/system');
      assert.equal(json['checks'][0].name, 'paused');
      assert.equal((await command(target, undefined, 'resume')).code, 0);
      await eventually(async () => (await dueAt()) !== now - 1000, 'the work that waited');
    } finally {
      await server.stop();
    }
  });
});
