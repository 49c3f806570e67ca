// Tests of the packets that the server adds to replies of git.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PacketReader } from './git-packets.ts';

/** Follows a reply in chunks of several sizes, and ends it. */
function ends(reply: string): (string | undefined)[] {
  return [1, 3, 7, 1000].map((size) => {
    const reader = new PacketReader();
    const bytes = Buffer.from(reply, 'latin1');
    for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
    return reader.end('Enough.')?.toString('latin1');
  });
}

const same = (text: string | undefined) => Array.from({ length: 4 }, () => text);

test('an error follows whole packets, with bands where those have them', () => {
  assert.deepEqual(ends(''), same('000fERR Enough.'));
  assert.deepEqual(ends('0008NAK\n'), same('000fERR Enough.'));
  assert.deepEqual(ends('000dpackfile\n0009\u0002now\n'), same('000d\u0003Enough.\n'));
  assert.deepEqual(ends('0009\u0001PACK0000'), same('000d\u0003Enough.\n'));
});

test('a packet that misses its end is filled up', () => {
  assert.deepEqual(ends('0009\u0001PA'), same('\u0000\u0000000d\u0003Enough.\n'));
});

test('there is no error in the middle of a header, and after objects without packets', () => {
  assert.deepEqual(ends('0008NAK\n00'), same(undefined));
  assert.deepEqual(ends('0008NAK\nPACK....'), same(undefined));
});
