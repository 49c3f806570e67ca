// Clauses of rules as functions that say whether a context matches.
import { USER, type Context } from './context.ts';
import type { ClauseData } from './data.ts';
import { compileOperator, testAny, type PatternOf } from './operators.ts';
import { readAttribute, readReference } from './reference.ts';
import { Malformed, type Matcher } from './run.ts';

/** All must match; where there are none, everyone does. As in SDKs, an error counts only in the last that is looked at. */
export function compileClauses(clauses: readonly ClauseData[], patternOf?: PatternOf): Matcher {
  const matchers = clauses.map((clause) => compileClause(clause, patternOf));
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

function compileClause(clause: ClauseData, patternOf: PatternOf | undefined): Matcher {
  const { attribute, op, values, negate, contextKind } = clause;
  if (op === 'segmentMatch') return compileSegmentMatch(clause);
  const reference = readReference(attribute, contextKind === undefined);
  if (reference === undefined) {
    return () => {
      throw new Malformed(`"${attribute}" refers to no attribute`);
    };
  }
  const test = compileOperator(op, values, patternOf);
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
    // What is not there matches nothing, not even that it is not so.
    if (value === undefined || value === null) return false;
    const { givenUp } = run;
    if (Array.isArray(value) ? testAny(value, test, run) : test(value, run)) return !negate;
    // Nor does what nobody could find out.
    return negate && run.givenUp === givenUp;
  };
}

function compileSegmentMatch({ values, negate }: ClauseData): Matcher {
  const keys = values.filter((value) => typeof value === 'string');
  return (run, trail) =>
    negate !== keys.some((key) => run.environment.segments.get(key)?.contains(run, trail) ?? false);
}
