// Compiling an environment in steps: a change costs what it changes, and the index of dependents follows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readContext } from './context.ts';
import type { FlagData, SegmentData } from './data.ts';
import { compileEnvironment, dependentsOf, withChanges, type CompiledEnvironment } from './environment.ts';
import { newClause, newFlagData, newSegmentData } from './fixture.ts';
import { beginRun } from './run.ts';

const inSegment = (...keys: string[]) => newClause({ attribute: '', op: 'segmentMatch', values: keys });

const flagOf = (
  key: string,
  needed: string[] = [],
  segments: string[] = [],
  members: Partial<FlagData> = {},
) =>
  newFlagData({
    key,
    prerequisites: needed.map((other) => ({ key: other, variation: 0 })),
    rules: segments.map((segment) => ({
      id: segment,
      clauses: [inSegment(segment)],
      variation: 1,
      trackEvents: false,
    })),
    ...members,
  });

const segmentOf = (key: string, segments: string[] = [], members: Partial<SegmentData> = {}) =>
  newSegmentData({
    key,
    rules: segments.map((segment) => ({ id: segment, clauses: [inSegment(segment)] })),
    ...members,
  });

const valuesIn = (compiled: CompiledEnvironment) => {
  const context = readContext({ kind: 'user', key: 'u' });
  const run = beginRun(context, { ...compiled, bigSegmentInclusion: () => undefined });
  return Array.from(compiled.flags, ([key, flag]) => [key, flag.evaluate(run).value]);
};

test('a change of one flag or segment is seen by those that refer to it, which stay as they are', async () => {
  const before = await compileEnvironment(
    [flagOf('a', ['b']), flagOf('b'), flagOf('c', [], ['s'])],
    [segmentOf('s')],
  );
  assert.deepEqual(valuesIn(before), [
    ['a', 'a'],
    ['b', 'a'],
    ['c', 'a'],
  ]);
  const after = await withChanges(before, {
    flags: [flagOf('b', [], [], { fallthrough: { variation: 1 } })],
    segments: [segmentOf('s', [], { included: ['u'] })],
  });
  assert.deepEqual(valuesIn(after), [
    ['a', 'c'],
    ['b', 'b'],
    ['c', 'b'],
  ]);
  for (const key of ['a', 'c']) assert.equal(after.flags.get(key), before.flags.get(key));
  assert.equal(valuesIn(before)[0]![1], 'a');
});

test('a new flag takes its place in the order of keys, and a removed one leaves', async () => {
  const before = await compileEnvironment([flagOf('b'), flagOf('d')], []);
  const after = await withChanges(before, {
    flags: [flagOf('e'), flagOf('a'), flagOf('c'), flagOf('d', ['a'])],
    removedFlags: ['b', 'none'],
  });
  assert.deepEqual([...after.flags.keys()], ['a', 'c', 'd', 'e']);
});

test('a pattern that stays is not compiled again', async () => {
  const matching = (...values: string[]) => ({
    id: 'r',
    clauses: [newClause({ op: 'matches', values })],
    variation: 1,
    trackEvents: false,
  });
  const first = await compileEnvironment([newFlagData({ rules: [matching('^a+$')] })], []);
  const second = await withChanges(first, { flags: [newFlagData({ rules: [matching('^a+$', '^b+$')] })] });
  const third = await withChanges(second, { flags: [newFlagData({ rules: [matching('^b+$')] })] });
  const patternsOf = (compiled: CompiledEnvironment) => compiled.flags.get('flag')!.patterns!;
  assert.equal(patternsOf(second).get('^a+$'), patternsOf(first).get('^a+$'));
  assert.equal(patternsOf(third).get('^b+$'), patternsOf(second).get('^b+$'));
  assert.deepEqual([...patternsOf(third).keys()], ['^b+$']);
});

test('the index of dependents follows direct and indirect references, through flags and segments', async () => {
  const compiled = await compileEnvironment(
    [flagOf('a', ['b']), flagOf('b', [], ['s']), flagOf('c', ['c']), flagOf('d', ['gone'])],
    [segmentOf('s', ['t']), segmentOf('t', ['t'])],
  );
  const dependents = (changed: Parameters<typeof dependentsOf>[1]) =>
    [...dependentsOf(compiled, changed)].sort();
  assert.deepEqual(dependents({ flags: ['a'] }), []);
  assert.deepEqual(dependents({ flags: ['b'] }), ['a']);
  assert.deepEqual(dependents({ flags: ['c'] }), ['c']);
  assert.deepEqual(dependents({ segments: ['t'] }), ['a', 'b']);
  assert.deepEqual(dependents({ flags: ['gone'], segments: ['s', 'none'] }), ['a', 'b', 'd']);
});

test('after any changes all is as if it had been compiled at once', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const some = fc.subarray(keys, { maxLength: 3 });
  const flag = fc
    .tuple(fc.constantFrom(...keys), some, some)
    .map(([key, ...others]) => flagOf(key, ...others));
  const segment = fc.tuple(fc.constantFrom(...keys), some).map(([key, others]) => segmentOf(key, others));
  const step = fc.record({
    flags: fc.uniqueArray(flag, { selector: ({ key }) => key, maxLength: 3 }),
    segments: fc.uniqueArray(segment, { selector: ({ key }) => key, maxLength: 3 }),
    removed: some,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      let compiled = await compileEnvironment([], []);
      for (const { flags, segments, removed } of steps) {
        const without = (list: readonly { key: string }[]) =>
          removed.filter((key) => list.every((item) => item.key !== key));
        compiled = await withChanges(compiled, {
          flags,
          segments,
          removedFlags: without(flags),
          removedSegments: without(segments),
        });
      }
      const dataOf = <Item>(items: ReadonlyMap<string, { data: Item }>) =>
        Array.from(items.values(), ({ data }) => data);
      const whole = await compileEnvironment(dataOf(compiled.flags), dataOf(compiled.segments));
      assert.deepEqual([...compiled.flags.keys()], [...compiled.flags.keys()].sort());
      assert.deepEqual(compiled.dependents, whole.dependents);
      assert.deepEqual(valuesIn(compiled), valuesIn(whole));
    }),
    { numRuns: 200 },
  );
});
