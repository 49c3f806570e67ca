// What a flag serves to whom in one environment, as the editor changes it.

export type ClauseValue = string | number | boolean;

export interface Clause {
  _id: string;
  attribute: string;
  op: string;
  values: ClauseValue[];
  contextKind: string;
  negate: boolean;
}

export interface WeightedVariation {
  variation: number;
  /** In thousandths of a percent; below zero while what was typed is no number. */
  weight: number;
}

export interface Rollout {
  variations: WeightedVariation[];
  bucketBy?: string;
  contextKind?: string;
  seed?: number;
}

/** One variation for all, or a rollout. */
export interface Serve {
  variation?: number;
  rollout?: Rollout;
}

export interface Rule extends Serve {
  _id: string;
  clauses: Clause[];
  trackEvents: boolean;
  description?: string;
}

export interface Target {
  contextKind: string;
  variation: number;
  values: string[];
}

export interface Prerequisite {
  key: string;
  variation: number;
  /** Of the other flag; known where it was chosen here. */
  variationId?: string;
}

export interface Targeting {
  prerequisites: Prerequisite[];
  /** In the order of evaluation. */
  targets: Target[];
  rules: Rule[];
  fallthrough: Serve;
  offVariation?: number;
  trackEvents: boolean;
  trackEventsFallthrough: boolean;
}

/** In one environment, as the flags API has it in detail. */
export interface TargetingConfig extends Omit<Targeting, 'targets' | 'rules'> {
  targets: Omit<Target, 'contextKind'>[];
  /** An empty list of users marks their place in the order. */
  contextTargets: Target[];
  rules: (Omit<Rule, 'clauses'> & { clauses: (Omit<Clause, 'contextKind'> & { contextKind?: string })[] })[];
}

export const USER = 'user';
/** All weights of a rollout together. */
export const WHOLE = 100_000;

export function targetingOf(config: TargetingConfig): Targeting {
  const { prerequisites, rules, fallthrough, offVariation, trackEvents, trackEventsFallthrough } = config;
  return {
    prerequisites,
    targets: mergeTargets(config),
    rules: rules.map((rule) => ({
      ...rule,
      clauses: rule.clauses.map((clause) => ({ ...clause, contextKind: clause.contextKind ?? USER })),
    })),
    fallthrough,
    ...(offVariation !== undefined && { offVariation }),
    trackEvents,
    trackEventsFallthrough,
  };
}

function mergeTargets({ targets, contextTargets }: TargetingConfig): Target[] {
  const users = new Map(targets.map((target) => [target.variation, { ...target, contextKind: USER }]));
  const listed = contextTargets.map((target) => {
    const own = target.contextKind === USER ? users.get(target.variation) : undefined;
    if (own !== undefined) users.delete(target.variation);
    return own ?? target;
  });
  return [...listed, ...users.values()].filter(({ values }) => values.length > 0);
}

const NEW = 'new-';

export function newId(): string {
  return NEW + Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join('');
}

/** Not known to the server yet. */
export function isNew(id: string): boolean {
  return id.startsWith(NEW);
}

export function newClause(op = 'in'): Clause {
  return { _id: newId(), attribute: '', op, values: [], contextKind: USER, negate: false };
}

/** Serves what is served to everybody else, so that it changes nothing until somebody says what. */
export function newRule({ fallthrough }: Targeting): Rule {
  return { _id: newId(), clauses: [newClause()], trackEvents: false, ...fallthrough };
}

export function duplicateRule(rule: Rule): Rule {
  return {
    ...structuredClone(rule),
    _id: newId(),
    clauses: rule.clauses.map((clause) => ({ ...clause, _id: newId() })),
  };
}

export function serveOf({ variation, rollout }: Serve): Serve {
  return rollout === undefined ? { ...(variation !== undefined && { variation }) } : { rollout };
}
