// What an example of an instruction is, for tests, and how to find one's way in the flag it is for.
import type { Flag, Target } from '../../flag.ts';

/** What the model's flag and the one that the API shows have in common. */
export type Seen = Omit<Flag, 'id' | 'projectId' | 'version' | 'createdAt'>;

type Parameters = Record<string, unknown>;

export interface Case {
  /** For a flag as `prepare` leaves it. */
  good: (flag: Seen) => Parameters;
  sees: (flag: Seen) => unknown;
  /** What `sees` finds afterwards. */
  gives: unknown;
  /** What becomes of the same instruction a second time: nothing changes, more is added, or it fails. */
  again: 'same' | 'more' | 'fails';
  bad: (flag: Seen) => Parameters;
  /** The parameter that the error names. */
  names: string;
  /** It is missing, unknown or of another type, so that the instruction cannot be read. */
  isMisfit?: true;
}

export const ENVIRONMENT = 'test';
export const VALUES = ['red', 'green', 'grey', 'blue'];
/** Flags of the same project, both with the values above. */
export const NEEDED = 'needed';
export const OTHER = 'other';

export const clause = { attribute: 'plan', op: 'in', values: ['gold'] };

export const here = (flag: Seen) => flag.environments[ENVIRONMENT]!;
export const variation = (flag: Seen, index: number) => flag.variations[index]!._id;
export const rule = (flag: Seen, index: number) => here(flag).rules[index]!;
export const ruleId = (flag: Seen, index = 0) => rule(flag, index)._id;
export const clauseOf = (flag: Seen) => ({ ruleId: ruleId(flag), clauseId: rule(flag, 0).clauses[0]!._id });
export const targetsOf = (flag: Seen) => {
  const tell = ({ contextKind, variation: index, values }: Target) =>
    `${contextKind} ${index}: ${values.join()}`;
  return [here(flag).targets.map(tell), here(flag).contextTargets.map(tell)];
};
export const attributes = (flag: Seen) =>
  here(flag).rules.map(({ clauses }) => clauses.map((one) => one.attribute).join());
export const plain = () => ({});
export const unknown = 'no-such-id';
