// The command `doctor`: its findings and repairs.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { startS3 } from '../../../test/s3.ts';
import { openFileBlobs } from '../../kernel/storage/blobs/blob.ts';
import { checkPostgresVersion, checkClockSkew, skewOf } from '../../kernel/storage/check-engine.ts';
import { checkClock, checkNode, checkCertificate, checkSpace, reportActors } from './doctor-machine.ts';
import { startPathProxy } from '../../../test/path-proxy.ts';
import { makeFolder, run, startServer, type ServerProcess } from '../fixture.ts';
import { readRunFile, saveRunFile } from '../running-server.ts';

interface Report {
  ok: boolean;
  checks: { name: string; state: string; detail: string; fix: string | null }[];
}

const data = join(makeFolder(), 'data');
const doctor = async (...argv: string[]) => {
  const { code, out } = await run(['doctor', '--data', data, ...argv]);
  const { ok, checks } = JSON.parse(out) as Report;
  assert.equal(code, ok ? 0 : 1);
  return { ok, of: (name: string) => checks.find((check) => check.name === name) };
};

test('before the first start nothing has failed, and nothing is made', async () => {
  const { ok, of } = await doctor();
  assert.equal(ok, true);
  assert.equal(of('data folder')!.state, 'warn');
  assert.equal(of('database')!.state, 'warn');
  assert.equal(existsSync(data), false);
});

