// Rollouts and experiments: the bucket of a context, by values on which all SDKs agree.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evaluateFirst, newFlagData, newRun } from './fixture.ts';
import type { RolloutData } from './data.ts';
import { hashBucket, prepareHash } from './bucket-hash.ts';
import { compileBucket, findBucket } from './serve.ts';

function near(actual: number, wanted: number): void {
  assert.ok(Math.abs(actual - wanted) < 1e-7, `${actual} is not ${wanted}`);
}

describe('the place of a value', () => {
  const bucket = compileBucket({ key: 'hashKey', salt: 'saltyA' }, { bucketBy: 'attribute' });
  const bucketOf = (attribute: unknown) =>
    findBucket(bucket, newRun({ kind: 'user', key: 'u', attribute }, []));
  const known: [value: string | number, place: number][] = [
    ['userKeyA', 0.42157587],
    ['userKeyB', 0.6708485],
    ['userKeyC', 0.10343106],
    ['33333', 0.54771423],
    [33_333, 0.54771423],
    [99_999, 0.7309658],
  ];
  for (const [value, place] of known) {
    test(`${JSON.stringify(value)} is ${place}`, () => near(bucketOf(value), place));
  }

  for (const value of [1.5, true, null, [], { a: 1 }, undefined]) {
    test(`${JSON.stringify(value)} is 0`, () => assert.equal(bucketOf(value), 0));
  }
});

const user = (key: string, more: object = {}) => ({ kind: 'user', key, ...more });
const halves = [
  { variation: 0, weight: 50_000 },
  { variation: 1, weight: 50_000 },
];

function serve(context: unknown, rollout: RolloutData) {
  const flag = newFlagData({ key: 'hashKey', salt: 'saltyA', fallthrough: { rollout } });
  const { value, reason } = evaluateFirst(context, [flag]);
  return { value, reason };
}

describe('a rollout', () => {
  const FALLTHROUGH = { kind: 'FALLTHROUGH' };
  const cases: [what: string, context: unknown, rollout: RolloutData, value: string][] = [
    ['gives the first to those in the first half', user('userKeyA'), { variations: halves }, 'a'],
    ['gives the second to those in the second', user('userKeyB'), { variations: halves }, 'b'],
    [
      'gives the last to those above all weights',
      user('userKeyB'),
      {
        variations: [
          { variation: 0, weight: 10_000 },
          { variation: 2, weight: 10_000 },
        ],
      },
      'c',
    ],
    [
      'goes by another attribute',
      user('userKeyB', { number: 99_999 }),
      { variations: halves, bucketBy: 'number', contextKind: 'user' },
      'b',
    ],
    [
      'goes by an attribute deep inside',
      user('userKeyB', { in: { side: 'userKeyC' } }),
      { variations: halves, bucketBy: '/in/side', contextKind: 'user' },
      'a',
    ],
    [
      'takes the attribute for a plain name where it has no kind',
      user('userKeyB', { '/in/side': 'userKeyB', in: { side: 'userKeyC' } }),
      { variations: halves, bucketBy: '/in/side' },
      'b',
    ],
    ['puts who lacks the attribute first', user('userKeyB'), { variations: halves, bucketBy: 'number' }, 'a'],
    ['puts who lacks the kind first', user('userKeyB'), { variations: halves, contextKind: 'org' }, 'a'],
    [
      'goes by another kind',
      { kind: 'multi', user: { key: 'userKeyA' }, org: { key: 'userKeyB' } },
      { variations: halves, contextKind: 'org' },
      'b',
    ],
    [
      'never gives what weighs nothing',
      user('userKeyB'),
      {
        variations: [
          { variation: 1, weight: 0 },
          { variation: 0, weight: 100_000 },
        ],
        contextKind: 'org',
      },
      'a',
    ],
  ];
  for (const [what, context, rollout, value] of cases) {
    test(what, () => assert.deepEqual(serve(context, rollout), { value, reason: FALLTHROUGH }));
  }

  test('with a seed does not depend on the flag', () => {
    near(hashBucket(prepareHash('61.'), 'userKeyA'), 0.09801207);
    const rollout = { variations: halves, seed: 61 };
    const values = ['one', 'other'].map(
      (key) =>
        evaluateFirst(user('userKeyB'), [newFlagData({ key, salt: key, fallthrough: { rollout } })]).value,
    );
    assert.equal(values[0], values[1]);
  });

  test('is malformed by an attribute that cannot be, and without variations', () => {
    const malformed = { value: null, reason: { kind: 'ERROR', errorKind: 'MALFORMED_FLAG' } };
    assert.deepEqual(
      serve(user('x'), { variations: halves, bucketBy: '//', contextKind: 'user' }),
      malformed,
    );
    assert.deepEqual(serve(user('x'), { variations: [] }), malformed);
  });

  test('gives each about its share', () => {
    let count = 0;
    for (let index = 0; index < 4000; index += 1) {
      if (serve(user(`user-${index}`), { variations: halves }).value === 'a') count += 1;
    }
    assert.ok(count > 1850 && count < 2150, String(count));
  });
});

describe('an experiment', () => {
  const variations = [
    { variation: 0, weight: 50_000 },
    { variation: 1, weight: 50_000, untracked: true },
  ];
  const experiment: RolloutData = { kind: 'experiment', variations };

  test('says so, unless the variation is not part of it or the kind is not there', () => {
    const inExperiment = { kind: 'FALLTHROUGH', inExperiment: true };
    assert.deepEqual(serve(user('userKeyA'), experiment), { value: 'a', reason: inExperiment });
    assert.deepEqual(serve(user('userKeyB'), experiment), { value: 'b', reason: { kind: 'FALLTHROUGH' } });
    const elsewhere = { ...experiment, contextKind: 'org' };
    assert.deepEqual(serve(user('userKeyB'), elsewhere), { value: 'a', reason: { kind: 'FALLTHROUGH' } });
  });

  test('goes by the key, whatever it says', () => {
    const { value } = serve(user('userKeyA', { number: 99_999 }), { ...experiment, bucketBy: 'number' });
    assert.equal(value, 'a');
  });
});
