// The trace of an evaluation: which prerequisites, targets, rules, clauses and segments were looked at on the way to a result. ADR 0151.
import type { ClauseData, RolloutData, RuleData, SegmentData, SegmentRuleData } from './data.ts';
import type { EvaluationResult, Membership } from './run.ts';

export interface TracedSegment {
  key: string;
  membership: Membership;
  /** Absent where the key is in no list, or where the segment was looked at before. */
  rules: TracedRule[];
  /** How many rules were missed beyond those. */
  leftOut: number;
}

export interface TracedClause {
  clause: ClauseData;
  /** Absent where an earlier clause has decided. */
  isMatch?: boolean;
  segments: TracedSegment[];
}

export interface TracedBucket {
  /** From 0 to 1; negative where the context has nothing to be hashed. */
  bucket: number;
  contextKind: string;
  bucketBy: string;
}

export interface TracedRollout extends TracedBucket {
  shares: RolloutData['variations'];
  /** The index of the share that was chosen. */
  share: number;
}

export interface TracedRule {
  rule: RuleData | SegmentRuleData;
  /** Among those that are not disabled. */
  index: number;
  isMatch: boolean;
  clauses: TracedClause[];
  rollout?: TracedRollout;
  /** Of the rule of a segment that takes a share of the contexts only. */
  weight?: TracedBucket & { weight: number };
}

export interface TracedPrerequisite {
  key: string;
  /** The index of the variation that it must serve. */
  variation: number;
  result: EvaluationResult | 'missing' | 'cycle';
  isMet: boolean;
  steps: TraceStep[];
}

export type TraceStep =
  | { kind: 'off' }
  | ({ kind: 'prerequisite' } & TracedPrerequisite)
  | { kind: 'targets'; isMatch: boolean }
  | ({ kind: 'rule' } & TracedRule)
  | { kind: 'left-out'; rules: number }
  | { kind: 'default'; rollout?: TracedRollout };

const MAX_MISSED = 50;
/** Of all flags and segments together. */
const MAX_RULES = 200;
const MAX_SEGMENTS = 200;
/** Prerequisites of prerequisites, and segments in segments. */
const MAX_NESTED = 10;

/** What is looked at: a flag, or a segment on the way. */
interface Frame {
  steps: TraceStep[];
  rules: TracedRule[];
  leftOut: number;
  /** The rule that is looked at, and the segments that its present clause has asked so far. */
  rule: { index: number; rule: RuleData | SegmentRuleData; tried: TracedClause[] } | undefined;
  segments: TracedSegment[];
  rollout: TracedRollout | undefined;
  weight: TracedRule['weight'];
}

function newFrame(): Frame {
  return {
    steps: [],
    rules: [],
    leftOut: 0,
    rule: undefined,
    segments: [],
    rollout: undefined,
    weight: undefined,
  };
}

/** Given to one run, which reports to it. Runs without one do nothing for it. */
export class EvaluationTrace {
  readonly #frames: Frame[] = [newFrame()];
  /** Of each flag or segment: rules that did not match. The one that matched is always there. */
  readonly #maxMissed: number;
  #rules = 0;
  #segments = 0;

  constructor(maxMissed = MAX_MISSED) {
    this.#maxMissed = maxMissed;
  }

  /** Of the flag that was evaluated. */
  get steps(): readonly TraceStep[] {
    return stepsOf(this.#frames[0]!);
  }

  noteOff(): void {
    this.#frame.steps.push({ kind: 'off' });
  }

  beginPrerequisite(): void {
    this.#frames.push(newFrame());
  }

  endPrerequisite(prerequisite: Omit<TracedPrerequisite, 'steps'>): void {
    const inner = this.#frames.pop()!;
    const steps = this.#frames.length > MAX_NESTED ? [] : stepsOf(inner);
    const { key, variation, result, isMet } = prerequisite;
    this.#frame.steps.push({ kind: 'prerequisite', key, variation, result, isMet, steps });
  }

  noteTargets(isMatch: boolean): void {
    this.#frame.steps.push({ kind: 'targets', isMatch });
  }

  beginRule(rule: RuleData | SegmentRuleData, index: number): void {
    this.#frame.rule = { rule, index, tried: [] };
  }

  noteClause(index: number, isMatch: boolean): void {
    const { rule, segments } = this.#frame;
    rule!.tried.push({ clause: rule!.rule.clauses[index]!, isMatch, segments });
    this.#frame.segments = [];
  }

  endRule(isMatch: boolean): void {
    const frame = this.#frame;
    const { rule, index, tried } = frame.rule!;
    const isKept = frame.rules.length < this.#maxMissed && this.#rules < MAX_RULES;
    if (isMatch || isKept) {
      this.#rules += 1;
      const untried = rule.clauses.slice(tried.length).map((clause) => ({ clause, segments: [] }));
      frame.rules.push({
        rule,
        index,
        isMatch,
        clauses: [...tried, ...untried],
        ...(frame.rollout && { rollout: frame.rollout }),
        ...(frame.weight && { weight: frame.weight }),
      });
    } else frame.leftOut += 1;
    frame.rule = undefined;
    frame.rollout = undefined;
    frame.weight = undefined;
  }

  /** A segment that does not exist, that was looked at before in this run, or that leads back to itself. */
  noteSegment(key: string, membership: Membership): void {
    this.#add({ key, membership, rules: [], leftOut: 0 });
  }

  beginSegment(): void {
    this.#frames.push(newFrame());
  }

  endSegment({ key }: SegmentData, membership: Membership): void {
    const { rules, leftOut } = this.#frames.pop()!;
    const isDeep = this.#frames.length > MAX_NESTED;
    this.#add({ key, membership, rules: isDeep ? [] : rules, leftOut: isDeep ? rules.length : leftOut });
  }

  beginDefault(): void {
    const { steps, rules, leftOut } = this.#frame;
    steps.push(...takeRules(rules), ...leftOutOf(leftOut), { kind: 'default' });
    this.#frame.leftOut = 0;
  }

  /** Of the rule or the default rule that matched. */
  noteRollout(rollout: TracedRollout): void {
    const last = this.#frame.steps.at(-1);
    if (this.#frame.rule === undefined && last?.kind === 'default') last.rollout = rollout;
    else this.#frame.rollout = rollout;
  }

  noteWeight(weight: NonNullable<TracedRule['weight']>): void {
    this.#frame.weight = weight;
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!;
  }

  #add(segment: TracedSegment): void {
    this.#segments += 1;
    if (this.#segments <= MAX_SEGMENTS) this.#frame.segments.push(segment);
  }
}

/** The rules become steps when all of them were looked at, or one has matched. */
function stepsOf({ steps, rules, leftOut }: Frame): TraceStep[] {
  const matched = rules.filter(({ isMatch }) => isMatch);
  const missed = rules.filter(({ isMatch }) => !isMatch);
  return [
    ...steps,
    ...missed.map((rule) => ({ kind: 'rule' as const, ...rule })),
    ...leftOutOf(leftOut),
    ...matched.map((rule) => ({ kind: 'rule' as const, ...rule })),
  ];
}

function takeRules(rules: TracedRule[]): TraceStep[] {
  return rules.splice(0).map((rule) => ({ kind: 'rule', ...rule }));
}

function leftOutOf(rules: number): TraceStep[] {
  return rules === 0 ? [] : [{ kind: 'left-out', rules }];
}
