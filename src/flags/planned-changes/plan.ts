// What is to happen to a flag later, in one environment: instructions, or a copy from another one.
import type { Failure } from '../../kernel/failure.ts';
import type { Instruction } from '../patch-body.ts';
import { Type, type Static } from '../../kernel/schema.ts';
import type { FlagCopy } from '../feature-flags/change/copy-config.ts';

export interface Plan {
  instructions: Instruction[];
  /** Then there are no instructions. */
  copy?: PlannedCopy;
}

/** Into the environment that the plan is for. */
export interface PlannedCopy extends Pick<
  Static<typeof FlagCopy>,
  'source' | 'includedActions' | 'excludedActions'
> {
  /** The caller named no version of the source: it is the one that the reviewers see. */
  isPinned?: true;
}

/** Why a plan cannot be carried out. */
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

/** In bodies that are no patches; the kinds and their parameters are checked when they are tried. */
export const Instructions = Type.Unsafe<Instruction[]>(
  Type.Array(Type.Object({ kind: Type.String() }), {
    minItems: 1,
    maxItems: 1000,
    description: 'As in a semantic patch of the flag',
  }),
);

/** As they are shown. */
export const ShownInstructions = Type.Array(Type.Record(Type.String(), Type.Unknown()));

/** What a change of the flag must leave possible: a copy whose caller named no version asks for none of its source. */
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
