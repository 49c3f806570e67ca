// The instructions that turn a segment into what was edited. The order of rules and clauses has no meaning in a segment.
import { stableJson } from '../../ui/stable-json.ts';
import { describedInstructions } from '../save/detail-instructions.ts';
import type { Instruction } from '../save/instruction.ts';
import type { Clause } from '../targeting/targeting.ts';
import type { KeysByKind, SegmentEdit, SegmentRule } from './segment.ts';

/** The API takes no more keys in one change. */
export const MAX_CHANGED_KEYS = 1500;

export function segmentInstructions(before: SegmentEdit, after: SegmentEdit): Instruction[] {
  return [
    ...describedInstructions(before, after),
    // A key that moves from one list to the other leaves the first before it enters the second.
    ...keyInstructions('removeIncludedTargets', missingKeys(before.included, after.included)),
    ...keyInstructions('removeExcludedTargets', missingKeys(before.excluded, after.excluded)),
    ...keyInstructions('addIncludedTargets', missingKeys(after.included, before.included)),
    ...keyInstructions('addExcludedTargets', missingKeys(after.excluded, before.excluded)),
    ...ruleInstructions(before.rules, after.rules),
  ];
}

/** How many keys the instructions name. */
export function countChangedKeys(instructions: readonly Instruction[]): number {
  return instructions
    .filter(({ kind }) => /(Included|Excluded)Targets$/.test(kind))
    .reduce((sum, { values }) => sum + (values as string[]).length, 0);
}

/** Those of `there` that are not in `here`. */
function missingKeys(there: KeysByKind, here: KeysByKind): [kind: string, values: string[]][] {
  return Object.entries(there).flatMap(([kind, values]) => {
    const known = new Set(here[kind]);
    const missing = values.filter((value) => !known.has(value));
    return missing.length === 0 ? [] : [[kind, missing] as [string, string[]]];
  });
}

function keyInstructions(kind: string, lists: readonly [string, string[]][]): Instruction[] {
  return lists.map(([contextKind, values]) => ({ kind, contextKind, values }));
}

function ruleInstructions(before: readonly SegmentRule[], after: readonly SegmentRule[]): Instruction[] {
  const known = new Map(before.map((rule) => [rule._id, rule]));
  const kept = new Set(after.map(({ _id }) => _id));
  return [
    ...before.filter(({ _id }) => !kept.has(_id)).map(({ _id }) => ({ kind: 'removeRule', ruleId: _id })),
    ...after.flatMap((rule) => {
      const old = known.get(rule._id);
      return old === undefined ? [newRule(rule)] : changedRule(old, rule);
    }),
  ];
}

function newRule({ clauses, description = '' }: SegmentRule): Instruction {
  return {
    kind: 'addRule',
    clauses: clauses.map(withoutId),
    ...(description !== '' && { description }),
  };
}

function changedRule(before: SegmentRule, after: SegmentRule): Instruction[] {
  const ruleId = after._id;
  const known = new Map(before.clauses.map((clause) => [clause._id, clause]));
  const kept = new Set(after.clauses.map(({ _id }) => _id));
  const added = after.clauses.filter(({ _id }) => !known.has(_id));
  const changed = after.clauses.filter((clause) => {
    const old = known.get(clause._id);
    return old !== undefined && stableJson(old) !== stableJson(clause);
  });
  const removed = before.clauses.filter(({ _id }) => !kept.has(_id));
  const { description = '', weight, rolloutContextKind = 'user' } = after;
  const isShareChanged =
    weight !== undefined &&
    (weight !== before.weight || rolloutContextKind !== (before.rolloutContextKind ?? 'user'));
  return [
    // A rule is never without a clause, so that new ones come first.
    ...(added.length === 0 ? [] : [{ kind: 'addClauses', ruleId, clauses: added.map(withoutId) }]),
    ...changed.map((clause) => ({
      kind: 'updateClause',
      ruleId,
      clauseId: clause._id,
      clause: withoutId(clause),
    })),
    ...(removed.length === 0
      ? []
      : [{ kind: 'removeClauses', ruleId, clauseIds: removed.map(({ _id }) => _id) }]),
    ...(description === (before.description ?? '')
      ? []
      : [{ kind: 'updateRuleDescription', ruleId, description }]),
    ...(isShareChanged
      ? [{ kind: 'updateRuleRolloutAndContextKind', ruleId, weight, contextKind: rolloutContextKind }]
      : []),
  ];
}

function withoutId({ _id, ...clause }: Clause): Omit<Clause, '_id'> {
  return clause;
}
