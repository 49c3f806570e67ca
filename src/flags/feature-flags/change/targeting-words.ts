// Changes of targets and rules in one line for the audit log.
import { areEqual } from '../../../kernel/json/json-value.ts';
import type { Flag, FlagConfig, Rule, Target } from '../flag.ts';
import { countOf, describeServe, describeVariation, listCode } from './flag-words.ts';

/** With more keys than this, the line does not say which. */
const MAX_KEYS = 5000;

export function targetsLine(oldFlag: Flag, newFlag: Flag, before: FlagConfig, after: FlagConfig): string {
  const [old, now] = [targetsOf(before), targetsOf(after)];
  const size = [...old, ...now].reduce((sum, { values }) => sum + values.length, 0);
  if (size > MAX_KEYS) return 'Changed the targets';
  const added = keysBeyond(now, old).map(
    ([variation, keys]) => `added ${listCode(keys)} to ${describeVariation(newFlag, variation)}`,
  );
  const removed = keysBeyond(old, now).map(
    ([variation, keys]) => `removed ${listCode(keys)} from ${describeVariation(oldFlag, variation)}`,
  );
  const parts = [...added, ...removed].slice(0, 6);
  return parts.length === 0 ? 'Changed the targets' : `Changed the targets: ${parts.join('; ')}`;
}

function targetsOf({ targets, contextTargets }: FlagConfig): Target[] {
  return [...targets, ...contextTargets];
}

/** By variation: the keys in `some` that `others` do not target at it. */
function keysBeyond(some: readonly Target[], others: readonly Target[]): [variation: number, string[]][] {
  const nameOf = ({ contextKind, variation }: Target, key: string) => `${variation} ${contextKind} ${key}`;
  const known = new Set(others.flatMap((target) => target.values.map((key) => nameOf(target, key))));
  const found = new Map<number, Set<string>>();
  for (const target of some) {
    for (const key of target.values) {
      if (known.has(nameOf(target, key))) continue;
      const keys = found.get(target.variation) ?? new Set();
      found.set(target.variation, keys.add(key));
    }
  }
  return Array.from(found, ([variation, keys]) => [variation, [...keys]]);
}

export function rulesLine(
  oldFlag: Flag,
  newFlag: Flag,
  before: readonly Rule[],
  after: readonly Rule[],
): string {
  const old = new Map(before.map((rule) => [rule._id, rule]));
  const ids = new Set(after.map(({ _id }) => _id));
  const added = after.filter(({ _id }) => !old.has(_id));
  const removed = before.filter(({ _id }) => !ids.has(_id));
  const changed = after.flatMap((rule, index) => {
    const was = old.get(rule._id);
    return was === undefined || areEqual(was, rule) ? [] : [{ number: index + 1, was, rule }];
  });
  const parts = [
    ...(added.length > 0 ? [`added ${countOf(added, 'rule')}`] : []),
    ...(removed.length > 0 ? [`removed ${countOf(removed, 'rule')}`] : []),
    ...describeChanged(oldFlag, newFlag, changed),
    ...(isReordered(before, after) ? ['changed the order of the rules'] : []),
  ];
  const line = parts.length === 0 ? 'changed the rules' : parts.join('; ');
  return line[0]!.toUpperCase() + line.slice(1);
}

interface ChangedRule {
  number: number;
  was: Rule;
  rule: Rule;
}

const MAX_NUMBERS = 5;

function describeChanged(oldFlag: Flag, newFlag: Flag, changed: readonly ChangedRule[]): string[] {
  const [first] = changed;
  if (first === undefined) return [];
  if (changed.length > MAX_NUMBERS) return [`changed ${changed.length} rules`];
  if (changed.length > 1) return [`changed the rules ${changed.map(({ number }) => number).join(', ')}`];
  const { number, was, rule } = first;
  if (!areEqual(withoutServe(was), withoutServe(rule))) return [`changed rule ${number}`];
  return [
    `changed what rule ${number} serves from ${describeServe(oldFlag, was)} to ${describeServe(newFlag, rule)}`,
  ];
}

function withoutServe(rule: Rule) {
  const { variation: _, rollout: __, ...rest } = rule;
  return rest;
}

function isReordered(before: readonly Rule[], after: readonly Rule[]): boolean {
  const ids = new Set(after.map(({ _id }) => _id));
  const had = new Set(before.map(({ _id }) => _id));
  const old = before.filter(({ _id }) => ids.has(_id));
  const now = after.filter(({ _id }) => had.has(_id));
  return old.some(({ _id }, index) => now[index]?._id !== _id);
}
