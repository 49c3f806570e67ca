import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../../../kernel/failure.ts';
import type { Instruction } from '../../../patch/patch.ts';
import type { Flag } from '../../flag.ts';
import { normalizeFlag, validateFlag } from '../../model.ts';
import { applyInstructions } from './apply.ts';
import { ENVIRONMENT, NEEDED, OTHER, contextOf, buildExampleFlag, MEMBER, TEAM } from './case.ts';

const others = new Map([NEEDED, OTHER].map((key) => [key, buildExampleFlag(key)]));
const start = buildExampleFlag('banner');

/** An instruction that is built from the flag before it. */
type Draw = (flag: Flag) => Instruction;

const index = fc.nat(20);
const key = fc.constantFrom('ada', 'bob', 'cleo', 'dan', 'eve');
const keys = fc.uniqueArray(key, { maxLength: 4 });
const contextKind = fc.constantFrom('user', 'company', 'device');
const at = <Item>(list: readonly Item[], n: number): Item | undefined => list[n % list.length];
const variationId = (flag: Flag, n: number) => at(flag.variations, n)!._id;
const rulesOf = (flag: Flag) => flag.environments[ENVIRONMENT]!.rules;
const ruleId = (flag: Flag, n: number) => at(rulesOf(flag), n)?._id ?? 'none';
const clauseId = (flag: Flag, n: number, m: number) =>
  at(at(rulesOf(flag), n)?.clauses ?? [], m)?._id ?? 'none';

const clause = fc.record(
  {
    attribute: fc.constantFrom('plan', 'country'),
    op: fc.constantFrom('in', 'startsWith', 'lessThan'),
    values: fc.array(fc.oneof(fc.nat(3), key), { maxLength: 4 }),
    negate: fc.boolean(),
    contextKind,
  },
  { requiredKeys: ['attribute', 'op', 'values'] },
);
const clauses = fc.array(clause, { minLength: 1, maxLength: 3 });

/** A variation, or weights that add up to 100,000. */
const serve = fc.oneof(
  index.map((n) => (flag: Flag) => ({ variationId: variationId(flag, n) })),
  fc.tuple(index, index, fc.nat(100_000)).map(([n, m, weight]) => (flag: Flag) => {
    const [one, two] = [variationId(flag, n), variationId(flag, m)];
    return { rolloutWeights: one === two ? { [one]: 100_000 } : { [one]: weight, [two]: 100_000 - weight } };
  }),
);

const draw: fc.Arbitrary<Draw> = fc.oneof(
  fc
    .constantFrom('turnFlagOn', 'turnFlagOff', 'archiveFlag', 'restoreFlag', 'removeMaintainer')
    .map((kind) => () => ({ kind })),
  fc
    .tuple(fc.constantFrom('addTargets', 'removeTargets'), index, keys, contextKind)
    .map(([kind, n, values, of]) => (flag: Flag) => ({
      kind,
      variationId: variationId(flag, n),
      values,
      contextKind: of,
    })),
  fc
    .tuple(fc.constantFrom('addUserTargets', 'removeUserTargets'), index, keys)
    .map(([kind, n, values]) => (flag: Flag) => ({ kind, variationId: variationId(flag, n), values })),
  fc
    .tuple(
      fc.constantFrom('clearTargets', 'clearUserTargets', 'updateOffVariation', 'removeVariation'),
      index,
    )
    .map(([kind, n]) => (flag: Flag) => ({ kind, variationId: variationId(flag, n) })),
  fc.array(fc.tuple(index, keys, contextKind), { maxLength: 4 }).map((targets) => (flag: Flag) => ({
    kind: 'replaceTargets',
    targets: targets.map(([n, values, of]) => ({
      variationId: variationId(flag, n),
      values,
      contextKind: of,
    })),
  })),
  keys.map((values) => (flag: Flag) => ({
    kind: 'replaceUserTargets',
    targets: flag.variations.map(({ _id }, n) => ({ variationId: _id, values: values.slice(n, n + 1) })),
  })),
  serve.map((made) => (flag: Flag) => ({ kind: 'updateFallthroughVariationOrRollout', ...made(flag) })),
  fc.tuple(clauses, serve, fc.option(index)).map(([list, made, before]) => (flag: Flag) => ({
    kind: 'addRule',
    clauses: list,
    ...made(flag),
    ...(before !== null && { beforeRuleId: ruleId(flag, before) }),
  })),
  fc.array(fc.tuple(clauses, serve), { maxLength: 3 }).map((rules) => (flag: Flag) => ({
    kind: 'replaceRules',
    rules: rules.map(([list, made]) => ({ clauses: list, ...made(flag) })),
  })),
  index.map((n) => (flag: Flag) => ({ kind: 'removeRule', ruleId: ruleId(flag, n) })),
  fc.constant((flag: Flag) => ({
    kind: 'reorderRules',
    ruleIds: rulesOf(flag)
      .map(({ _id }) => _id)
      .reverse(),
  })),
  fc.tuple(index, serve).map(([n, made]) => (flag: Flag) => ({
    kind: 'updateRuleVariationOrRollout',
    ruleId: ruleId(flag, n),
    ...made(flag),
  })),
  fc.tuple(index, clauses).map(([n, list]) => (flag: Flag) => ({
    kind: 'addClauses',
    ruleId: ruleId(flag, n),
    clauses: list,
  })),
  fc.tuple(index, index).map(([n, m]) => (flag: Flag) => ({
    kind: 'removeClauses',
    ruleId: ruleId(flag, n),
    clauseIds: [clauseId(flag, n, m)],
  })),
  fc.tuple(index, index, clause).map(([n, m, one]) => (flag: Flag) => ({
    kind: 'updateClause',
    ruleId: ruleId(flag, n),
    clauseId: clauseId(flag, n, m),
    clause: one,
  })),
  fc
    .tuple(fc.constantFrom('addPrerequisite', 'updatePrerequisite'), fc.constantFrom(NEEDED, OTHER), index)
    .map(([kind, needed, n]) => () => ({
      kind,
      key: needed,
      variationId: variationId(others.get(needed)!, n),
    })),
  fc.constantFrom(NEEDED, OTHER).map((needed) => () => ({ kind: 'removePrerequisite', key: needed })),
  fc.jsonValue({ maxDepth: 1 }).map((value) => () => ({ kind: 'addVariation', value })),
  fc.tuple(index, fc.jsonValue({ maxDepth: 1 })).map(([n, value]) => (flag: Flag) => ({
    kind: 'updateVariation',
    variationId: variationId(flag, n),
    value,
  })),
  fc.tuple(index, index).map(([n, m]) => (flag: Flag) => ({
    kind: 'updateDefaultVariation',
    onVariationValue: at(flag.variations, n)!.value,
    offVariationValue: at(flag.variations, m)!.value,
  })),
  keys.map((values) => () => ({ kind: 'addTags', values })),
  keys.map((values) => () => ({ kind: 'removeTags', values })),
  fc
    .tuple(fc.constantFrom('addCustomProperties', 'replaceCustomProperties'), key, keys)
    .map(([kind, name, values]) => () => ({ kind, key: name, name, values })),
  fc.tuple(key, keys).map(([name, values]) => () => ({ kind: 'removeCustomProperties', key: name, values })),
  fc.constantFrom(
    () => ({ kind: 'updateMaintainerMember', value: MEMBER }),
    () => ({ kind: 'updateMaintainerTeam', value: TEAM }),
  ),
);

