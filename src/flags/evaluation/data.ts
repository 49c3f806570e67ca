// The types of flags and segments as SDKs get them: what the evaluation in one environment takes, and nothing else.
import type { Json } from '../feature-flags/flag.ts';

export interface ClauseData {
  attribute: string;
  op: string;
  values: Json[];
  negate: boolean;
  /** Without a context kind, the attribute is a plain name of an attribute of the user, and not a reference. */
  contextKind?: string;
}

export interface RolloutData {
  kind?: 'rollout' | 'experiment';
  contextKind?: string;
  bucketBy?: string;
  seed?: number;
  variations: { variation: number; weight: number; untracked?: boolean }[];
}

/** Has exactly one of the two. */
export interface ServeData {
  variation?: number;
  rollout?: RolloutData;
}

export interface RuleData extends ServeData {
  id: string;
  clauses: ClauseData[];
  trackEvents: boolean;
}

export interface TargetData {
  values: string[];
  variation: number;
  contextKind?: string;
}

export interface FlagData {
  key: string;
  version: number;
  on: boolean;
  prerequisites: { key: string; variation: number }[];
  targets: TargetData[];
  contextTargets: TargetData[];
  rules: RuleData[];
  fallthrough: ServeData;
  offVariation: number | null;
  variations: Json[];
  clientSide: boolean;
  clientSideAvailability: { usingMobileKey: boolean; usingEnvironmentId: boolean };
  salt: string;
  trackEvents: boolean;
  trackEventsFallthrough: boolean;
  debugEventsUntilDate: number | null;
  migration?: { checkRatio?: number };
  deleted: boolean;
}

export interface SegmentRuleData {
  id: string;
  clauses: ClauseData[];
  weight?: number;
  bucketBy?: string;
  rolloutContextKind?: string;
}

export interface SegmentData {
  key: string;
  version: number;
  included: string[];
  excluded: string[];
  includedContexts: { contextKind: string; values: string[] }[];
  excludedContexts: { contextKind: string; values: string[] }[];
  salt: string;
  rules: SegmentRuleData[];
  /** A big segment: its members are not in the lists. */
  unbounded: boolean;
  unboundedContextKind?: string;
  generation?: number;
  deleted: boolean;
}