describe('on the data of a server', () => {
  let server: ServerProcess;
  before(async () => {
    server = await startServer(data);
  });

  test('a server that runs is found, and asked through what stands in front of it', async (t) => {
    const proxy = await startPathProxy('/box');
    t.after(async () => {
      await proxy.close();
      server.kill('SIGTERM');
      await server.ended;
    });
    const { ok, of } = await doctor();
    assert.equal(ok, true);
    assert.match(of('server')!.detail, new RegExp(`process ${server.pid}`));
    assert.equal(of('address'), undefined);
    saveRunFile(data, { ...readRunFile(data)!, publicUrl: proxy.url });
    const ask = async () => (await doctor()).of('address')!;
    proxy.strips = true;
    proxy.target = server.url;
    assert.deepEqual([(await ask()).state], ['ok']);
    // As if a part of the path were taken off too much.
    proxy.target = `${server.url}/elsewhere`;
    const wrong = await ask();
    assert.equal(wrong.state, 'fail');
    assert.match(wrong.detail, /answers 404 instead of 401.*with \/box taken off and nothing else/);
    saveRunFile(data, { ...readRunFile(data)!, publicUrl: 'http://127.0.0.1:1' });
    assert.equal((await ask()).state, 'warn');
  });

  test('all is well', async () => {
    const { out, code } = await run(['doctor', '--data', data, '--no-json']);
    assert.equal(code, 0);
    // Not every machine has a sandbox, or git.
    for (const line of out.split('\n')) assert.match(line, /^(ok {4}|warn +(actors|git))/);
    assert.match(out, /actors +(Each run has|Runs have no sandbox)/);
    assert.match(out, /git +(git 2\.|Git is not installed)/);
    assert.match(out, /integrity +quick check passed/);
  });

  test('problems are reported with what to do, and repaired with --fix', async () => {
    chmodSync(data, 0o755);
    const url = 'http://127.0.0.1:1';
    const gone = 2 ** 22 + 1; // above the largest process number
    saveRunFile(data, {
      pid: gone,
      url,
      publicUrl: url,
      version: '0',
      startedAt: new Date().toISOString(),
      settings: {},
    });
    const temporary = join(data, 'blobs', 'tmp');
    mkdirSync(temporary, { recursive: true });
    writeFileSync(join(temporary, 'old'), '');
    writeFileSync(join(temporary, 'new'), '');
    const yesterday = Date.now() / 1000 - 86_400;
    utimesSync(join(temporary, 'old'), yesterday, yesterday);
    const db = new DatabaseSync(join(data, 'signalbox.db'));
    db.exec(`insert into due (id, kind, payload, due_at, owner, attempts, created_at)
      values ('lost', 'test', '', 1, 'gone#1', 1, 1), ('waiting', 'test', '', 1, null, 0, 1)`);

    const found = await doctor();
    for (const name of ['permissions', 'server', 'temporary files', 'leases']) {
      assert.deepEqual([found.of(name)!.state, found.of(name)!.fix], ['warn', 'possible'], name);
    }
    assert.equal(found.of('leases')!.detail.startsWith('1 held by workers'), true);
    assert.equal(found.ok, true);

    const fixed = await doctor('--fix');
    for (const name of ['permissions', 'server', 'temporary files', 'leases']) {
      assert.deepEqual([fixed.of(name)!.state, fixed.of(name)!.fix], ['ok', 'done'], name);
    }
    assert.equal(statSync(data).mode & 0o777, 0o700);
    assert.equal(existsSync(join(data, 'run.json')), false);
    assert.deepEqual(readdirSync(temporary), ['new']);
    assert.equal(db.prepare(`select owner from due where id = 'lost'`).get()!.owner, null);
    db.close();
    assert.equal((await doctor()).of('leases')!.detail, 'none stuck');
  });

  test('large objects that nothing refers to are reported, and deleted with --fix', async () => {
    const blobs = await openFileBlobs(join(data, 'blobs'));
    const old = Date.now() / 1000 - 2 * 3600;
    for (const key of ['kv/gone/old', 'kv/gone/young', 'kv/kept/old', 'other/old']) {
      await blobs.put(key, new Uint8Array(1));
    }
    for (const entry of readdirSync(join(data, 'blobs'), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && !readFileSync(file, 'utf8').includes('"kv/gone/young"'))
        utimesSync(file, old, old);
    }
    const db = new DatabaseSync(join(data, 'signalbox.db'));
    db.exec(`insert into kv_stores values ('kept', 0, 0, 0, 0, 1, 1);
      insert into kv_records (store_id, key, content_type, size, etag, updated_at, blob, replaced_size)
        values ('kept', 'key', 'a/b', 1, 'x', 1, 'kv/kept/old', 0)`);
    db.close();

    const found = (await doctor()).of('large objects')!;
    assert.deepEqual([found.state, found.detail], ['warn', '1 that nothing refers to: delete them']);
    const fixed = (await doctor('--fix')).of('large objects')!;
    assert.deepEqual([fixed.state, fixed.detail, fixed.fix], ['ok', '1 deleted', 'done']);
    const left = (await Array.fromAsync(blobs.list())).map(({ key }) => key);
    assert.deepEqual(left.sort(), ['kv/gone/young', 'kv/kept/old', 'other/old']);
    assert.equal((await doctor()).of('large objects')!.detail, 'none left behind');
    assert.equal((await doctor()).of('checksums')!.detail, '3 large objects are as they were written');
  });

  test('a large object that is not as it was written is reported', async () => {
    const blobs = await openFileBlobs(join(data, 'blobs'));
    await blobs.put('kv/kept/damaged', Buffer.from('as it was'));
    for (const entry of readdirSync(join(data, 'blobs'), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile())
        writeFileSync(file, readFileSync(file, 'latin1').replace('it was', 'it is!'), 'latin1');
    }
    const { ok, of } = await doctor();
    assert.equal(ok, false);
    assert.match(of('checksums')!.detail, /^1 of 4 large objects are damaged \(kv\/kept\/damaged\): /);
    await blobs.delete('kv/kept/damaged');
  });

  test('object storage is looked into as well, and fails when it cannot be reached', async () => {
    const s3 = await startS3();
    const env = {
      SIGNALBOX_BLOBS: s3.location,
      AWS_ACCESS_KEY_ID: s3.keys.s3AccessKey,
      AWS_SECRET_ACCESS_KEY: s3.keys.s3SecretKey,
    };
    writeFileSync(join(data, 'object'), 'content');
    const stored = { file: join(data, 'object'), modifiedAt: Date.now() - 2 * 60 * 60 * 1000 };
    s3.objects.set('some/prefix/kv/gone/old', stored);
    const { out } = await run(['doctor', '--data', data, '--no-json', '--fix'], { env });
    assert.match(out, /^ok {4}large objects +1 deleted$/m);
    assert.doesNotMatch(out, /temporary files/);
    assert.equal(s3.objects.size, 0);
    const wrong = { ...env, AWS_SECRET_ACCESS_KEY: 'a-wrong-secret' };
    const refused = await run(['doctor', '--data', data, '--no-json'], { env: wrong });
    assert.equal(refused.code, 1);
    assert.match(refused.out, /^fail {2}large objects .*check the access keys/m);
    assert.doesNotMatch(refused.out, /a-wrong-secret/);
    await s3.stop();
  });

  test('files for HTTPS that cannot be read fail', async () => {
    const env = { SIGNALBOX_TLS_CERT: 'absent.pem', SIGNALBOX_TLS_KEY: 'absent.pem' };
    const { code, out } = await run(['doctor', '--data', data, '--no-json'], { env });
    assert.equal(code, 1);
    assert.match(out, /^fail {2}https .*absent\.pem.*: correct --tls-cert and --tls-key$/m);
  });
});

