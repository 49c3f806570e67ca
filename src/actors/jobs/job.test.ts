// How deaths of processes delay a job, and which of them count.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDeath, countDeaths, reasonToGiveUp } from './job.ts';

const HOUR = 60 * 60 * 1000;

test('a death counts for less than an hour', () => {
  const { deaths } = addDeath(null, 'one', 0);
  assert.equal(countDeaths(addDeath(deaths, 'two', HOUR - 1).deaths), 2);
  assert.equal(countDeaths(addDeath(deaths, 'two', HOUR).deaths), 1);
});

test('each death delays the next start further, and the fifth is the last', () => {
  let deaths: string | null = null;
  const delays: number[] = [];
  for (const owner of ['a', 'b', 'c', 'd', 'e']) {
    const death = addDeath(deaths, owner, 1000);
    ({ deaths } = death);
    delays.push(death.startAt - 1000);
    const isGivenUp = reasonToGiveUp({ kind: 'run', deaths: countDeaths(deaths) }) !== undefined;
    assert.equal(isGivenUp, owner === 'e');
  }
  assert.deepEqual(delays, [1000, 4000, 16_000, 64_000, 0]);
});
