// Why a draft cannot be saved yet. The server would say the same later; here it stands at the field.
import { WHOLE, type Clause, type Rule, type Serve, type Targeting } from './targeting.ts';
import { percentText } from './clause-words.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';

export function clauseProblem({ attribute, op, values }: Clause): string | undefined {
  if (op !== 'segmentMatch' && attribute.trim() === '') return WORDS.problems.attribute;
  return values.length === 0 ? WORDS.problems.values : undefined;
}

export function serveProblem({ rollout }: Serve): string | undefined {
  if (rollout === undefined) return undefined;
  const weights = rollout.variations.map(({ weight }) => weight);
  if (weights.some((weight) => weight < 0 || weight > WHOLE)) return WORDS.notPercent;
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === WHOLE) return undefined;
  return WORDS.sumOff(percentText(sum), percentText(Math.abs(WHOLE - sum)), sum > WHOLE);
}

function countIn(rule: Rule): number {
  const clauses = rule.clauses.filter((clause) => clauseProblem(clause) !== undefined).length;
  return clauses + (rule.clauses.length === 0 ? 1 : 0) + (serveProblem(rule) === undefined ? 0 : 1);
}

/** In what was changed: what the server has already is none of the editor's business. */
export function countProblems(before: Targeting, after: Targeting): number {
  const known = new Map(before.rules.map((rule) => [rule._id, rule]));
  const rules = after.rules
    .filter((rule) => known.get(rule._id) !== rule)
    .reduce((total, rule) => total + countIn(rule), 0);
  const isDefaultChanged = before.fallthrough !== after.fallthrough;
  return rules + (isDefaultChanged && serveProblem(after.fallthrough) !== undefined ? 1 : 0);
}
