import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readZip } from './fixture-readers.ts';
import { bytesOf } from './fixture.ts';
import { directory, writeZip } from './zip.ts';

test('parts come back from an archive, in their order', async () => {
  const long = 'žluťoučký kůň 😀 '.repeat(100_000);
  async function* inPieces() {
    for (let at = 0; at < 10; at += 1) yield long;
  }
  const parts = [
    { name: 'a.txt', content: ['one', 'two'] },
    { name: 'empty', content: [] },
    { name: 'dir/název.txt', content: inPieces() },
  ];
  assert.deepEqual(
    [...readZip(await bytesOf(writeZip(parts)))],
    [
      ['a.txt', 'onetwo'],
      ['empty', ''],
      ['dir/název.txt', long.repeat(10)],
    ],
  );
});

test('the same parts give the same bytes', async () => {
  const write = () => bytesOf(writeZip([{ name: 'a', content: ['x'] }]));
  assert.deepEqual(await write(), await write());
});

test('parts may be bytes', async () => {
  const content = [Buffer.from([0x00, 0xc3]), Buffer.from([0xa9])];
  assert.equal(readZip(await bytesOf(writeZip([{ name: 'a', content }]))).get('a'), '\u0000é');
});

test('more parts than 16 bits can count are counted in 64', () => {
  const entry = { name: 'x', crc: 1, packedSize: 10, size: 20, offset: 30 };
  const bytes = directory(
    Array.from({ length: 70_000 }, () => entry),
    5000,
  );
  const end = 70_000 * 47;
  assert.equal(Number(bytes.readBigUInt64LE(end + 32)), 70_000);
  assert.equal(bytes.readUInt16LE(bytes.length - 12), 0xffff);
});

test('an archive beyond 4 GiB has sizes and offsets in 64 bits', () => {
  const far = 5_000_000_000;
  const entry = { name: 'x', crc: 1, packedSize: 10, size: 6_000_000_000, offset: far };
  const bytes = directory([entry], far + 100);
  assert.equal(bytes.readUInt32LE(20), 0xffffffff);
  assert.equal(bytes.readUInt32LE(24), 0xffffffff);
  assert.equal(bytes.readUInt32LE(42), 0xffffffff);
  const extra = 46 + 1;
  assert.equal(bytes.readUInt16LE(extra), 1);
  assert.deepEqual(
    [4, 12, 20].map((at) => Number(bytes.readBigUInt64LE(extra + at))),
    [6_000_000_000, 10, far],
  );
  const end = extra + 28;
  assert.equal(bytes.readUInt32LE(end), 0x06064b50);
  assert.equal(Number(bytes.readBigUInt64LE(end + 48)), far + 100);
  assert.equal(bytes.readUInt32LE(end + 56), 0x07064b50);
  assert.equal(Number(bytes.readBigUInt64LE(end + 64)), far + 100 + end);
  assert.equal(bytes.readUInt32LE(end + 76), 0x06054b50);
  assert.equal(bytes.length, end + 76 + 22);
});

test('a failure of a part reaches the reader', async () => {
  async function* failing() {
    yield 'x';
    throw new Error('the disk is gone');
  }
  await assert.rejects(bytesOf(writeZip([{ name: 'a', content: failing() }])), /the disk is gone/);
});
