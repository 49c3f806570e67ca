// Limits of what the SDKs of an environment send: events, work at the same time, and rows per hour.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import { EventLimits, Turns, RowBudget, type NewRow } from './limits.ts';

const NOW = 1_000_000;

function retryAfter(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Failure && error.kind === 'exhausted');
    return error.details.headers?.['retry-after'];
  }
}

test('without a limit everything is let in', () => {
  const limits = new EventLimits();
  for (let index = 0; index < 1000; index += 1) limits.open('one', NOW).spend(1e9);
});

test('what a payload takes in advance is at most as much as may be saved up', () => {
  const limits = new EventLimits({ perSecond: 10 });
  limits.open('one', NOW).spend(1e9);
  assert.equal(
    retryAfter(() => limits.open('one', NOW)),
    '6',
  );
  assert.equal(
    retryAfter(() => limits.open('two', NOW)),
    undefined,
    'another environment',
  );
  assert.equal(
    retryAfter(() => limits.open('one', NOW + 5000)),
    '1',
  );
  assert.equal(
    retryAfter(() => limits.open('one', NOW + 5100)),
    undefined,
  );
});

test('an environment never saves up more than five seconds, whatever the clock does', () => {
  const limits = new EventLimits({ perSecond: 1 });
  const count = (now: number) => {
    let opened = 0;
    while (retryAfter(() => limits.open('one', now)) === undefined) opened += 1;
    return opened;
  };
  assert.equal(count(NOW), 5);
  assert.equal(count(NOW - 1_000_000), 0, 'the clock was set back');
  assert.equal(count(NOW - 1_000_000 + 2000), 2);
  assert.equal(count(NOW + 1e9), 5);
});

test('bytes in memory are limited per environment, and given back', () => {
  const limits = new EventLimits({ maxBytes: 100 });
  const first = limits.open('one', NOW);
  const second = limits.open('one', NOW);
  first.add(60);
  assert.equal(
    retryAfter(() => second.add(60)),
    '1',
  );
  limits.open('two', NOW).add(100);
  first.close();
  first.close();
  second.add(100);
  assert.equal(
    retryAfter(() => second.add(1)),
    '1',
  );
});

test('no more than so many run at the same time, in order, and errors free their place', async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      turns.run(async () => {
        begun.push(index);
        most = Math.max(most, (running += 1));
        await new Promise(setImmediate);
        running -= 1;
        if (index % 3 === 0) throw new Error('broken');
        return index;
      }),
    ),
  );
  assert.equal(most, 2);
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 4);
  assert.equal(await turns.run(() => Promise.resolve('free')), 'free');
});

const HOUR = 3_600_000;
const ROW: NewRow = {
  environment_id: 'one',
  flag_key: 'f',
  hour: HOUR,
  variation: 0,
  version: 1,
  sdk: 'A/1',
};
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

test('rows beyond the limit lose version and SDK, then the variation', () => {
  const budget = new RowBudget({ maxRows: 10 });
  const fitted = times(40).map((index) => budget.fit({ ...ROW, variation: index, version: index }));
  assert.deepEqual(fitted[9], { ...ROW, variation: 9, version: 9 });
  assert.deepEqual(fitted[10], { ...ROW, variation: 10, version: 0, sdk: 'other' });
  assert.deepEqual(fitted[39], { ...ROW, variation: -1, version: 0, sdk: 'other' });
  assert.equal(new Set(fitted.map((row) => JSON.stringify(row))).size, 13);
  assert.deepEqual(budget.fit({ ...ROW, variation: 3, version: 3 }), { ...ROW, variation: 3, version: 3 });
});

test('SDKs beyond the limit are counted together', () => {
  const budget = new RowBudget({ maxSdks: 3 });
  const sdks = times(10).map((index) => budget.fit({ ...ROW, sdk: `A/${index}` }).sdk);
  assert.deepEqual([...new Set(sdks)], ['A/0', 'A/1', 'A/2', 'other']);
  assert.equal(budget.fit({ ...ROW, sdk: 'A/2' }).sdk, 'A/2');
});

test('each environment and each hour has its own', () => {
  const budget = new RowBudget({ maxRows: 1, maxSdks: 1 });
  const later = { ...ROW, hour: 2 * HOUR, sdk: 'B/1' };
  for (const row of [ROW, { ...ROW, environment_id: 'two', sdk: 'C/1' }, later])
    assert.deepEqual(budget.fit(row), row);
});
