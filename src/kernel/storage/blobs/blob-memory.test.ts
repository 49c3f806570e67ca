// A large blob is written and read with little memory, as a file and in object storage.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { usedBytes } from '../../../../test/memory.ts';
import { startS3 } from '../../../../test/s3.ts';
import { openS3Blobs } from './blob-s3.ts';
import { openFileBlobs, type BlobStore } from './blob.ts';
import { readS3Location } from './s3-location.ts';

const MB = 1024 * 1024;
const LOOK_EVERY_MB = 8;

/** The peak of memory use, above the use before. */
async function passThrough(blobs: BlobStore, megabytes: number): Promise<number> {
  const piece = new Uint8Array(MB).fill(7);
  const before = usedBytes();
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, usedBytes() - before);
  };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < megabytes; i++) {
      if (i % LOOK_EVERY_MB === 0) look();
      yield piece;
    }
  }
  const { size } = await blobs.put('large', pieces());
  assert.equal(size, megabytes * MB);
  let received = 0;
  let lookAt = 0;
  const blob = await blobs.get('large');
  assert.ok(blob);
  for await (const chunk of blob.stream()) {
    received += (chunk as Buffer).length;
    if (received < lookAt) continue;
    look();
    lookAt = received + LOOK_EVERY_MB * MB;
  }
  assert.equal(received, size);
  return peak;
}

test('a large blob passes through a file in little memory', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  t.after(() => rm(folder, { recursive: true }));
  const peak = await passThrough(await openFileBlobs(join(folder, 'blobs')), 64);
  assert.ok(peak < 32 * MB, `${peak} bytes at once`);
});

test('a large blob passes through object storage in little memory', async (t) => {
  const s3 = await startS3();
  t.after(() => s3.stop());
  const keys = { accessKey: s3.keys.s3AccessKey, secretKey: s3.keys.s3SecretKey };
  const peak = await passThrough(await openS3Blobs({ ...readS3Location(s3.location), ...keys }), 64);
  assert.ok(peak < 64 * MB, `${peak} bytes at once`);
});
