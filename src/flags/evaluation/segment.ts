// Compiles segments into functions that tell whether a context is a member, and why.
import { WHOLE } from '../feature-flags/model.ts';
import { compileClauses, matchesAll } from './clause.ts';
import { keyOf, USER, type Context } from './context.ts';
import type { SegmentData, SegmentRuleData } from './data.ts';
import {
  beginValue,
  extendTrail,
  Membership,
  Notice,
  partOf,
  recall,
  remember,
  spendSteps,
  type CompiledSegment,
  type EvaluationRun,
  type Matcher,
  type Patterns,
  type Trail,
  beginShare,
  endShare,
} from './run.ts';
import { compileBucket, findBucket, NO_REFERENCE } from './serve.ts';

export function compileSegment(data: SegmentData, patterns?: Patterns): CompiledSegment {
  const { key, unbounded, unboundedContextKind = USER } = data;
  const isIncluded = compileLists([...data.includedContexts, { contextKind: USER, values: data.included }]);
  const isExcluded = compileLists([...data.excludedContexts, { contextKind: USER, values: data.excluded }]);
  const rules = data.rules.map((rule) => compileRule(rule, data, patterns));
  const find = (run: EvaluationRun, trail: Trail): Membership => {
    if (unbounded) {
      const part = partOf(run, unboundedContextKind);
      if (part === undefined || keyOf(part) === '') return Membership.none;
      run.notices |= Notice.bigSegment;
      const inclusion = run.environment.bigSegmentInclusion(key);
      if (inclusion !== undefined) return inclusion ? Membership.byKey : Membership.none;
    } else {
      if (isIncluded(run.context)) return Membership.byKey;
      if (isExcluded(run.context)) return Membership.none;
    }
    const { trace } = run;
    for (let index = 0; index < rules.length; index += 1) {
      trace?.beginRule(data.rules[index]!, index);
      const isMatch = rules[index]!(run, trail);
      trace?.endRule(isMatch);
      if (isMatch) return run.isMalformed ? Membership.malformed : Membership.byRule;
    }
    return Membership.none;
  };
  const compiled: CompiledSegment = {
    value: undefined,
    runId: 0,
    notices: 0,
    data,
    patterns,
    locate(run, trail) {
      const { trace } = run;
      const known = recall(run, compiled);
      const step = known === undefined ? extendTrail(run, key, trail) : undefined;
      if (step === undefined) {
        trace?.noteSegment(key, known ?? Membership.malformed);
        return known ?? Membership.malformed;
      }
      trace?.beginSegment();
      const before = beginValue(run);
      const membership = remember(run, compiled, find(run, step), before);
      trace?.endSegment(data, membership);
      return membership;
    },
  };
  return compiled;
}

function compileLists(lists: readonly { contextKind: string; values: readonly string[] }[]) {
  const filled = lists
    .filter(({ values }) => values.length > 0)
    .map(({ contextKind, values }) => ({ contextKind, keys: new Set(values) }));
  // A user without a key is in no list.
  for (const { keys } of filled) keys.delete('');
  return ({ parts }: Context): boolean =>
    filled.some(({ contextKind, keys }) => {
      const part = parts.get(contextKind);
      return part !== undefined && keys.has(keyOf(part));
    });
}

function compileRule(rule: SegmentRuleData, segment: SegmentData, patterns: Patterns | undefined): Matcher {
  const { clauses, weight, bucketBy, rolloutContextKind } = rule;
  const compiledClauses = compileClauses(clauses, patterns);
  const matches: Matcher = (run, trail) => matchesAll(compiledClauses, run, trail);
  if (weight === undefined) return matches;
  const compiled = compileBucket(segment, {
    ...(bucketBy !== undefined && { bucketBy }),
    ...(rolloutContextKind !== undefined && { contextKind: rolloutContextKind }),
  });
  return (run, trail) => {
    if (!matches(run, trail)) return false;
    // Hashing a long text takes time, and there may be thousands of such rules.
    if (run.isMalformed || !spendSteps(run, 1)) return run.isMalformed;
    const bucket = findBucket(compiled, run);
    run.trace?.noteWeight({ weight, bucket, contextKind: compiled.contextKind, bucketBy: bucketBy || 'key' });
    run.isMalformed = bucket === NO_REFERENCE;
    return run.isMalformed || Math.max(bucket, 0) < weight / WHOLE;
  };
}

/** Why a context is in a segment: its own key is listed, or a rule matches. */
export type SegmentMatch = 'key' | 'rule';

/** Undefined when the context is not a member. A malformed segment has no members. */
export function matchSegment(segment: CompiledSegment, run: EvaluationRun): SegmentMatch | undefined {
  const share = beginShare(run);
  const membership = segment.locate(run);
  endShare(run, share);
  if (membership === Membership.byKey) return 'key';
  return membership === Membership.byRule ? 'rule' : undefined;
}
