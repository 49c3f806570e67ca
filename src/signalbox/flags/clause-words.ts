// Clauses in words: what a context has, whether that is what the clause asks for, and what would have to be different.
import { readAttribute, readReference, USER, type Context } from '../../flags/evaluation/context.ts';
import type { ClauseData } from '../../flags/evaluation/data.ts';
import type { Json } from '../../flags/feature-flags/flag.ts';
import { shorten } from '../../kernel/json/pointer.ts';

type Words = readonly [holds: string, fails: string, need: string, needNot: string];

const OPERATOR_WORDS: Readonly<Record<string, Words>> = {
  in: ['is one of', 'is not one of', 'be one of', 'not be one of'],
  startsWith: ['starts with', 'does not start with', 'start with', 'not start with'],
  endsWith: ['ends with', 'does not end with', 'end with', 'not end with'],
  contains: ['contains', 'does not contain', 'contain', 'not contain'],
  matches: ['matches', 'does not match', 'match', 'not match'],
  lessThan: ['is less than', 'is not less than', 'be less than', 'not be less than'],
  lessThanOrEqual: ['is at most', 'is not at most', 'be at most', 'not be at most'],
  greaterThan: ['is greater than', 'is not greater than', 'be greater than', 'not be greater than'],
  greaterThanOrEqual: ['is at least', 'is not at least', 'be at least', 'not be at least'],
  before: ['is before', 'is not before', 'be before', 'not be before'],
  after: ['is after', 'is not after', 'be after', 'not be after'],
  semVerEqual: ['is the version', 'is not the version', 'be the version', 'not be the version'],
  semVerLessThan: [
    'is a version below',
    'is not a version below',
    'be a version below',
    'not be a version below',
  ],
  semVerGreaterThan: [
    'is a version above',
    'is not a version above',
    'be a version above',
    'not be a version above',
  ],
};

const MAX_WORDS = 5;

/** The value that the clause is about: undefined where the context has none. */
export function valueIn({ parts }: Context, clause: ClauseData): Json | undefined {
  const { attribute, contextKind = USER, op } = clause;
  if (op === 'segmentMatch') return undefined;
  const reference = readReference(attribute, !clause.contextKind);
  if (reference === undefined) return undefined;
  if (reference.name === 'kind' && reference.inner.length === 0) return [...parts.keys()];
  const part = parts.get(contextKind);
  return part && (readAttribute(part, reference) ?? undefined);
}

/** A fact about the context, whatever the clause asks for. */
export function describeClause(clause: ClauseData, context: Context, isMatch: boolean): string {
  const { op, values, negate } = clause;
  const holds = isMatch !== negate;
  if (op === 'segmentMatch')
    return `The context is ${holds ? '' : 'not '}in ${segmentsOf(values, holds ? 'or' : 'and')}.`;
  const missing = describeMissing(clause, context);
  if (missing !== undefined) return `${missing}.`;
  const [yes, no] = OPERATOR_WORDS[op] ?? [`satisfies ${op}`, `does not satisfy ${op}`];
  const value = quoteJson(valueIn(context, clause)!);
  return `${subjectOf(clause)}, ${value}, ${holds ? yes : no} ${listValues(values)}.`;
}

/** What would have to be different, for a clause that does not match. */
export function describeNeed(clause: ClauseData, context: Context): string {
  const { op, values, negate } = clause;
  if (op === 'segmentMatch')
    return `The context would have to be ${negate ? 'outside of' : 'in'} ${segmentsOf(values, 'or')}.`;
  const [, , need, needNot] = OPERATOR_WORDS[op] ?? ['', '', `satisfy ${op}`, `not satisfy ${op}`];
  const missing = describeMissing(clause, context);
  const now = missing ?? `It is ${quoteJson(valueIn(context, clause)!)}`;
  return `${subjectOf(clause)} would have to ${negate ? needNot : need} ${listValues(values)}. ${now}.`;
}

function describeMissing({ attribute, contextKind = USER, ...rest }: ClauseData, context: Context) {
  if (!context.parts.has(contextKind)) return `The context has no ${contextKind}`;
  const value = valueIn(context, { attribute, contextKind, ...rest });
  return value === undefined ? `The ${contextKind} has no ${shorten(attribute)}` : undefined;
}

function subjectOf({ attribute, contextKind = USER }: ClauseData): string {
  return `The ${shorten(attribute)} of the ${contextKind}`;
}

function segmentsOf(values: readonly Json[], word: 'or' | 'and'): string {
  const names = values.slice(0, MAX_WORDS).map(quoteJson);
  const more = values.length > MAX_WORDS ? ` and ${values.length - MAX_WORDS} more` : '';
  return `the segment ${names.join(` ${word} `)}${more}`;
}

function listValues(values: readonly Json[]): string {
  if (values.length === 0) return 'nothing';
  const more = values.length > MAX_WORDS ? ` or ${values.length - MAX_WORDS} more` : '';
  return `${values.slice(0, MAX_WORDS).map(quoteJson).join(', ')}${more}`;
}

export function quoteJson(value: Json): string {
  return shorten(JSON.stringify(value));
}
