// The semantic patch that makes one targeting of another. Rules and clauses keep their ids, so that others can change the rest.
import type { Instruction } from '../save/instruction.ts';
import {
  USER,
  type Clause,
  type Prerequisite,
  type Rollout,
  type Rule,
  type Serve,
  type Target,
  type Targeting,
} from './targeting.ts';

type VariationIds = readonly string[];

/** `ids` are those of the variations, in their order. */
export function toInstructions(before: Targeting, after: Targeting, ids: VariationIds): Instruction[] {
  if (before === after) return [];
  return [
    ...ofPrerequisites(before.prerequisites, after.prerequisites),
    ...ofTargets(before.targets, after.targets, ids),
    ...ofRules(before.rules, after.rules, ids),
    ...(isSameServe(before.fallthrough, after.fallthrough)
      ? []
      : [{ kind: 'updateFallthroughVariationOrRollout', ...serveParameters(after.fallthrough, ids) }]),
    ...(before.offVariation === after.offVariation || after.offVariation === undefined
      ? []
      : [{ kind: 'updateOffVariation', variationId: ids[after.offVariation] }]),
    ...(before.trackEvents === after.trackEvents
      ? []
      : [{ kind: 'updateTrackEvents', trackEvents: after.trackEvents }]),
    ...(before.trackEventsFallthrough === after.trackEventsFallthrough
      ? []
      : [{ kind: 'updateTrackEventsFallthrough', trackEvents: after.trackEventsFallthrough }]),
  ];
}

function ofPrerequisites(before: readonly Prerequisite[], after: readonly Prerequisite[]): Instruction[] {
  const known = new Map(before.map((one) => [one.key, one]));
  const wanted = new Set(after.map(({ key }) => key));
  return [
    ...before.filter(({ key }) => !wanted.has(key)).map(({ key }) => ({ kind: 'removePrerequisite', key })),
    ...after.flatMap(({ key, variation, variationId }) => {
      const old = known.get(key);
      if (old?.variation === variation) return [];
      return [{ kind: old === undefined ? 'addPrerequisite' : 'updatePrerequisite', key, variationId }];
    }),
  ];
}

const listName = ({ contextKind, variation }: Target) => `${variation} ${contextKind}`;

function ofTargets(before: readonly Target[], after: readonly Target[], ids: VariationIds): Instruction[] {
  const filled = after.filter(({ values }) => values.length > 0);
  const wanted = new Map(filled.map((list) => [listName(list), new Set(list.values)]));
  const known = new Map(before.map((list) => [listName(list), new Set(list.values)]));
  // A key that moves to another variation leaves its list first.
  const removed = before.flatMap((list) => {
    const values = list.values.filter((key) => wanted.get(listName(list))?.has(key) !== true);
    return values.length === 0 ? [] : [{ ...list, values }];
  });
  const added = filled.flatMap((list) => {
    const values = list.values.filter((key) => known.get(listName(list))?.has(key) !== true);
    return values.length === 0 ? [] : [{ ...list, values }];
  });
  if (removed.length + added.length === 0) return [];
  if (!isOrderKept(before, removed, filled))
    return [{ kind: 'replaceTargets', targets: filled.map((list) => targetParameters(list, ids)) }];
  return [
    ...removed.map((list) => ({ kind: 'removeTargets', ...targetParameters(list, ids) })),
    ...added.map((list) => ({ kind: 'addTargets', ...targetParameters(list, ids) })),
  ];
}

/** A list that is emptied on the way loses its place in the order of evaluation. */
function isOrderKept(
  before: readonly Target[],
  removed: readonly Target[],
  after: readonly Target[],
): boolean {
  const gone = new Map(removed.map((list) => [listName(list), list.values.length]));
  const left = before
    .filter((list) => list.values.length > (gone.get(listName(list)) ?? 0))
    .map((list) => listName(list));
  const names = after.map((list) => listName(list));
  const fresh = names.filter((name) => !left.includes(name));
  const reached = [...left, ...fresh];
  return names.every((name, index) => name === reached[index]);
}

function targetParameters({ contextKind, variation, values }: Target, ids: VariationIds) {
  return { variationId: ids[variation], values, ...(contextKind !== USER && { contextKind }) };
}

function ofRules(before: readonly Rule[], after: readonly Rule[], ids: VariationIds): Instruction[] {
  const known = new Map(before.map((rule) => [rule._id, rule]));
  const wanted = new Set(after.map(({ _id }) => _id));
  const left = before.filter(({ _id }) => wanted.has(_id)).map(({ _id }) => _id);
  const kept = after.filter(({ _id }) => known.has(_id)).map(({ _id }) => _id);
  const isMoved = kept.some((id, index) => id !== left[index]);
  return [
    ...before.filter(({ _id }) => !wanted.has(_id)).map(({ _id }) => ({ kind: 'removeRule', ruleId: _id })),
    ...(isMoved ? [{ kind: 'reorderRules', ruleIds: kept }] : []),
    ...after.flatMap((rule) => {
      const old = known.get(rule._id);
      return old === undefined || old === rule ? [] : ofRule(old, rule, ids);
    }),
    ...newRules(after, known, ids),
  ];
}

