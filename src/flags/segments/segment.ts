// The type of segments, named sets of contexts in one environment by lists of keys and by rules; and the changes of these lists.
import type { Clause } from '../feature-flags/flag.ts';
import { problem } from '../../kernel/schema/schema.ts';

export interface SegmentRule {
  _id: string;
  clauses: Clause[];
  /** The share of matching contexts, in thousandths of a percent; all if absent. */
  weight?: number;
  rolloutContextKind?: string;
  bucketBy?: string;
  description?: string;
}

/** Keys of one context kind. */
export interface SegmentTarget {
  values: string[];
  contextKind: string;
}

export type TargetType = 'included' | 'excluded';

/** Whether members that are not in the file are kept or removed. */
export type ImportMode = 'merge' | 'replace';

/**
 * No key is both included and excluded. Users have lists of their own; the other context kinds have one entry each in
 * the `…Contexts` lists.
 */
export interface SegmentTargets {
  included: string[];
  excluded: string[];
  includedContexts: SegmentTarget[];
  excludedContexts: SegmentTarget[];
}

export interface Segment extends SegmentTargets {
  id: string;
  environmentId: string;
  key: string;
  name: string;
  description?: string;
  /** Sorted. */
  tags: string[];
  rules: SegmentRule[];
  /** Hashed together with the context's key to select the share of a rule. */
  salt: string;
  /** A big segment: one kind of contexts, each a row of its own instead of an entry in the lists. */
  unbounded: boolean;
  unboundedContextKind?: string;
  /** Of a big segment. */
  includedCount: number;
  excludedCount: number;
  /** The mode of the running import. */
  importing?: ImportMode;
  /** Higher than all earlier versions of segments with this key, because SDKs ignore older ones. */
  version: number;
  /** How many segments with this key have been created in the environment. */
  generation: number;
  createdAt: number;
  modifiedAt: number;
}

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
