// Clauses and what is served, in words.
import { variationText, type Variation } from '../flag.ts';
import type { Clause, Rule, Serve } from './targeting.ts';
import { OPERATORS, TARGETING_WORDS as WORDS } from './targeting-words.ts';
import { USER } from './targeting.ts';

/** As many values as one can read in a line. */
const MAX_VALUES = 6;

export function operatorWords({ op, negate }: Pick<Clause, 'op' | 'negate'>): string {
  return OPERATORS[op]?.[negate ? 1 : 0] ?? `${negate ? 'not ' : ''}${op}`;
}

/** What is looked at: `country`, `plan of the company`. */
export function subjectWords({ attribute, op, contextKind }: Clause): string {
  if (op === 'segmentMatch') return WORDS.anyContext;
  const name = attribute === '' ? WORDS.nothingYet : attribute;
  return contextKind === USER ? name : `${contextKind} ${name}`;
}

function clauseSentence(clause: Clause): string {
  const shown = clause.values.slice(0, MAX_VALUES).map(String).join(', ');
  const rest = clause.values.length - MAX_VALUES;
  return `${subjectWords(clause)} ${operatorWords(clause)} ${shown}${rest > 0 ? ` ${WORDS.moreValues(rest)}` : ''}`;
}

export function ruleSentence({ clauses }: Rule): string {
  return clauses.map(clauseSentence).join(` ${WORDS.and} `);
}

export function variationName(variations: readonly Variation[], index: number | undefined): string {
  const variation = index === undefined ? undefined : variations[index];
  return variation === undefined ? WORDS.codeDefault : variationText(variation);
}

export function percentText(weight: number): string {
  return (weight / 1000).toFixed(3);
}

/** `true 40 %, false 60 %`. */
export function serveWords({ variation, rollout }: Serve, variations: readonly Variation[]): string {
  if (rollout === undefined) return variationName(variations, variation);
  return rollout.variations
    .filter(({ weight }) => weight > 0)
    .map((share) => `${variationName(variations, share.variation)} ${share.weight / 1000} %`)
    .join(', ');
}
