// Compiles segments into functions that tell whether a context is a member.
import { WHOLE } from '../feature-flags/model.ts';
import { compileClauses } from './clause.ts';
import { keyOf, USER, type Context } from './context.ts';
import type { SegmentData, SegmentRuleData } from './data.ts';
import {
  computeOnce,
  Notice,
  spendSteps,
  extendTrail,
  type CompiledSegment,
  type Matcher,
  type EvaluationRun,
  type Patterns,
  type SegmentMatch,
  type Trail,
} from './run.ts';
import { compileBucket } from './serve.ts';

export function compileSegment(data: SegmentData, patterns?: Patterns): CompiledSegment {
  const { key, unbounded, unboundedContextKind = USER } = data;
  const isIncluded = compileLists([...data.includedContexts, { contextKind: USER, values: data.included }]);
  const isExcluded = compileLists([...data.excludedContexts, { contextKind: USER, values: data.excluded }]);
  const rules = data.rules.map((rule) => compileRule(rule, data, patterns));
  const locate: CompiledSegment['locate'] = (run, trail) =>
    computeOnce(run, run.segmentMatches, key, () => find(run, extendTrail(key, trail)));
  const find = (run: EvaluationRun, step: Trail): SegmentMatch | undefined => {
    if (unbounded) {
      if (!run.context.parts.has(unboundedContextKind)) return undefined;
      run.notices |= Notice.bigSegment;
      const inclusion = run.environment.bigSegmentInclusion(key);
      if (inclusion !== undefined) return inclusion ? 'key' : undefined;
    } else {
      if (isIncluded(run.context)) return 'key';
      if (isExcluded(run.context)) return undefined;
    }
    return rules.some((matches) => matches(run, step)) ? 'rule' : undefined;
  };
  return { data, patterns, locate, contains: (run, trail) => locate(run, trail) !== undefined };
}

function compileLists(lists: readonly { contextKind: string; values: readonly string[] }[]) {
  const filled = lists
    .filter(({ values }) => values.length > 0)
    .map(({ contextKind, values }) => ({ contextKind, keys: new Set(values) }));
  return ({ parts }: Context): boolean =>
    filled.some(({ contextKind, keys }) => {
      const part = parts.get(contextKind);
      return part !== undefined && keys.has(keyOf(part));
    });
}

function compileRule(rule: SegmentRuleData, segment: SegmentData, patterns: Patterns | undefined): Matcher {
  const { clauses, weight, bucketBy, rolloutContextKind } = rule;
  const matches = compileClauses(clauses, patterns);
  if (weight === undefined) return matches;
  const placeOf = compileBucket(segment, {
    ...(bucketBy !== undefined && { bucketBy }),
    ...(rolloutContextKind !== undefined && { contextKind: rolloutContextKind }),
  });
  // Hashing a long text takes time, and there may be thousands of such rules.
  return (run, trail) => matches(run, trail) && spendSteps(run, 1) && (placeOf(run) ?? 0) < weight / WHOLE;
}
