// Compiles the clauses of rules into functions that tell whether a context matches.
import { USER } from './context.ts';
import type { ClauseData } from './data.ts';
import { compileOperator, testAny, type CountedTest } from './operators.ts';
import { isKind, readAttribute, readReference } from './reference.ts';
import { Membership, partOf, type EvaluationRun, type Matcher, type Patterns } from './run.ts';
import type { Json } from '../feature-flags/flag.ts';

/**
 * All clauses must match; no clauses match everyone. As in SDKs, a malformed clause counts as a match, and makes the rule
 * malformed only when it is the last one that is evaluated.
 */
export function compileClauses(clauses: readonly ClauseData[], patterns?: Patterns): Matcher {
  const matchers = clauses.map((clause) => compileClause(clause, patterns));
  const [only] = matchers;
  if (matchers.length === 1) {
    return (run, trail) => {
      run.isMalformed = false;
      return only!(run, trail);
    };
  }
  return (run, trail) => {
    run.isMalformed = false;
    for (const matches of matchers) {
      run.isMalformed = false;
      if (!matches(run, trail)) return false;
    }
    return true;
  };
}

function compileClause(clause: ClauseData, patterns: Patterns | undefined): Matcher {
  const { attribute, op, values, negate, contextKind } = clause;
  if (op === 'segmentMatch') return compileSegmentMatch(clause);
  const reference = readReference(attribute, !contextKind);
  if (reference === undefined) return giveUp;
  const test = compileOperator(op, values, patterns);
  if (isKind(reference)) {
    return (run) => testValue([...run.context.parts.keys()], test, negate, run);
  }
  const kind = contextKind ?? USER;
  return (run) => {
    const part = partOf(run, kind);
    return part !== undefined && testValue(readAttribute(part, reference), test, negate, run);
  };
}

function testValue(value: Json | undefined, test: CountedTest, negate: boolean, run: EvaluationRun): boolean {
  // A missing attribute never matches, not even a negated clause.
  if (value === undefined || value === null) return false;
  const { exceeded } = run;
  if (Array.isArray(value) ? testAny(value, test, run) : test(value, run)) return !negate;
  // Neither does a comparison that exceeded a limit.
  return negate && run.exceeded === exceeded;
}

function compileSegmentMatch({ values, negate }: ClauseData): Matcher {
  const keys = values.filter((value) => typeof value === 'string');
  return (run, trail) => {
    for (const key of keys) {
      const membership = run.environment.segments.get(key)?.locate(run, trail) ?? Membership.none;
      if (membership === Membership.malformed) return giveUp(run);
      if (membership !== Membership.none) {
        run.isMalformed = false;
        return !negate;
      }
    }
    run.isMalformed = false;
    return negate;
  };
}

function giveUp(run: EvaluationRun): boolean {
  run.isMalformed = true;
  return true;
}
