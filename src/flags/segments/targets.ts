// The lists of keys that a segment includes or excludes regardless of its rules.
import { problem } from '../../kernel/schema/schema.ts';
import type { SegmentTarget, SegmentTargets, TargetType } from './segment.ts';

/** A segment with more targets has to be a big segment. */
export const MAX_SEGMENT_TARGETS = 15_000;

const LISTS = {
  included: { users: 'included', contexts: 'includedContexts', other: 'excluded' },
  excluded: { users: 'excluded', contexts: 'excludedContexts', other: 'included' },
} as const satisfies Record<TargetType, { users: string; contexts: string; other: TargetType }>;

export function hasTarget(targets: SegmentTargets, type: TargetType, kind: string, key: string): boolean {
  return keysOf(targets, type, kind).includes(key);
}

/** Existing targets keep their position. */
export function addTargets<Owner extends SegmentTargets>(
  owner: Owner,
  type: TargetType,
  kind: string,
  values: readonly string[],
): Owner {
  const other = new Set(keysOf(owner, LISTS[type].other, kind));
  const [both] = values.filter((value) => other.has(value));
  if (both !== undefined) throw targetInBoth(kind, both);
  return setKeys(owner, type, kind, [...new Set([...keysOf(owner, type, kind), ...values])]);
}

/** Ignores keys that are no targets. */
export function removeTargets<Owner extends SegmentTargets>(
  owner: Owner,
  type: TargetType,
  kind: string,
  values: readonly string[],
): Owner {
  const gone = new Set(values);
  return setKeys(
    owner,
    type,
    kind,
    keysOf(owner, type, kind).filter((value) => !gone.has(value)),
  );
}

/** Removes duplicates and empty lists, and keeps users apart from other context kinds. */
export function normalizeTargets(sent: SegmentTargets): SegmentTargets {
  const empty: SegmentTargets = { included: [], excluded: [], includedContexts: [], excludedContexts: [] };
  return (['included', 'excluded'] as const).reduce((tidied, type) => {
    const { users, contexts } = LISTS[type];
    const lists: SegmentTarget[] = [{ contextKind: 'user', values: sent[users] }, ...sent[contexts]];
    return lists.reduce((all, { contextKind, values }) => addTargets(all, type, contextKind, values), tidied);
  }, empty);
}

export function countTargets(targets: SegmentTargets): number {
  const { included, excluded, includedContexts, excludedContexts } = targets;
  return [...includedContexts, ...excludedContexts].reduce(
    (count, { values }) => count + values.length,
    included.length + excluded.length,
  );
}

function keysOf(targets: SegmentTargets, type: TargetType, kind: string): readonly string[] {
  const { users, contexts } = LISTS[type];
  if (kind === 'user') return targets[users];
  return targets[contexts].find(({ contextKind }) => contextKind === kind)?.values ?? [];
}

function setKeys<Owner extends SegmentTargets>(
  owner: Owner,
  type: TargetType,
  kind: string,
  values: string[],
): Owner {
  const { users, contexts } = LISTS[type];
  if (kind === 'user') return { ...owner, [users]: values };
  const before = owner[contexts];
  const isNew = !before.some(({ contextKind }) => contextKind === kind);
  const after = before.map((list) => (list.contextKind === kind ? { contextKind: kind, values } : list));
  const all = isNew ? [...after, { contextKind: kind, values }] : after;
  return { ...owner, [contexts]: all.filter((list) => list.values.length > 0) };
}

export function targetInBoth(kind: string, key: string) {
  return problem('values', `would be both included and excluded: ${kind} ${key}`);
}
