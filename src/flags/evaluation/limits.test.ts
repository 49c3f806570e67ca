// The limits of an evaluation on patterns and lists, and the result when one is exceeded.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../feature-flags/flag.ts';
import type { ClauseData } from './data.ts';
import { evaluateFirst, newClause, newFlagData, newRun, newSegmentData } from './fixture.ts';
import { MAX_TEXT } from './pattern/pattern.ts';
import { Notice } from './run.ts';

/** Takes more steps with each character, and never matches. */
const BOMB = '^(a|a)*\\1$';
const TEXT = `${'a'.repeat(1000)}!`;
const MATCHED = 'b';

const matching = (values: Json[], members: Partial<ClauseData> = {}) =>
  newClause({ attribute: 'text', op: 'matches', values, ...members });

/** A flag that serves `b` when the clause matches, else `a`. */
const flagWith = (clause: ClauseData, key = 'flag') =>
  newFlagData({ key, rules: [{ id: 'r', clauses: [clause], variation: 1, trackEvents: false }] });

const context = (text: Json) => ({ kind: 'user', key: 'u', text });

describe('over a limit', () => {
  const cases: [what: string, clause: ClauseData, text: Json, limit: number][] = [
    ['a pattern that goes back and forth', matching([BOMB]), TEXT, Notice.noSteps],
    [
      'one of a thousand of them',
      matching(Array.from({ length: 1000 }, (_, n) => `${BOMB}|${n}!`)),
      TEXT,
      Notice.noSteps,
    ],
    ['a pattern that is too large', matching(['(x{1000}){1000}']), 'x', Notice.largePattern],
    ['a text that is too long', matching(['^a']), 'a'.repeat(MAX_TEXT + 1), Notice.longText],
    [
      'a long list',
      matching(['b'], { op: 'startsWith' }),
      Array.from({ length: 300_000 }, () => 'a'),
      Notice.noSteps,
    ],
    [
      'a list of patterns on a list of texts',
      matching(Array.from({ length: 1000 }, (_, n) => `^.*x${n}$`)),
      Array.from({ length: 1000 }, (_, n) => `x${n}y`),
      Notice.noSteps,
    ],
    [
      'a list of texts in a long one',
      matching(
        Array.from({ length: 15_000 }, (_, n) => `b${n}`),
        { op: 'contains' },
      ),
      'a'.repeat(1_000_000),
      Notice.noSteps,
    ],
  ];
  for (const [what, clause, text, limit] of cases) {
    test(`${what} does not match, and is told`, () => {
      const { value, reason, limits } = evaluateFirst(context(text), [flagWith(clause)]);
      assert.deepEqual([value, reason.kind, limits], ['a', 'FALLTHROUGH', limit]);
    });

    test(`${what} does not match where it is negated either`, () => {
      const { value } = evaluateFirst(context(text), [flagWith({ ...clause, negate: true })]);
      assert.equal(value, 'a');
    });
  }

  test('what was found before still matches', () => {
    const { value, limits } = evaluateFirst(context(TEXT), [
      flagWith(matching(['(x{1000}){1000}', '!$', BOMB])),
    ]);
    assert.deepEqual([value, limits], [MATCHED, Notice.largePattern]);
  });
});

describe('the steps of an evaluation', () => {
  const harmless = flagWith(matching(['^a+!$']), 'harmless');

  test('are used up by no flag alone', () => {
    const run = newRun(context(TEXT), [flagWith(matching([BOMB])), harmless]);
    const results = [...run.environment.flags.values()].map(({ evaluate }) => evaluate(run));
    assert.deepEqual(
      results.map(({ value, limits }) => [value, limits]),
      [
        ['a', Notice.noSteps],
        [MATCHED, undefined],
      ],
    );
  });

  test('are the same for one flag and for a thousand, with a thousand patterns each', () => {
    const bombs = Array.from({ length: 1000 }, (_, n) => `${BOMB}|${n}`);
    const flags = Array.from({ length: 1000 }, (_, n) =>
      flagWith(matching(bombs.slice(n % 10)), `flag-${n}`),
    );
    const run = newRun(context(TEXT), flags);
    const before = run.totalSteps;
    const results = [...run.environment.flags.values()].map(({ evaluate }) => evaluate(run));
    assert.equal(run.totalSteps, 0);
    assert.ok(before <= 1_000_000);
    assert.ok(results.every(({ value, limits }) => value === 'a' && limits === Notice.noSteps));
  });

  test('leave enough for an ordinary flag beside any number of hostile ones', () => {
    const hostile = Array.from({ length: 20 }, (_, n) => flagWith(matching([BOMB]), `flag-${n}`));
    const ordinary = flagWith(
      newClause({ attribute: 'email', op: 'matches', values: ['^[a-z]+@example\\.(com|org)$'] }),
      'ordinary',
    );
    const run = newRun({ ...context(TEXT), email: 'ada@example.org' }, [...hostile, ordinary]);
    for (const { key } of hostile) run.environment.flags.get(key)!.evaluate(run);
    assert.equal(run.totalSteps, 0);
    const { value, limits } = run.environment.flags.get('ordinary')!.evaluate(run);
    assert.deepEqual([value, limits], [MATCHED, undefined]);
  });

  test('are spent once on a segment that many flags ask for, and all are told', () => {
    const clause = newClause({ attribute: '', op: 'segmentMatch', values: ['s'] });
    const segment = newSegmentData({ key: 's', rules: [{ id: 'r', clauses: [matching([BOMB])] }] });
    const flags = ['one', 'other'].map((key) => flagWith(clause, key));
    const run = newRun(context(TEXT), flags, [segment]);
    const [one, other] = [...run.environment.flags.values()].map(({ evaluate }) => {
      const { limits } = evaluate(run);
      return { limits, left: run.totalSteps };
    });
    assert.deepEqual(one, other);
    assert.equal(one!.limits, Notice.noSteps);
  });

  test('suffice for a thousand flags with ten patterns each', () => {
    const patterns = Array.from({ length: 10 }, (_, n) => `^[a-z.]+@(team|staff)${n}\\.example\\.(com|org)$`);
    const flags = Array.from({ length: 1000 }, (_, n) => flagWith(matching(patterns), `flag-${n}`));
    const run = newRun(context('ada.lovelace@staff9.example.org'), flags);
    const results = [...run.environment.flags.values()].map(({ evaluate }) => evaluate(run));
    assert.ok(results.every(({ value, limits }) => value === MATCHED && limits === undefined));
  });
});

test('flags that need each other in a row of thousands are malformed, and nothing breaks', () => {
  const flags = Array.from({ length: 5000 }, (_, n) =>
    newFlagData({ key: `f${n}`, prerequisites: [{ key: `f${n + 1}`, variation: 0 }] }),
  );
  assert.deepEqual(evaluateFirst(context(''), flags).reason, { kind: 'ERROR', errorKind: 'MALFORMED_FLAG' });
});
