// A full disk while a backup is written, restored or imported, and while a database is upgraded: what was there stays as it was,
// and the command says what to do.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeFolder, run } from '../../src/cli/fixture.ts';
import { openFileBlobs, type BlobStore } from '../../src/kernel/storage/blobs/blob.ts';
import type { Json } from '../server.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../small-disk.ts';
import { migratedFile } from '../templates.ts';

const MB = 1024 ** 2;

suite('on a small file system', { skip: canMount ? false : 'needs root and mounts' }, () => {
  let small: string;
  let disk: SmallDisk;
  let source: string;
  let blobs: BlobStore;
  let backup: string;
  const statusOf = async (data: string) =>
    JSON.parse((await run(['status', '--data', data, '--json'])).out) as Json;

  before(async () => {
    small = makeFolder();
    disk = await mountSmallDisk(small, 48);
    const elsewhere = makeFolder();
    source = join(elsewhere, 'source');
    mkdirSync(source);
    writeFileSync(join(source, 'signalbox.db'), await migratedFile());
    blobs = await openFileBlobs(join(source, 'blobs'));
    for (let index = 0; index < 4; index += 1) await blobs.put(`large-${index}`, randomBytes(4 * MB));
    backup = join(elsewhere, 'box.backup');
    const made = await run(['backup', backup, '--data', source]);
    assert.equal(made.code, 0, made.err);
  });

  for (const [kind, to] of [
    ['a file', 'box.backup'],
    ['a folder', 'boxes/'],
  ] as const) {
    test(`a backup into ${kind} says that the disk is full, leaves the one before, and is made once there is room`, async () => {
      const place = join(small, to) + (to.endsWith('/') ? '/' : '');
      const first = await run(['backup', place, '--data', source]);
      assert.equal(first.code, 0, first.err);
      await blobs.put(`new-${kind}`, randomBytes(4 * MB));
      disk.fill(2 * MB);
      const { code, err } = await run(['backup', place, '--data', source]);
      assert.equal(code, 1, err);
      assert.match(err, /disk is full/i);
      const verified = await run(['backup', 'verify', place]);
      assert.equal(verified.code, 0, verified.err);
      assert.equal((JSON.parse(verified.out) as Json)['id'], (JSON.parse(first.out) as Json)['id']);
      disk.makeRoom();
      const again = await run(['backup', place, '--data', source]);
      assert.equal(again.code, 0, again.err);
      rmSync(join(small, to), { recursive: true });
      assert.deepEqual(readdirSync(small), []);
    });
  }

  for (const command of [['restore'], ['import', 'data']]) {
    test(`${command.join(' ')} says that the disk is full, leaves no database, and goes on once there is room`, async () => {
      const data = join(small, 'data');
      disk.fill(10 * MB);
      const { code, err } = await run([...command, backup, '--data', data]);
      assert.equal(code, 1, err);
      const [, words] =
        /disk is full: .* Nothing is there yet\. Go on with "signalbox (.*)"\.$/i.exec(err) ?? [];
      assert.ok(words, err);
      assert.equal(existsSync(join(data, 'signalbox.db')), false);
      disk.makeRoom();
      const again = await run(words.split(' '));
      assert.equal(again.code, 0, again.err);
      assert.equal((await statusOf(data))['database'].members, (await statusOf(source))['database'].members);
      rmSync(data, { recursive: true });
    });
  }

  test('an upgrade says that the disk is full, leaves the database as it was, and happens once there is room', async () => {
    const data = join(small, 'old');
    mkdirSync(data);
    const archive = fileURLToPath(new URL('../upgrade/data-0.1.0.tar.gz', import.meta.url));
    execFileSync('tar', ['-xzf', archive, '-C', data]);
    const file = join(data, 'signalbox.db');
    const was = readFileSync(file);
    // Without room for the backup before it, and, where that is switched off, without room for itself.
    for (const SIGNALBOX_UPGRADE_BACKUP of ['1', '0']) {
      disk.fill(100_000);
      const { code, err } = await run(['migrate', 'up', '--data', data], {
        env: { SIGNALBOX_UPGRADE_BACKUP },
      });
      assert.equal(code, 1, err);
      assert.match(err, /disk is full/i);
    }
    disk.makeRoom();
    const status = await statusOf(data);
    assert.equal(status['database'].release, '0.1.0', JSON.stringify(status));
    assert.ok(readFileSync(file).equals(was));
    const again = await run(['migrate', 'up', '--data', data]);
    assert.equal(again.code, 0, again.err);
  });
});
