// Blobs, as files and in object storage: complete or absent, with any keys.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { startS3 } from '../../../../test/s3.ts';
import { DamagedBlob } from './blob-checksum.ts';
import { openS3Blobs } from './blob-s3.ts';
import { openFileBlobs } from './blob.ts';
import type { BlobStore } from './blob.ts';
import { readS3Location } from './s3-location.ts';

const bytes = (words: string): Uint8Array => new TextEncoder().encode(words);

interface Fixture {
  blobs: BlobStore;
  /** The file that holds the only blob. */
  file(): Promise<string>;
  /** The number of stored blobs and pieces of blobs. */
  count(): Promise<number>;
}

async function inFiles(t: TestContext): Promise<Fixture & { folder: string }> {
  const parent = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  t.after(() => rm(parent, { recursive: true }));
  const folder = join(parent, 'blobs');
  return {
    folder,
    blobs: await openFileBlobs(folder),
    count: async () => (await filesIn(folder)).length,
    file: async () => (await filesIn(folder))[0]!,
  };
}

async function inS3(t: TestContext): Promise<Fixture> {
  const s3 = await startS3();
  t.after(() => s3.stop());
  const keys = { accessKey: s3.keys.s3AccessKey, secretKey: s3.keys.s3SecretKey };
  const blobs = await openS3Blobs({ ...readS3Location(s3.location), ...keys });
  return {
    blobs,
    count: async () => s3.objects.size + s3.uploads.size,
    file: async () => [...s3.objects.values()][0]!.file,
  };
}

async function read(blobs: BlobStore, key: string): Promise<string | undefined> {
  const blob = await blobs.get(key);
  return blob && (await text(blob.stream()));
}

async function overwriteEnd(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write('!', (await handle.stat()).size - 1);
  await handle.close();
}

const filesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

/** Keys that would be dangerous or ambiguous as file names. */
const HOSTILE = [
  '../outside',
  '/etc/passwd',
  'a/b',
  'a\\b',
  'a',
  'A',
  '.',
  '..',
  'NUL',
  'tmp',
  'with\0nul',
  'new\nline',
  '"quoted"',
  'ä',
  'a\u0308',
  '🚂',
  '\ud800',
  '\ud801',
  '\ufffd',
  'x'.repeat(255),
];
/** Keys that object storage refuses. */
const UNFIT = ['', 'x'.repeat(5_000), `${'x'.repeat(5_000)}y`];

const keysOf = async (blobs: BlobStore, prefix?: string): Promise<string[]> => {
  const listed = await Array.fromAsync(blobs.list(prefix));
  return listed.map(({ key }) => key).sort();
};

