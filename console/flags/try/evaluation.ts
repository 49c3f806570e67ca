// The evaluation of a flag for a context that is tried.
import { path, type Call } from '../../api/call.ts';
import type { Instruction } from '../save/instruction.ts';

export interface Reason {
  kind: 'OFF' | 'FALLTHROUGH' | 'TARGET_MATCH' | 'RULE_MATCH' | 'PREREQUISITE_FAILED' | 'ERROR';
  ruleIndex?: number;
  prerequisiteKey?: string;
}

/** Where in the editor the evaluation ends. */
export interface TryHit {
  place: 'off' | 'prerequisites' | 'targets' | 'rule' | 'fallthrough';
  rule?: number;
  /** Of the context. */
  key: string;
}

const PLACES: Partial<Record<Reason['kind'], TryHit['place']>> = {
  OFF: 'off',
  FALLTHROUGH: 'fallthrough',
  TARGET_MATCH: 'targets',
  RULE_MATCH: 'rule',
  PREREQUISITE_FAILED: 'prerequisites',
};

export function hitOf({ kind, ruleIndex }: Reason, key: string): TryHit | undefined {
  const place = PLACES[kind];
  if (place === undefined) return undefined;
  return { place, key, ...(ruleIndex !== undefined && { rule: ruleIndex }) };
}

export interface EvaluateQuestion {
  project: string;
  flag: string;
  environment: string;
  context: unknown;
  instructions: readonly Instruction[];
}

export function evaluateCall({ project, flag, environment, context, instructions }: EvaluateQuestion): Call {
  return {
    api: 'signalbox',
    method: 'POST',
    path: path`/projects/${project}/flags/${flag}/evaluate`,
    body: {
      environmentKey: environment,
      context,
      ...(instructions.length > 0 && { instructions }),
    },
  };
}

export interface TracedClause {
  /** Absent where an earlier clause has decided. */
  isMatch?: boolean;
  sentence?: string;
}

export interface TracedRollout {
  /** From 0 to 99,999; absent where there is nothing to be hashed. */
  bucket?: number;
  shares: { variationIndex?: number; from: number; to: number; isChosen: boolean }[];
  sentence: string;
}

export interface Step {
  kind: 'off' | 'prerequisite' | 'targets' | 'rule' | 'left-out' | 'default';
  sentence: string;
  /** Whether it decides the result; of a prerequisite, whether it is met. */
  isMatch?: boolean;
  clauses?: TracedClause[];
  rollout?: TracedRollout;
}

export interface Evaluation {
  value: unknown;
  /** Absent where the default of the code is used. */
  variationIndex?: number;
  reason: Reason;
  /** The result and the reason. */
  sentence: string;
  trace: readonly Step[];
  /** For the first thing that was missed. */
  wouldNeed?: readonly string[];
  warnings?: readonly string[];
}

export interface TriedContext {
  saved: Evaluation;
  /** Where instructions were given. */
  draft?: Evaluation;
  isDifferent?: boolean;
}

export interface EvaluateReply {
  version: number;
  items: TriedContext[];
}
