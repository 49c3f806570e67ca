// What a segment is: a named set of contexts in one environment, by lists of keys and by rules.
import type { Clause } from '../feature-flags/flag.ts';

export interface SegmentRule {
  _id: string;
  clauses: Clause[];
  /** How many of those that match, in thousandths of a percent; all where it is not there. */
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

/** Whether those who are not in the file stay or go. */
export type ImportMode = 'merge' | 'replace';

/** No key is both included and excluded. Keys of users stand by themselves; other kinds have a list each. */
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
  /** Decides together with a context's key who is in a share of a rule. */
  salt: string;
  /** A big segment: one kind of contexts, each a row of its own instead of an entry in the lists. */
  unbounded: boolean;
  unboundedContextKind?: string;
  /** Of a big segment. */
  includedCount: number;
  excludedCount: number;
  /** How the members of a file are taken into it just now, in pieces. */
  importing?: ImportMode;
  /** Higher than any that a segment of this key ever had in the environment: SDKs take nothing older. */
  version: number;
  /** How often a segment of this key has been made in the environment. */
  generation: number;
  createdAt: number;
  modifiedAt: number;
}
