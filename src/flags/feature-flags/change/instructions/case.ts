// The type of an example of an instruction, for tests, and functions that read parts of the flag.
import type { Flag, Target } from '../../flag.ts';

/** The fields that the flag of the model and the flag of the API have in common. */
export type CommonFlag = Omit<Flag, 'id' | 'projectId' | 'version' | 'createdAt'>;

type Parameters = Record<string, unknown>;

export interface Case {
  /** The parameters, for a flag as `prepare` leaves it. */
  good: (flag: CommonFlag) => Parameters;
  sees: (flag: CommonFlag) => unknown;
  /** What `sees` returns afterwards. */
  gives: unknown;
  /** The effect of the same instruction a second time: no change, an addition, or a failure. */
  again: 'same' | 'more' | 'fails';
  bad: (flag: CommonFlag) => Parameters;
  /** The parameter that the error names. */
  names: string;
  /** The parameter is missing, unknown or of another type, so that the instruction cannot be read. */
  isMisfit?: true;
}

export const ENVIRONMENT = 'test';
export const VALUES = ['red', 'green', 'grey', 'blue'];
/** Flags of the same project, both with these values. */
export const NEEDED = 'needed';
export const OTHER = 'other';

export const clause = { attribute: 'plan', op: 'in', values: ['gold'] };

export const here = (flag: CommonFlag) => flag.environments[ENVIRONMENT]!;
export const variation = (flag: CommonFlag, index: number) => flag.variations[index]!._id;
export const rule = (flag: CommonFlag, index: number) => here(flag).rules[index]!;
export const ruleId = (flag: CommonFlag, index = 0) => rule(flag, index)._id;
export const clauseOf = (flag: CommonFlag) => ({
  ruleId: ruleId(flag),
  clauseId: rule(flag, 0).clauses[0]!._id,
});
export const describeTargets = (flag: CommonFlag) => {
  const describe = ({ contextKind, variation: index, values }: Target) =>
    `${contextKind} ${index}: ${values.join()}`;
  return [here(flag).targets.map(describe), here(flag).contextTargets.map(describe)];
};
export const attributes = (flag: CommonFlag) =>
  here(flag).rules.map(({ clauses }) => clauses.map((one) => one.attribute).join());
export const plain = () => ({});
export const unknown = 'no-such-id';
