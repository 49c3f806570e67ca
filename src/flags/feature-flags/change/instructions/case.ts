// Examples of instructions, for tests: their type, functions that read parts of a flag, and the flag that they change.
import type { Flag, Target } from '../../flag.ts';
import { randomUUID } from 'node:crypto';
import { newConfig } from '../../model.ts';
import type { InstructionContext } from './kind.ts';

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

export const MEMBER = 'a'.repeat(24);
export const TEAM = 'painters';

export function buildExampleFlag(key: string): Flag {
  const defaults = { onVariation: 0, offVariation: VALUES.length - 1 };
  const config = () => newConfig({ defaults, version: 1 }, { trackEvents: false }, () => 'f'.repeat(32), 1);
  return {
    id: key,
    projectId: 'project',
    key,
    name: key,
    description: '',
    version: 1,
    createdAt: 1,
    variations: VALUES.map((value) => ({ _id: randomUUID(), value })),
    defaults,
    clientSideAvailability: { usingEnvironmentId: false, usingMobileKey: false },
    includeInSnippet: false,
    temporary: true,
    tags: [],
    customProperties: {},
    archived: false,
    deprecated: false,
    environments: { [ENVIRONMENT]: config(), production: config() },
  };
}

export function contextOf(flags: ReadonlyMap<string, Flag>): InstructionContext {
  return {
    environmentKey: ENVIRONMENT,
    now: 1000,
    newUuid: randomUUID,
    references: { flags, memberIds: new Set([MEMBER]), teamKeys: new Set([TEAM]) },
  };
}
