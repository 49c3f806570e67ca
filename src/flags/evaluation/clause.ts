// Clauses of rules as functions that say whether a context matches.
import { USER } from './context.ts';
import type { ClauseData } from './data.ts';
import { compileOperator } from './operators.ts';
import { readAttribute, readReference } from './reference.ts';
import { Malformed, type Matcher } from './run.ts';

/** All must match; where there are none, everyone does. */
export function compileClauses(clauses: readonly ClauseData[]): Matcher {
  const matchers = clauses.map(compileClause);
  return (run, trail) => matchers.every((matches) => matches(run, trail));
}

function compileClause(clause: ClauseData): Matcher {
  const { attribute, op, values, negate, contextKind } = clause;
  if (op === 'segmentMatch') return compileSegmentMatch(clause);
  const reference = readReference(attribute, contextKind === undefined);
  if (reference === undefined) {
    return () => {
      throw new Malformed(`"${attribute}" refers to no attribute`);
    };
  }
  const test = compileOperator(op, values);
  if (reference.length === 1 && reference[0] === 'kind') {
    return ({ context }) => negate !== context.parts.keys().some(test);
  }
  const kind = contextKind ?? USER;
  return ({ context }) => {
    const part = context.parts.get(kind);
    const value = part && readAttribute(part, reference);
    // What is not there matches nothing, not even that it is not so.
    if (value === undefined || value === null) return false;
    return negate !== (Array.isArray(value) ? value.some(test) : test(value));
  };
}

function compileSegmentMatch({ values, negate }: ClauseData): Matcher {
  const keys = values.filter((value) => typeof value === 'string');
  return (run, trail) =>
    negate !== keys.some((key) => run.environment.segments.get(key)?.contains(run, trail) ?? false);
}