/** Ids that are the same in every run. An instruction that failed has used none. */
function freshContext() {
  let count = 0;
  return {
    ...contextOf(others),
    newUuid: () => `id-${(count += 1)}`,
    countOf: () => count,
    forget: (to: number) => void (count = to),
  };
}

interface Run {
  flag: Flag;
  /** The instructions that could be applied. */
  applied: Instruction[];
}

function run(draws: readonly Draw[]): Run {
  const context = freshContext();
  let flag = start;
  const applied: Instruction[] = [];
  for (const drawn of draws) {
    const instruction = drawn(flag);
    const before = structuredClone(flag);
    const count = context.countOf();
    try {
      flag = applyInstructions(flag, [instruction], context).flag;
      applied.push(instruction);
    } catch (error) {
      context.forget(count);
      assert.ok(error instanceof Failure && error.kind === 'invalid', String(error));
      assert.ok(error.message.startsWith(`instructions[0] (${instruction.kind}): `), error.message);
      assert.deepEqual(flag, before);
    }
  }
  return { flag, applied };
}

function assertSound(flag: Flag): void {
  // Weights, indexes, no key in two variations, different values.
  if (flag.variations.length > 1) validateFlag(flag);
  // Users in `targets`, each with its empty list in `contextTargets`; no other empty lists; tags sorted.
  assert.deepEqual(normalizeFlag(flag), flag);
  const ids = [
    ...flag.variations.map(({ _id }) => _id),
    ...Object.values(flag.environments).flatMap(({ rules }) =>
      rules.flatMap(({ _id, clauses: list }) => [_id, ...list.map((one) => one._id)]),
    ),
  ];
  assert.equal(new Set(ids).size, ids.length);
  for (const { rules } of Object.values(flag.environments)) {
    for (const rule of rules) assert.ok(rule.clauses.length > 0);
  }
}

const draws = fc.array(draw, { maxLength: 30 });

test('whatever instructions come, the flag stays sound', () => {
  fc.assert(
    fc.property(draws, (list) => assertSound(run(list).flag)),
    { numRuns: 300 },
  );
});

test('instructions sent together do what they do one by one', () => {
  fc.assert(
    fc.property(draws, (list) => {
      const { flag, applied } = run(list);
      assert.deepEqual(applyInstructions(start, applied, freshContext()).flag, flag);
    }),
    { numRuns: 100 },
  );
});

test('one wrong instruction anywhere in the list is named, and nothing happens', () => {
  fc.assert(
    fc.property(draws, index, (list, n) => {
      const { applied } = run(list);
      const place = n % (applied.length + 1);
      const before = structuredClone(start);
      const wrong = applied.toSpliced(place, 0, { kind: 'removeTargets', variationId: 'nobody', values: [] });
      assert.throws(
        () => applyInstructions(start, wrong, freshContext()),
        (error: Failure) => error.message.startsWith(`instructions[${place}] (removeTargets): variationId`),
      );
      assert.deepEqual(start, before);
    }),
    { numRuns: 100 },
  );
});
