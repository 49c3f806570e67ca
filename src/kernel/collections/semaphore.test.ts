// The semaphore: who runs, who waits and in what order, and who is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Failure } from '../failure.ts';
import { Semaphore } from './semaphore.ts';

function open(limits: { max: number; maxWaiting: number; maxWaitingEach?: number }) {
  const semaphore = new Semaphore({ ...limits, refusal: 'Too many wait.' });
  const order: string[] = [];
  const run = async (name: string, owner?: string, signal?: AbortSignal): Promise<void> => {
    const release = await semaphore.acquire(signal, owner);
    order.push(name);
    release();
    release();
  };
  return { semaphore, order, run };
}

test('calls beyond the limit run in their order, each once', async () => {
  const { semaphore, order, run } = open({ max: 2, maxWaiting: 10 });
  const held = [await semaphore.acquire(), await semaphore.acquire()];
  const waiting = ['a', 'b', 'c'].map((name) => run(name));
  assert.deepEqual([semaphore.used, semaphore.waiting], [2, 3]);
  held[0]!();
  held[0]!();
  await Promise.all(waiting);
  assert.deepEqual([order, semaphore.used, semaphore.waiting], [['a', 'b', 'c'], 1, 0]);
});

test('owners take turns', async () => {
  const { semaphore, order, run } = open({ max: 1, maxWaiting: 10 });
  const release = await semaphore.acquire();
  const waiting = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => run(name, name[0]));
  release();
  await Promise.all(waiting);
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a full queue refuses, and so does that of one owner', async () => {
  const { semaphore, run } = open({ max: 1, maxWaiting: 3, maxWaitingEach: 2 });
  const release = await semaphore.acquire();
  const waiting = [run('1', 'a'), run('2', 'a'), run('3', 'b')];
  for (const owner of ['a', 'b'])
    await assert.rejects(
      run('4', owner),
      (error: Failure) =>
        error.kind === 'unavailable' &&
        error.message === 'Too many wait.' &&
        error.details.headers?.['retry-after'] === '10',
    );
  release();
  await Promise.all(waiting);
  assert.deepEqual([semaphore.used, semaphore.waiting], [0, 0]);
});

test('a call that is aborted leaves the queue', async () => {
  const { semaphore, order, run } = open({ max: 1, maxWaiting: 10 });
  const release = await semaphore.acquire();
  const left = new AbortController();
  const waiting = [run('a', 'x', left.signal), run('b', 'x'), run('c', 'y', left.signal)];
  left.abort(new Error('left'));
  await assert.rejects(waiting[0]!, /left/);
  await assert.rejects(waiting[2]!, /left/);
  await assert.rejects(run('d', 'x', left.signal), /left/);
  release();
  await waiting[1];
  assert.deepEqual([order, semaphore.used, semaphore.waiting], [['b'], 0, 0]);
});
