// Explains an evaluation: the steps of its trace in words, with what each clause was about.
import type { Context } from '../../flags/evaluation/context.ts';
import { Membership, type EvaluationEnvironment, type EvaluationResult } from '../../flags/evaluation/run.ts';
import type {
  TracedBucket,
  TracedClause,
  TracedRollout,
  TracedRule,
  TracedSegment,
  TraceStep,
} from '../../flags/evaluation/trace.ts';
import type { Json, Rule } from '../../flags/feature-flags/flag.ts';
import { WHOLE } from '../../flags/feature-flags/model.ts';
import { describeClause, quoteJson, valueIn } from './clause-words.ts';
import type { ShownClause, ShownEvaluationStep, ShownRollout } from './evaluate-model.ts';

const MAX_VALUES = 20;
const MAX_TEXT = 200;
/** Of a value that is no text, in characters of JSON. */
const MAX_JSON = 1000;

/** What the steps refer to. */
export interface Explained {
  variations: readonly Json[];
  /** All of them, in the order in which people see them; empty where that is not known. */
  rules: readonly Pick<Rule, '_id' | 'description'>[];
  context: Context;
  environment: EvaluationEnvironment;
}

export function explainSteps(steps: readonly TraceStep[], explained: Explained): ShownEvaluationStep[] {
  return steps.map((step) => explainStep(step, explained));
}

function explainStep(step: TraceStep, explained: Explained): ShownEvaluationStep {
  switch (step.kind) {
    case 'off':
      return { kind: 'off', isMatch: true, sentence: 'The flag is off.' };
    case 'targets':
      return {
        kind: 'targets',
        isMatch: step.isMatch,
        sentence: `The context is ${step.isMatch ? '' : 'not '}one of the individual targets.`,
      };
    case 'left-out':
      return {
        kind: 'left-out',
        isMatch: false,
        count: step.rules,
        sentence: `${step.rules} more rules did not match.`,
      };
    case 'prerequisite':
      return explainPrerequisite(step, explained);
    case 'rule':
      return explainRule(step, explained);
    default:
      return {
        kind: 'default',
        isMatch: true,
        sentence: 'No rule matched, so that the default rule applies.',
        ...(step.rollout && { rollout: explainRollout(step.rollout, explained) }),
      };
  }
}

type PrerequisiteStep = TraceStep & { kind: 'prerequisite' };

function explainPrerequisite(step: PrerequisiteStep, explained: Explained): ShownEvaluationStep {
  const { key, variation, result, isMet, steps } = step;
  const shown = { kind: 'prerequisite' as const, flagKey: key, isMatch: isMet, wanted: variation };
  if (result === 'missing')
    return { ...shown, sentence: `The prerequisite ${key} does not exist, or is archived.` };
  if (result === 'cycle') return { ...shown, sentence: `The prerequisite ${key} leads back to this flag.` };
  const { variationIndex, value, reason } = result;
  const served = reason.kind === 'OFF' ? 'is off' : `serves ${quoteJson(value)}`;
  return {
    ...shown,
    sentence: `The prerequisite ${key} ${served}, ${isMet ? 'as it must' : `and must serve its variation ${variation + 1}`}.`,
    ...(variationIndex !== undefined && { variationIndex }),
    steps: explainSteps(steps, {
      ...explained,
      rules: [],
      variations: explained.environment.flags.get(key)?.data.variations ?? [],
    }),
  };
}

function explainRule(traced: TracedRule, explained: Explained): ShownEvaluationStep {
  const { rule, index, isMatch, clauses, rollout, weight } = traced;
  const position = explained.rules.findIndex(({ _id }) => _id === rule.id);
  const number = (position < 0 ? index : position) + 1;
  const description = explained.rules[position]?.description ?? '';
  const shares = weight && {
    rollout: explainBucket(
      weight,
      [{ from: 0, to: weight.weight, isChosen: isMatch }],
      isMatch ? 'in' : 'out of',
    ),
  };
  return {
    kind: 'rule',
    ruleId: rule.id,
    ruleNumber: number,
    isMatch,
    sentence: `Rule ${number} ${isMatch ? 'matched' : 'did not match'}.`,
    ...(description !== '' && { description }),
    clauses: clauses.map((clause) => explainClause(clause, explained)),
    ...shares,
    ...(rollout && { rollout: explainRollout(rollout, explained) }),
  };
}

