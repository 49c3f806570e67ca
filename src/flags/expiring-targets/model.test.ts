import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Failure, FailureKind } from '../../kernel/failure.ts';
import type { Instruction } from '../patch/patch.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import {
  type ExpiringTarget,
  applyExpiringInstructions,
  expiringKinds,
  type ExpiringContext,
} from './model.ts';

const owner = { resourceKind: 'flag' as const, resourceId: 'flag', environmentId: 'env' };
let made = 0;
const context: ExpiringContext = {
  owner,
  kinds: expiringKinds('variationId', Type.String()),
  placeName: 'variationId',
  isTargeted: (place, kind, key) => place === 'red' && ['user', 'company'].includes(kind) && key === 'ada',
  newId: () => `id-${(made += 1)}`,
  now: 1000,
};
const ada: ExpiringTarget = {
  ...owner,
  id: 'ada',
  place: 'red',
  contextKind: 'user',
  contextKey: 'ada',
  expiresAt: 5000,
  version: 3,
};
const apply = (list: ExpiringTarget[], ...instructions: Instruction[]) =>
  applyExpiringInstructions(list, instructions, context);
const fails = (run: () => unknown, kind: FailureKind, start: string) =>
  assert.throws(run, (error: Failure) => {
    assert.equal(error.kind, kind, error.message);
    assert.ok(error.message.startsWith(start), error.message);
    return true;
  });

const add = {
  kind: 'addExpiringTarget',
  variationId: 'red',
  contextKey: 'ada',
  contextKind: 'user',
  value: 5000,
};
const update = { ...add, kind: 'updateExpiringTarget', value: 6000 };
const remove = { kind: 'removeExpiringTarget', variationId: 'red', contextKey: 'ada', contextKind: 'user' };

test('a date is set, moved and taken back', () => {
  const [target, ...others] = apply([], add);
  assert.deepEqual(target, { ...ada, id: target!.id, version: 1 });
  assert.equal(others.length, 0);
  assert.deepEqual(apply([ada], update), [{ ...ada, expiresAt: 6000, version: 4 }]);
  assert.deepEqual(apply([ada], remove), []);
});

test('the older kinds speak of users', () => {
  const [target] = apply([], {
    kind: 'addExpireUserTargetDate',
    variationId: 'red',
    userKey: 'ada',
    value: 5000,
  });
  assert.deepEqual([target!.contextKind, target!.contextKey], ['user', 'ada']);
  const user = { variationId: 'red', userKey: 'ada' };
  const [later] = apply([ada], { kind: 'updateExpireUserTargetDate', ...user, value: 7000 });
  assert.equal(later!.expiresAt, 7000);
  assert.deepEqual(apply([ada], { kind: 'removeExpireUserTargetDate', ...user }), []);
});

test('contexts of different kinds expire apart', () => {
  const list = apply([ada], { ...add, contextKind: 'company', value: 9000 });
  assert.deepEqual(
    list.map(({ contextKind, expiresAt }) => [contextKind, expiresAt]),
    [
      ['user', 5000],
      ['company', 9000],
    ],
  );
});

test('what is so already stays the same list', () => {
  const list = [ada];
  assert.equal(apply(list, add), list);
  assert.equal(apply(list, { ...update, value: 5000 }), list);
  assert.equal(apply(list, { ...remove, variationId: 'blue' }), list);
  const none: ExpiringTarget[] = [];
  assert.equal(apply(none, remove), none);
});

test('only what is a target can expire', () => {
  fails(
    () => apply([], { ...add, contextKey: 'bob' }),
    'invalid',
    'instructions[0] (addExpiringTarget): contextKey',
  );
  fails(
    () => apply([], { ...add, variationId: 'blue' }),
    'invalid',
    'instructions[0] (addExpiringTarget): contextKey',
  );
});

test('a date that is there is updated, not added, and one that is not is added', () => {
  fails(
    () => apply([ada], { ...add, value: 6000 }),
    'invalid',
    'instructions[0] (addExpiringTarget): contextKey',
  );
  fails(() => apply([], update), 'invalid', 'instructions[0] (updateExpiringTarget): contextKey');
});

test('another version than the one there is a conflict', () => {
  assert.equal(apply([ada], { ...update, version: 3 })[0]!.version, 4);
  fails(
    () => apply([ada], { ...update, version: 2 }),
    'conflict',
    'instructions[0] (updateExpiringTarget): version is 2',
  );
});

test('dates lie ahead', () => {
  for (const value of [1000, 0]) {
    fails(() => apply([], { ...add, value }), 'invalid', 'instructions[0] (addExpiringTarget): value');
    fails(
      () => apply([ada], { ...update, value }),
      'invalid',
      'instructions[0] (updateExpiringTarget): value',
    );
  }
});

test('what is wrong is named, whatever comes before it', () => {
  const unread: [Instruction, string][] = [
    [{ kind: 'expire' }, 'kind'],
    [{ ...add, value: '5000' }, 'value'],
    [{ ...add, version: 1 }, 'version'],
    [{ ...remove, value: 5000 }, 'value'],
    [{ kind: 'addExpireUserTargetDate', variationId: 'red', contextKey: 'ada', value: 1 }, 'userKey'],
  ];
  const wrong: [Instruction, string][] = [
    [{ ...add, value: -1 }, 'value'],
    [{ ...add, contextKey: '' }, 'contextKey'],
    [{ ...add, contextKind: 'multi' }, 'contextKind'],
  ];
  for (const [kind, instructions] of [
    ['bad-patch', unread],
    ['invalid', wrong],
  ] as const) {
    for (const [instruction, name] of instructions)
      fails(() => apply([], add, instruction), kind, `instructions[1] (${instruction.kind}): ${name}`);
  }
});

test('of segments, targets are included or excluded', () => {
  const segment: ExpiringContext = {
    ...context,
    kinds: expiringKinds('targetType', OneOf(['included', 'excluded'])),
    placeName: 'targetType',
    isTargeted: (place) => place === 'included',
  };
  const { variationId: _, ...rest } = add;
  const run = (instruction: Instruction) => applyExpiringInstructions([], [instruction], segment);
  assert.equal(run({ ...rest, targetType: 'included' })[0]!.place, 'included');
  fails(
    () => run({ ...rest, targetType: 'excluded' }),
    'invalid',
    'instructions[0] (addExpiringTarget): contextKey',
  );
  fails(
    () => run({ ...rest, targetType: 'both' }),
    'invalid',
    'instructions[0] (addExpiringTarget): targetType',
  );
  fails(() => run(add), 'bad-patch', 'instructions[0] (addExpiringTarget): targetType is required');
});
