// The type of segments: named sets of contexts in one environment, by lists of keys and by rules.
import type { Clause } from '../feature-flags/flag.ts';

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
