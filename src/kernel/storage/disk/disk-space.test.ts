// What the server does when a file system is nearly full, and full.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { atEndOfFile } from '../../../../test/cleanup.ts';
import { createLog } from '../../observability/log.ts';
import { DiskSpace, type DiskSpaceOptions, type FreeSpace } from './disk-space.ts';

const MB = 1024 ** 2;

interface FakeDisk extends FreeSpace {
  space: DiskSpace;
  file: string;
  relieved: number[];
  /** What ending a program gives. */
  relief: number;
}

/** A file system of 1000 MB, on which the reserve takes space as it would. */
async function openFake(changes: Partial<FreeSpace & DiskSpaceOptions> = {}): Promise<FakeDisk> {
  const data = mkdtempSync(join(tmpdir(), 'disk-space-'));
  atEndOfFile(() => rmSync(data, { recursive: true, force: true }));
  mkdirSync(join(data, 'work'));
  const file = join(data, 'reserve');
  const { freeBytes = 500 * MB, freeFiles, ...options } = changes;
  const fake = {
    totalBytes: 1000 * MB,
    freeBytes,
    freeFiles,
    file,
    relieved: [],
    relief: 0,
  } as unknown as FakeDisk;
  const reserved = () => (existsSync(file) ? statSync(file).size : 0);
  fake.space = await DiskSpace.open({
    folders: { data, work: join(data, 'work') },
    reserveBytes: 4 * MB,
    reserveFile: file,
    log: createLog('silent', false),
    readSpace: async () => ({ ...fake, freeBytes: Math.max(0, fake.freeBytes - reserved()) }),
    everyMs: 1_000_000,
    fillAfterMs: 0,
    ...options,
  });
  fake.space.start(async (device, hasRoom) => {
    fake.relieved.push(device);
    assert.equal(reserved() > 0, true, 'programs are ended before the reserve is released');
    fake.freeBytes += fake.relief;
    await hasRoom();
  });
  atEndOfFile(() => void fake.space.stop());
  await fake.space.look();
  return fake;
}

test('the reserve is a file that no file system can make smaller', async () => {
  const { file, space } = await openFake();
  assert.equal(space.reservedBytes, 4 * MB);
  assert.ok(gzipSync(readFileSync(file)).length >= 4 * MB);
});

test('the reserve is at most a small part of a small file system', async () => {
  const { space } = await openFake({ reserveBytes: 500 * MB, freeBytes: 900 * MB });
  assert.equal(space.reservedBytes, Math.floor((1000 * MB) / 16));
});

test('below the floor nothing starts, and everything else goes on', async () => {
  const fake = await openFake();
  const { space } = fake;
  assert.equal(space.hasRoomToStart('work'), true);
  fake.freeBytes = 18 * MB;
  await space.look();
  assert.equal(space.hasRoomToStart('work'), false);
  assert.equal(space.isFull('data'), false);
  assert.match(
    space.describe().join(),
    /^The file system of data, work is nearly full, so no run or build starts/,
  );
  space.checkRoom();
  assert.deepEqual(fake.relieved, []);
});

test('a program that gives its space back spares the reserve', async () => {
  const fake = await openFake();
  const { space, file } = fake;
  fake.freeBytes = 5 * MB;
  fake.relief = 100 * MB;
  await space.look();
  assert.equal(fake.relieved.length, 1);
  assert.equal(statSync(file).size, 4 * MB);
  await space.look();
  assert.equal(space.isFull('data'), false);
});

test('where nothing can be ended the reserve is released, and written again when there is room', async () => {
  const fake = await openFake();
  const { space, file } = fake;
  fake.freeBytes = 5 * MB;
  await space.look();
  assert.equal(existsSync(file), false);
  assert.equal(space.isFull('data'), true);
  assert.match(space.describe().join(), /is full/);
  assert.throws(() => space.checkNotFull('work'), /The disk is full/);
  // There is room for writes again, until half of the reserve is used up.
  space.checkRoom();
  fake.freeBytes = 1.9 * MB;
  await space.look();
  assert.throws(() => space.checkRoom(), { kind: 'unavailable', message: /The disk is full/ });
  fake.freeBytes = 11 * MB;
  await space.look();
  assert.equal(space.isFull('data'), true);
  fake.freeBytes = 13 * MB;
  await space.look();
  assert.equal(space.isFull('data'), false);
  assert.equal(space.reservedBytes, 4 * MB);
});

test('a file system without room for further files is full', async () => {
  const fake = await openFake({ freeFiles: 50_000 });
  const { space } = fake;
  assert.equal(space.isFull('work'), false);
  fake.freeFiles = 10;
  await space.look();
  assert.equal(space.isFull('work'), true);
});

test('a full file system does not count as full for others, and one without the database has no reserve', async () => {
  const fake = await openFake({
    deviceOf: (path) => Number(path.endsWith('work')),
    readSpace: async (path) => ({
      totalBytes: 1000 * MB,
      freeBytes: path.endsWith('work') ? MB : 500 * MB,
      freeFiles: undefined,
    }),
  });
  const { space } = fake;
  assert.deepEqual([space.isFull('data'), space.isFull('work')], [false, true]);
  assert.deepEqual(fake.relieved, [1]);
  space.checkRoom();
  assert.equal(space.reservedBytes, 4 * MB);
});

test('a server that starts on a full file system releases the reserve first', async () => {
  const { file, space } = await openFake();
  await space.stop();
  const folders = { data: join(file, '..') };
  const readSpace = async () => ({ totalBytes: 1000 * MB, freeBytes: 0, freeFiles: undefined });
  const log = createLog('silent', false);
  const again = await DiskSpace.open({ folders, reserveBytes: 4 * MB, reserveFile: file, log, readSpace });
  assert.equal(existsSync(file), false);
  assert.equal(again.isFull('data'), true);
});

test('without a reserve nothing is watched', async () => {
  const fake = await openFake({ reserveBytes: 0, freeBytes: 0 });
  fake.space.checkRoom();
  assert.equal(fake.space.hasRoomToStart('work'), true);
  assert.equal(existsSync(fake.file), false);
});
