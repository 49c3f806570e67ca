// A segment as the flags API has it, and as it is edited: keys by context kind, and rules.
import type { UserSegment, UserSegmentRule } from '../../api/types/flags.ts';
import { USER, type Clause } from '../targeting/targeting.ts';

/** Of those who match, a weight is the share that is in, in thousandths of a percent. */
export type SegmentRule = Omit<UserSegmentRule, '_id' | 'clauses'> & { _id: string; clauses: Clause[] };

/** Clauses about users may leave the kind out. Big segments have no lists. */
export type Segment = Omit<UserSegment, 'rules'> & { rules: SegmentRule[] };

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

/** What is edited of it. */
type EditedSegment = Pick<
  Segment,
  | 'name'
  | 'description'
  | 'tags'
  | 'rules'
  | 'included'
  | 'excluded'
  | 'includedContexts'
  | 'excludedContexts'
>;

export function editOf(segment: EditedSegment): SegmentEdit {
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

function byKind(users: readonly string[] = [], contexts: Segment['includedContexts'] = []): KeysByKind {
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
