// Tests of downloads: a turn ends with its source or its reader, and a reader that stops loses it to others.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { eventually } from '../../../test/eventually.ts';
import { Failure } from '../../kernel/failure.ts';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { asDownload } from './downloads.ts';
import { GitTransfers } from './git-transfers.ts';

function open() {
  const clock = { at: 0, now: () => clock.at };
  const downloads = new GitTransfers('downloads', { max: 1, lookMs: 5 }, clock);
  const kernel = { services: { downloads } } as unknown as Kernel;
  let ended = 0;
  async function* source(chunks: number) {
    try {
      for (let count = 0; count < chunks; count += 1) yield Buffer.from('x');
    } finally {
      ended += 1;
    }
  }
  const begin = (address: string, chunks = 3, { signal } = new AbortController()) =>
    asDownload(kernel, { caller: anonymousAt(address), address, signal }, source(chunks));
  return { clock, downloads, begin, ended: () => ended };
}

test('a turn ends with the source, and with a reader that leaves before or after the beginning', async () => {
  const { downloads, begin, ended } = open();
  let read = 0;
  for await (const chunk of await begin('192.0.2.1')) read += chunk.length;
  assert.equal(read, 3);
  for await (const _ of await begin('192.0.2.1')) break;
  assert.equal(ended(), 2);
  Readable.from(await begin('192.0.2.1'), { objectMode: false }).destroy();
  await eventually(() => downloads.load.used === 0);
});

test('a reader that stops is tolerated for a while, and then loses its turn to one who waits', async () => {
  const { clock, begin, downloads, ended } = open();
  const slow = await begin('192.0.2.1');
  await slow.next();
  const waiting = begin('192.0.2.2', 0);
  clock.at += 9000;
  await slow.next();
  clock.at += 11_000;
  await (
    await waiting
  ).return!();
  assert.equal(ended(), 1);
  assert.equal(downloads.load.used, 0);
  await assert.rejects(slow.next(), (error) => error instanceof Failure && /slower than/.test(error.message));
});

test('someone who leaves while waiting loses the place in the queue at once', async () => {
  const { begin, downloads, ended } = open();
  const holder = await begin('192.0.2.1');
  const leaving = new AbortController();
  const waiting = begin('192.0.2.2', 3, leaving);
  assert.equal(downloads.load.waiting, 1);
  leaving.abort(new Failure('unavailable', 'The client went away.'));
  await assert.rejects(waiting, /went away/);
  assert.deepEqual(downloads.load, { used: 1, waiting: 0 });
  await holder.return!();
  assert.deepEqual([downloads.load.used, ended()], [0, 0], 'nothing was begun');
});