for (const [place, setUp] of [
  ['files', inFiles],
  ['object storage', inS3],
] as const) {
  describe(place, () => {
    test('a blob comes back as it was put, from bytes or from a stream', async (t) => {
      const { blobs } = await setUp(t);
      const data = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < data.length; at += 1_000) yield data.subarray(at, at + 1_000);
      }
      assert.deepEqual(await blobs.put('bytes', data), { size: 300_000 });
      assert.deepEqual(await blobs.put('stream', pieces()), { size: 300_000 });
      assert.deepEqual(await blobs.put('empty', new Uint8Array(0)), { size: 0 });
      for (const key of ['bytes', 'stream']) {
        const blob = await blobs.get(key);
        assert.equal(blob?.size, 300_000);
        assert.ok((await buffer(blob.stream())).equals(data));
      }
      assert.equal(await read(blobs, 'empty'), '');
      assert.equal(await blobs.get('missing'), undefined);
    });

    test('any key is safe, and differs from any other', async (t) => {
      const { blobs } = await setUp(t);
      const keys = place === 'files' ? [...HOSTILE, ...UNFIT] : HOSTILE;
      for (const [i, key] of keys.entries()) await blobs.put(key, bytes(`blob ${i}`));
      for (const [i, key] of keys.entries()) assert.equal(await read(blobs, key), `blob ${i}`);
      assert.deepEqual(await keysOf(blobs), keys.toSorted());
    });

    test('a part of a blob is given by range, with the size of the whole', async (t) => {
      const { blobs } = await setUp(t);
      const data = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251);
      await blobs.put('key', data);
      for (const [start, end] of [
        [0, 0],
        [100, 70_000],
        [199_999, 199_999],
      ] as const) {
        const blob = await blobs.get('key', { start, end });
        assert.equal(blob?.size, 200_000);
        assert.ok((await buffer(blob.stream())).equals(data.subarray(start, end + 1)));
      }
      assert.equal(await blobs.get('missing', { start: 0, end: 0 }), undefined);
    });

    for (const size of [1, 500_000, 3_000_000, 10_000_000]) {
      test(`a damaged blob of ${size} bytes is not returned completely`, async (t) => {
        const { blobs, file } = await setUp(t);
        const data = Buffer.alloc(size, 'signalbox');
        await blobs.put('key', data);
        assert.ok((await buffer((await blobs.get('key'))!.stream())).equals(data));
        await overwriteEnd(await file());
        let received = 0;
        await assert.rejects(async () => {
          for await (const piece of (await blobs.get('key'))!.stream()) received += (piece as Buffer).length;
        }, DamagedBlob);
        assert.ok(size > 1_048_576 ? received < size : received === 0, `${received} bytes`);
        // A range cannot be verified.
        const part = await blobs.get('key', { start: size - 1, end: size - 1 });
        assert.equal(await text(part!.stream()), '!');
      });
    }

    test('a list has the time of each blob', async (t) => {
      const { blobs } = await setUp(t);
      const before = Date.now();
      await blobs.put('key', bytes('content'));
      const [listed] = await Array.fromAsync(blobs.list());
      // The timestamps of file systems are a little less precise.
      assert.ok(listed && listed.modifiedAt > before - 1000 && listed.modifiedAt < Date.now() + 50);
    });

    test('keys are listed by prefix', async (t) => {
      const { blobs } = await setUp(t);
      for (const key of ['a/1', 'a/2', 'b/1']) await blobs.put(key, bytes(key));
      assert.deepEqual(await keysOf(blobs, 'a/'), ['a/1', 'a/2']);
      assert.deepEqual(await keysOf(blobs, 'a/1'), ['a/1']);
      assert.deepEqual(await keysOf(blobs, '.'), []);
    });

    test('a reader keeps the blob it was given when that is replaced or deleted', async (t) => {
      const { blobs } = await setUp(t);
      await blobs.put('key', bytes('old content'));
      const old = await blobs.get('key');
      const doomed = await blobs.get('key');
      await blobs.put('key', bytes('new'));
      assert.equal(old?.size, 11);
      assert.equal(await text(old.stream()), 'old content');
      assert.equal(await read(blobs, 'key'), 'new');
      await blobs.delete('key');
      await blobs.delete('key');
      assert.equal(await blobs.get('key'), undefined);
      assert.ok(doomed);
      assert.equal(await text(doomed.stream()), 'old content');
    });

    test('a blob that is not read after all can be closed', async (t) => {
      const { blobs } = await setUp(t);
      await blobs.put('key', bytes('content'));
      const blob = await blobs.get('key');
      await blob?.close();
      assert.equal(await read(blobs, 'key'), 'content');
    });

    test('a failing stream leaves nothing, and the key keeps its previous blob', async (t) => {
      const { blobs, count } = await setUp(t);
      await blobs.put('key', bytes('before'));
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield bytes('half of ');
        throw new Error('the client went away');
      }
      await assert.rejects(blobs.put('key', failing()), /the client went away/);
      assert.equal(await read(blobs, 'key'), 'before');
      assert.equal(await count(), 1);
    });

    test('of many concurrent puts to one key, one is stored complete', async (t) => {
      const { blobs, count } = await setUp(t);
      const contents = Array.from({ length: 20 }, (_, i) => `${i} `.repeat(10_000));
      await Promise.all(contents.map((content) => blobs.put('key', bytes(content))));
      assert.ok(contents.includes((await read(blobs, 'key')) ?? ''));
      assert.equal(await count(), 1);
    });
  });
}

test('any key is the hash of it in a file name', async (t) => {
  const { folder, blobs } = await inFiles(t);
  for (const key of [...HOSTILE, ...UNFIT]) await blobs.put(key, bytes('content'));
  assert.deepEqual(await readdir(join(folder, '..')), ['blobs']);
  for (const file of await filesIn(folder))
    assert.match(file.slice(folder.length), /^\/[0-9a-f]{2}\/[0-9a-f]{62}$/);
});

test('opening deletes the files that a crash left behind, and not those being written', async (t) => {
  const { folder } = await inFiles(t);
  const now = Date.now();
  const [stale, fresh] = [join(folder, 'tmp', 'stale'), join(folder, 'tmp', 'fresh')];
  for (const file of [stale, fresh]) await writeFile(file, 'half');
  await utimes(stale, new Date(), new Date(now - 2 * 60 * 60 * 1000));
  await openFileBlobs(folder, { now: () => now });
  assert.deepEqual(await readdir(join(folder, 'tmp')), ['fresh']);
});

test('an unusable folder gives a message that says what to do', async (t) => {
  const { folder } = await inFiles(t);
  await writeFile(join(folder, 'file'), '');
  await assert.rejects(openFileBlobs(join(folder, 'file', 'blobs')), {
    kind: 'unavailable',
    message: /check that it can/,
  });
});

test('a file that a release before 0.2 wrote, without a checksum, is read', async (t) => {
  const { folder, blobs } = await inFiles(t);
  const hash = createHash('sha256').update('"old key"').digest('hex');
  await mkdir(join(folder, hash.slice(0, 2)));
  await writeFile(join(folder, hash.slice(0, 2), hash.slice(2)), '"old key"\nold content');
  assert.equal(await read(blobs, 'old key'), 'old content');
  assert.deepEqual(await keysOf(blobs), ['old key']);
});