test('a database that cannot be reached fails with its address and without its password', async () => {
  const database = 'postgres://box:hunter2@127.0.0.1:1/box';
  const { code, out } = await run(['doctor', '--data', data, '--database', database, '--no-json']);
  assert.equal(code, 1);
  assert.match(out, /^fail {2}database +PostgreSQL postgres:\/\/box:\*\*\*@127\.0\.0\.1:1\/box: /m);
  assert.doesNotMatch(out, /hunter2/);
});

test('a query that takes long is no sign of a wrong clock', () => {
  const span = [10_000, 15_000] as const;
  assert.deepEqual(
    [7_000, 10_000, 14_999, 18_000].map((time) => skewOf(time, span)),
    [3_000, 0, 0, 3_000],
  );
});

test('each judgement has its bounds', () => {
  const now = Date.parse('2026-11-15T00:00:00Z');
  assert.deepEqual(
    [
      checkNode('24.0.0'),
      checkNode('22.9.0'),
      checkClock(now),
      checkClock(0),
      checkSpace(2e9),
      checkSpace(5e8),
      checkSpace(5e7),
      checkPostgresVersion('14.2 (Debian)'),
      checkPostgresVersion('13.9'),
      checkClockSkew(1999),
      checkClockSkew(2000),
      checkCertificate('Dec 31 00:00:00 2026 GMT', now),
      checkCertificate('Nov 16 00:00:00 2026 GMT', now),
      checkCertificate('Nov 14 00:00:00 2026 GMT', now),
    ].map(({ state }) => state),
    ['ok', 'fail', 'ok', 'fail', 'ok', 'warn', 'fail', 'ok', 'fail', 'ok', 'fail', 'ok', 'warn', 'fail'],
  );
});

test('the isolation of Actors is reported, and what is missing', () => {
  const none = { kind: 'none', tools: {} } as const;
  const all = { memory: true, processes: true, cpu: true };
  assert.deepEqual(
    reportActors({ kind: 'uid', tools: { setpriv: '/bin/setpriv' } }, all, { network: 'host' }),
    {
      name: 'actors',
      state: 'ok',
      detail: 'Each run has a user of its own. Runs share the network of this machine.',
    },
  );
  const { state, detail } = reportActors(none, { ...all, memory: false }, { network: 'host' });
  assert.equal(state, 'warn');
  assert.match(detail, /^Runs have no sandbox.*does not let the server cap memory.*Install bubblewrap\.$/);
  assert.match(
    reportActors(none, all, { network: 'host' }, 'Others can reach it.').detail,
    /^none can run: Others/,
  );
});
