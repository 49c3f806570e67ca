// Ten minutes of mixed load with faults, in long runs alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRun } from '../long.ts';
import { soak } from './soak.ts';

const MINUTES = 10;

test(
  'under faults nothing that was acknowledged is lost, in any API',
  { skip: isLongRun ? false : 'only in long runs: npm run check -- --long' },
  async (t) => {
    const problems = await soak(MINUTES, (line) => t.diagnostic(line));
    assert.deepEqual(problems, []);
  },
);
