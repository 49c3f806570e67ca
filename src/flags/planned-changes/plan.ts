// A plan: what is to be done to a flag in one environment later, by instructions or by a copy from another environment.
import type { Failure } from '../../kernel/failure.ts';
import type { Instruction } from '../patch/patch.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { FlagCopy } from '../feature-flags/change/copy-config.ts';

export interface Plan {
  instructions: Instruction[];
  /** A plan with a copy has no instructions. */
  copy?: PlannedCopy;
}

/** Copies into the environment of the plan. */
export interface PlannedCopy extends Pick<
  Static<typeof FlagCopy>,
  'source' | 'includedActions' | 'excludedActions'
> {
  /** The caller gave no version of the source, so the server stored the current one, which the reviewers see. */
  isPinned?: true;
}

/** Why a plan cannot be applied. */
export interface PlanConflict {
  instruction?: Instruction;
  reason: string;
}

export const ConflictSchema = Type.Object(
  {
    instruction: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    reason: Type.String(),
  },
  { $id: 'Conflict' },
);

/** In the bodies of POST requests. `checkPlan` checks the kinds and their parameters. */
export const Instructions = Type.Unsafe<Instruction[]>(
  Type.Array(Type.Object({ kind: Type.String() }), {
    minItems: 1,
    maxItems: 1000,
    description: 'As in a semantic patch of the flag',
  }),
);

/** In replies. */
export const ShownInstructions = Type.Array(Type.Record(Type.String(), Type.Unknown()));

/** The plan without a version that the server stored: a change to the source is no conflict for it. */
export function withoutPin(plan: Plan): Plan {
  const { copy } = plan;
  return copy?.isPinned === true ? { ...plan, copy: { ...copy, source: { key: copy.source.key } } } : plan;
}

export function toFlagCopy(planned: PlannedCopy, environmentKey: string): Static<typeof FlagCopy> {
  const { isPinned: _, ...copy } = planned;
  return { ...copy, target: { key: environmentKey } };
}

export function conflictOf(
  { message, details }: Failure,
  instructions: readonly Instruction[],
): PlanConflict {
  const instruction = details.instruction === undefined ? undefined : instructions[details.instruction];
  return { ...(instruction !== undefined && { instruction }), reason: message };
}
