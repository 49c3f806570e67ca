// Compiles the clauses of rules into functions that tell whether a context matches.
import { USER, type Context } from './context.ts';
import type { ClauseData } from './data.ts';
import { compileOperator, testAny } from './operators.ts';
import { readAttribute, readReference } from './reference.ts';
import { Malformed, type Matcher, type Patterns } from './run.ts';

/** All clauses must match; no clauses match everyone. As in SDKs, an error counts only in the last clause that is evaluated. */
export function compileClauses(clauses: readonly ClauseData[], patterns?: Patterns): Matcher {
  const matchers = clauses.map((clause) => compileClause(clause, patterns));
  const last = matchers.length - 1;
  return (run, trail) =>
    matchers.every((matches, index) => {
      try {
        return matches(run, trail);
      } catch (error) {
        if (index === last || !(error instanceof Malformed)) throw error;
        return true;
      }
    });
}

function compileClause(clause: ClauseData, patterns: Patterns | undefined): Matcher {
  const { attribute, op, values, negate, contextKind } = clause;
  if (op === 'segmentMatch') return compileSegmentMatch(clause);
  const reference = readReference(attribute, contextKind === undefined);
  if (reference === undefined) {
    return () => {
      throw new Malformed(`"${attribute}" refers to no attribute`);
    };
  }
  const test = compileOperator(op, values, patterns);
  const kind = contextKind ?? USER;
  const valueIn =
    reference.length === 1 && reference[0] === 'kind'
      ? (context: Context) => [...context.parts.keys()]
      : (context: Context) => {
          const part = context.parts.get(kind);
          return part && readAttribute(part, reference);
        };
  return (run) => {
    const value = valueIn(run.context);
    // A missing attribute never matches, not even a negated clause.
    if (value === undefined || value === null) return false;
    const { exceeded } = run;
    if (Array.isArray(value) ? testAny(value, test, run) : test(value, run)) return !negate;
    // Neither does a comparison that exceeded a limit.
    return negate && run.exceeded === exceeded;
  };
}

function compileSegmentMatch({ values, negate }: ClauseData): Matcher {
  const keys = values.filter((value) => typeof value === 'string');
  return (run, trail) =>
    negate !== keys.some((key) => run.environment.segments.get(key)?.contains(run, trail) ?? false);
}
