// A segment as the flags API has it, and as it is edited: keys by context kind, and rules.
import { USER, type Clause } from '../targeting/targeting.ts';

export interface SegmentRule {
  _id: string;
  clauses: Clause[];
  /** The share of those who match, in thousandths of a percent; all where it is absent. */
  weight?: number;
  rolloutContextKind?: string;
  bucketBy?: string;
  description?: string;
}

interface SegmentTarget {
  contextKind: string;
  values: string[];
}

export interface Segment {
  key: string;
  name: string;
  description?: string;
  tags: string[];
  creationDate: number;
  lastModifiedDate: number;
  /** Of users; absent in big segments, as the other lists. */
  included?: string[];
  excluded?: string[];
  includedContexts?: SegmentTarget[];
  excludedContexts?: SegmentTarget[];
  /** Clauses about users may leave the kind out. */
  rules: SegmentRule[];
  version: number;
  unbounded: boolean;
  unboundedContextKind?: string;
  _importInProgress?: boolean;
  _unboundedMetadata?: { includedCount: number; excludedCount: number };
  _flags?: { key: string; name: string }[];
}

/** By context kind. */
export type KeysByKind = Readonly<Record<string, readonly string[]>>;

export interface SegmentEdit {
  name: string;
  description: string;
  tags: readonly string[];
  rules: readonly SegmentRule[];
  included: KeysByKind;
  excluded: KeysByKind;
}

export function editOf(segment: Segment): SegmentEdit {
  const { name, description = '', tags, rules } = segment;
  return {
    name,
    description,
    tags,
    rules: rules.map((rule) => ({
      ...rule,
      clauses: rule.clauses.map((clause) => ({ ...clause, contextKind: clause.contextKind ?? USER })),
    })),
    included: byKind(segment.included, segment.includedContexts),
    excluded: byKind(segment.excluded, segment.excludedContexts),
  };
}

function byKind(users: readonly string[] = [], contexts: readonly SegmentTarget[] = []): KeysByKind {
  const others = contexts.map(({ contextKind, values }) => [contextKind, values] as const);
  return Object.fromEntries([...(users.length === 0 ? [] : [[USER, users] as const]), ...others]);
}

export function countKeys(keys: KeysByKind): number {
  return Object.values(keys).reduce((sum, values) => sum + values.length, 0);
}

/** How many contexts are named in it, included and excluded. */
export function sizeOf(segment: Segment): { included: number; excluded: number } {
  const { _unboundedMetadata: big } = segment;
  if (big !== undefined) return { included: big.includedCount, excluded: big.excludedCount };
  const { included, excluded } = editOf(segment);
  return { included: countKeys(included), excluded: countKeys(excluded) };
}
