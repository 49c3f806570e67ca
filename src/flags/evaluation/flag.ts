// Compiles flags into functions that return the variation for a context, and the reason.
import { compileClauses } from './clause.ts';
import { keyOf, USER, type Context } from './context.ts';
import type { FlagData, TargetData } from './data.ts';
import {
  evaluateOne,
  computeOnce,
  LIMITS,
  Malformed,
  Notice,
  extendTrail,
  type CompiledFlag,
  type Reason,
  type EvaluationResult,
  type EvaluationRun,
  type Patterns,
  type Trail,
} from './run.ts';
import { compileServe, type ServedVariation } from './serve.ts';

const NONE: readonly string[] = [];

/** Prepares once what does not depend on the context. */
export function compileFlag(data: FlagData, patterns?: Patterns): CompiledFlag {
  const { key, on, variations, offVariation } = data;
  const findTarget = compileTargets(data);
  const fallthrough = compileServe(data.fallthrough, data);
  const rules = data.rules.map((rule, ruleIndex) => ({
    matches: compileClauses(rule.clauses, patterns),
    serve: compileServe(rule, data),
    reason: { kind: 'RULE_MATCH', ruleIndex, ruleId: rule.id } as const,
  }));

  const give = (index: number, reason: Reason, prerequisites: readonly string[]): EvaluationResult => {
    const value = variations[index];
    if (value === undefined) throw new Malformed(`${key} has no variation ${index}`);
    return { value, variationIndex: index, reason, prerequisites };
  };
  const giveOff = (reason: Reason, prerequisites: readonly string[]): EvaluationResult =>
    offVariation === null
      ? { value: null, reason, prerequisites }
      : give(offVariation, reason, prerequisites);
  const giveChoice = (
    { variation, inExperiment }: ServedVariation,
    reason: Reason & { kind: 'FALLTHROUGH' | 'RULE_MATCH' },
    prerequisites: readonly string[],
  ): EvaluationResult =>
    give(variation, inExperiment ? { ...reason, inExperiment: true } : reason, prerequisites);

  const decide = (run: EvaluationRun, trail: Trail | undefined): EvaluationResult => {
    if (!on) return giveOff({ kind: 'OFF' }, NONE);
    const { seen, failed } = checkPrerequisites(data, run, trail);
    if (failed !== undefined) return giveOff({ kind: 'PREREQUISITE_FAILED', prerequisiteKey: failed }, seen);
    const target = findTarget(run.context);
    if (target !== undefined) return give(target, { kind: 'TARGET_MATCH' }, seen);
    const rule = rules.find(({ matches }) => matches(run));
    return rule === undefined
      ? giveChoice(fallthrough(run), { kind: 'FALLTHROUGH' }, seen)
      : giveChoice(rule.serve(run), rule.reason, seen);
  };

  return {
    data,
    patterns,
    decide,
    evaluate(run) {
      const result = evaluateOne(run, () => tryTo(() => decide(run, undefined)));
      if (run.notices === 0) return result;
      const limits = run.notices & LIMITS;
      const hasAskedBigSegment = (run.notices & Notice.bigSegment) !== 0;
      return {
        ...result,
        ...(hasAskedBigSegment && { reason: { ...result.reason, bigSegmentsStatus: 'HEALTHY' } }),
        ...(limits !== 0 && { limits }),
      };
    },
  };
}

function tryTo(decide: () => EvaluationResult): EvaluationResult {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { value: null, reason: { kind: 'ERROR', errorKind: 'MALFORMED_FLAG' }, prerequisites: NONE };
  }
}

/** The prerequisites that were evaluated, and the one that failed. A prerequisite that is off fails, whatever it serves. */
function checkPrerequisites(
  { key, prerequisites }: FlagData,
  run: EvaluationRun,
  trail: Trail | undefined,
): { seen: readonly string[]; failed?: string } {
  if (prerequisites.length === 0) return { seen: NONE };
  const step = extendTrail(key, trail);
  const seen: string[] = [];
  for (const { key: needed, variation } of prerequisites) {
    const flag = run.environment.flags.get(needed);
    if (flag === undefined) return { seen, failed: needed };
    seen.push(needed);
    const given = computeOnce(run, run.variations, needed, () => flag.decide(run, step).variationIndex);
    if (!flag.data.on || given !== variation) return { seen, failed: needed };
  }
  return { seen };
}

/**
 * `contextTargets` gives the order. A list of users in it only marks the turn of the list with the same variation in
 * `targets`; without any `contextTargets`, the lists of users are used alone.
 */
function compileTargets({ targets, contextTargets }: FlagData): (context: Context) => number | undefined {
  const ordered =
    contextTargets.length === 0
      ? targets.map((target) => ({ ...target, contextKind: USER }))
      : contextTargets.flatMap((target) => (isOfUsers(target) ? usersOf(targets, target) : [target]));
  const lists = ordered.map(({ contextKind = USER, values, variation }) => ({
    contextKind,
    keys: new Set(values),
    variation,
  }));
  return ({ parts }) =>
    lists.find(({ contextKind, keys }) => {
      const part = parts.get(contextKind);
      return part !== undefined && keys.has(keyOf(part));
    })?.variation;
}

function isOfUsers({ contextKind = '' }: TargetData): boolean {
  return contextKind === '' || contextKind === USER;
}

function usersOf(targets: readonly TargetData[], { variation }: TargetData): TargetData[] {
  const list = targets.find((target) => target.variation === variation);
  return list === undefined ? [] : [{ ...list, contextKind: USER }];
}