function explainClause({ clause, isMatch, segments }: TracedClause, explained: Explained): ShownClause {
  const { context } = explained;
  const { attribute, contextKind = 'user', op, values, negate } = clause;
  const value = valueIn(context, clause);
  return {
    attribute,
    contextKind,
    operator: op,
    negate,
    values: values.slice(0, MAX_VALUES).map(bounded),
    valuesTotal: values.length,
    ...(value !== undefined && { value: bounded(value) }),
    ...(isMatch !== undefined && { isMatch, sentence: describeClause(clause, context, isMatch) }),
    ...(segments.length > 0 && { segments: segments.map((segment) => explainSegment(segment, explained)) }),
  };
}

function explainSegment({ key, membership, rules, leftOut }: TracedSegment, explained: Explained) {
  const inner = { ...explained, rules: [] };
  const steps: TraceStep[] = [
    ...rules.map((rule) => ({ kind: 'rule' as const, ...rule })),
    ...(leftOut > 0 ? [{ kind: 'left-out' as const, rules: leftOut }] : []),
  ];
  return {
    segment: key,
    isMatch: membership === Membership.byKey || membership === Membership.byRule,
    sentence: SEGMENT_WORDS[membership].replace('%', key),
    rules: explainSteps(steps, inner),
  };
}

const SEGMENT_WORDS: Readonly<Record<Membership, string>> = {
  [Membership.none]: 'The context is not in the segment %.',
  [Membership.byKey]: 'The segment % includes the key of the context.',
  [Membership.byRule]: 'A rule of the segment % matched.',
  [Membership.malformed]: 'The segment % leads back to itself, or has a rule that cannot be read.',
};

function explainRollout(traced: TracedRollout, { variations }: Explained): ShownRollout {
  let from = 0;
  const shares = traced.shares.map(({ variation, weight }, index) => {
    const share = { variationIndex: variation, from, to: from + weight, isChosen: index === traced.share };
    from += weight;
    return share;
  });
  const value = variations[traced.shares[traced.share]!.variation] ?? null;
  return explainBucket(traced, shares, `in the share of ${quoteJson(value)},`);
}

function explainBucket(
  { bucket, contextKind, bucketBy }: TracedBucket,
  shares: ShownRollout['shares'],
  place: string,
): ShownRollout {
  const number = Math.min(Math.floor(bucket * WHOLE), WHOLE - 1);
  const { from, to } = shares.find(({ isChosen }) => isChosen) ?? shares[0]!;
  const where = `${place} the buckets from ${from} up to ${to}`;
  return {
    ...(bucket >= 0 && { bucket: number }),
    contextKind,
    bucketBy,
    shares,
    sentence:
      bucket < 0
        ? `The context has no ${contextKind} to be hashed, so that it counts as bucket 0: ${where}.`
        : `The ${bucketBy} of the ${contextKind} has the bucket ${number}: ${where}.`,
  };
}

/** Clauses and contexts may have texts of any length. */
function bounded(value: Json): Json {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT - 1)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  const json = JSON.stringify(value);
  return json.length > MAX_JSON ? `${json.slice(0, MAX_JSON - 1)}…` : value;
}

/** The result in one sentence. */
export function explainResult({ value, reason }: EvaluationResult, { rules }: Explained): string {
  const served = value === null ? 'Nothing is served' : `${quoteJson(value)} is served`;
  switch (reason.kind) {
    case 'OFF':
      return `${served}, because the flag is off.`;
    case 'TARGET_MATCH':
      return `${served}, because the context is one of the individual targets.`;
    case 'RULE_MATCH': {
      const position = rules.findIndex(({ _id }) => _id === reason.ruleId);
      return `${served}, because rule ${(position < 0 ? reason.ruleIndex : position) + 1} matched.`;
    }
    case 'PREREQUISITE_FAILED':
      return `${served}, because the prerequisite ${reason.prerequisiteKey} is not met.`;
    case 'FALLTHROUGH':
      return `${served} by the default rule.`;
    default:
      return 'Nothing is served, because the flag cannot be evaluated: it leads back to itself, or serves what it does not have.';
  }
}
