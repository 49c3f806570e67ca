// Which evaluations are kept, and how much of what callers send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptEvaluations } from './kept-evaluations.ts';

const results = { etag: '"e"', json: '{}' };

test('the second time something is asked for it is kept', () => {
  const kept = new KeptEvaluations();
  kept.note('one', results);
  assert.equal(kept.find('one'), undefined);
  kept.note('one', results);
  assert.equal(kept.find('one')!.json, '{}');
  assert.equal(kept.find('other'), undefined);
});

test('long contexts that are asked for once leave no room for more of them, and long results are not kept', () => {
  const kept = new KeptEvaluations();
  const long = (index: number) => `${index} ${'x'.repeat(15_000)}`;
  for (let index = 0; index < 100; index += 1) kept.note(long(index), results);
  kept.note(long(0), results);
  assert.equal(kept.find(long(0)), undefined, 'forgotten, so that it counts as the first time');
  kept.note(long(99), results);
  assert.ok(kept.find(long(99)));
  for (let time = 0; time < 2; time += 1) kept.note('large', { ...results, json: 'x'.repeat(300_000) });
  assert.equal(kept.find('large'), undefined);
});
