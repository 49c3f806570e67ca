// The types of a feature flag: what is the same in all environments, and a configuration for each environment.

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

export interface Variation {
  _id: string;
  value: Json;
  name?: string;
  description?: string;
}

export interface Clause {
  _id: string;
  attribute: string;
  op: string;
  values: Json[];
  contextKind?: string;
  negate: boolean;
}

export interface WeightedVariation {
  variation: number;
  /** In thousandths of a percent: the weights of a rollout add up to 100,000. */
  weight: number;
  _untracked?: boolean;
}

export interface Rollout {
  variations: WeightedVariation[];
  bucketBy?: string;
  contextKind?: string;
  seed?: number;
}

/** What is served: exactly one of a variation for all, or a rollout that gives each variation a share of the contexts. */
export interface Serve {
  variation?: number;
  rollout?: Rollout;
}

export interface Rule extends Serve {
  _id: string;
  ref?: string;
  clauses: Clause[];
  trackEvents: boolean;
  description?: string;
  disabled?: boolean;
}

export interface Target {
  values: string[];
  variation: number;
  contextKind: string;
}

export interface Prerequisite {
  key: string;
  variation: number;
}

/** The configuration of a flag in one environment. */
export interface FlagConfig {
  on: boolean;
  salt: string;
  sel: string;
  lastModified: number;
  version: number;
  /** Keys of users. Those of other context kinds are in `contextTargets`. */
  targets: Target[];
  contextTargets: Target[];
  rules: Rule[];
  fallthrough: Serve;
  offVariation?: number;
  prerequisites: Prerequisite[];
  trackEvents: boolean;
  trackEventsFallthrough: boolean;
  migrationSettings?: { checkRatio?: number };
}

export interface CustomProperty {
  name: string;
  value: string[];
}

export interface Flag {
  id: string;
  projectId: string;
  key: string;
  name: string;
  description: string;
  version: number;
  createdAt: number;
  variations: Variation[];
  /** Indexes of variations, for new environments. */
  defaults: { onVariation: number; offVariation: number };
  clientSideAvailability: { usingEnvironmentId: boolean; usingMobileKey: boolean };
  includeInSnippet: boolean;
  temporary: boolean;
  /** Sorted. */
  tags: string[];
  customProperties: Record<string, CustomProperty>;
  /** At most one of the two. */
  maintainerId?: string;
  maintainerTeamKey?: string;
  archived: boolean;
  archivedAt?: number;
  deprecated: boolean;
  deprecatedAt?: number;
  purpose?: 'migration' | 'holdout';
  migrationSettings?: { contextKind?: string; stageCount: number };
  /** By the key of the environment. */
  environments: Record<string, FlagConfig>;
}
