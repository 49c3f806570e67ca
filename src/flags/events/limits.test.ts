// Limits of events per environment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import { EventLimits } from './limits.ts';

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