/** Before the next rule that the server knows, so that several new ones keep their order. */
function newRules(
  after: readonly Rule[],
  known: ReadonlyMap<string, Rule>,
  ids: VariationIds,
): Instruction[] {
  let next: string | undefined;
  const places = after
    .toReversed()
    .map((rule) => {
      if (known.has(rule._id)) next = rule._id;
      return { rule, beforeRuleId: next };
    })
    .toReversed();
  return places
    .filter(({ rule }) => !known.has(rule._id))
    .map(({ rule, beforeRuleId }) => ({
      kind: 'addRule',
      clauses: rule.clauses.map(clauseParameters),
      ...serveParameters(rule, ids),
      ...(rule.description !== undefined && rule.description !== '' && { description: rule.description }),
      ...(rule.trackEvents && { trackEvents: true }),
      ...(beforeRuleId !== undefined && { beforeRuleId }),
    }));
}

function ofRule(before: Rule, after: Rule, ids: VariationIds): Instruction[] {
  const ruleId = before._id;
  const { description = '', trackEvents } = after;
  return [
    ...ofClauses(ruleId, before.clauses, after.clauses),
    ...(isSameServe(before, after)
      ? []
      : [{ kind: 'updateRuleVariationOrRollout', ruleId, ...serveParameters(after, ids) }]),
    ...((before.description ?? '') === description
      ? []
      : [{ kind: 'updateRuleDescription', ruleId, description }]),
    ...(before.trackEvents === trackEvents ? [] : [{ kind: 'updateRuleTrackEvents', ruleId, trackEvents }]),
  ];
}

/** Clauses are added behind the others: where the draft has another order, they are changed place by place. */
function ofClauses(ruleId: string, before: readonly Clause[], after: readonly Clause[]): Instruction[] {
  const wanted = new Set(after.map(({ _id }) => _id));
  const kept = before.filter(({ _id }) => wanted.has(_id));
  const isInOrder = kept.length > 0 && kept.every(({ _id }, index) => after[index]?._id === _id);
  const pairs = isInOrder ? kept : before.slice(0, after.length);
  const gone = isInOrder ? before.filter(({ _id }) => !wanted.has(_id)) : before.slice(after.length);
  const added = after.slice(pairs.length);
  return [
    ...pairs.flatMap((old, index) => {
      const clause = after[index]!;
      if (isSameClause(old, clause)) return [];
      return [{ kind: 'updateClause', ruleId, clauseId: old._id, clause: clauseParameters(clause) }];
    }),
    ...(gone.length === 0 ? [] : [{ kind: 'removeClauses', ruleId, clauseIds: gone.map(({ _id }) => _id) }]),
    ...(added.length === 0 ? [] : [{ kind: 'addClauses', ruleId, clauses: added.map(clauseParameters) }]),
  ];
}

function isSameClause(one: Clause, other: Clause): boolean {
  return one === other || JSON.stringify(clauseParameters(one)) === JSON.stringify(clauseParameters(other));
}

function clauseParameters({ attribute, op, values, contextKind, negate }: Clause) {
  return { attribute, op, values: [...new Set(values)], contextKind, negate };
}

function isSameServe(one: Serve, other: Serve): boolean {
  return JSON.stringify(comparable(one)) === JSON.stringify(comparable(other));
}

function comparable({ variation, rollout }: Serve) {
  if (rollout === undefined) return { variation };
  return { rollout: { ...orderOf(rollout), bucketBy: bucketOf(rollout), kind: rollout.contextKind ?? USER } };
}

function orderOf({ variations }: Rollout) {
  const shares = variations
    .filter(({ weight }) => weight !== 0)
    .map(({ variation, weight }) => [variation, weight] as const)
    .toSorted(([a], [b]) => a - b);
  return { shares };
}

function bucketOf({ bucketBy = 'key' }: Rollout): string {
  return bucketBy === '' ? 'key' : bucketBy;
}

function serveParameters({ variation, rollout }: Serve, ids: VariationIds) {
  if (rollout === undefined) return { variationId: ids[variation ?? 0] };
  const { variations, contextKind = USER } = rollout;
  const bucketBy = bucketOf(rollout);
  return {
    rolloutWeights: Object.fromEntries(
      variations.map(({ variation: index, weight }) => [ids[index]!, weight]),
    ),
    ...(bucketBy !== 'key' && { rolloutBucketBy: bucketBy }),
    rolloutContextKind: contextKind,
  };
}
