// Scheduled changes: their schemas, and the instructions that change them.
import type { Instruction } from '../patch/patch.ts';
import { OneOf, PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { Instant } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { documentedKinds, KindSchema, instructionReader } from '../patch/instructions.ts';
import {
  flagInEnvironmentPath,
  type FlagInEnvironment,
  type FlagInEnvironmentRef,
} from '../planned-changes/flag-in-environment.ts';
import {
  ConflictSchema,
  Instructions,
  ShownInstructions,
  type PlanConflict,
} from '../planned-changes/plan.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';

/** Instructions for a flag in an environment, a time, and the member in whose name they are applied. */
export interface ScheduledChange extends FlagInEnvironmentRef {
  id: string;
  /** The member or token that gave the instructions: they are applied with its permissions. */
  maintainer: Initiator;
  executionAt: number;
  /** A change that was applied is deleted. */
  status: 'pending' | 'failed';
  instructions: Instruction[];
  comment?: string;
  /** Why it failed. */
  conflicts: PlanConflict[];
  version: number;
  createdAt: number;
}

/** Of one flag in one environment, with failed ones. */
export const MAX_CHANGES = 100;

const ExecutionDate = Instant('When it is made, in epoch milliseconds');

export const ScheduledChangePost = Type.Object(
  {
    executionDate: ExecutionDate,
    instructions: Instructions,
    comment: Type.Optional(PlainText({ maxLength: 10_000 })),
  },
  { $id: 'PostFlagScheduledChangesInput' },
);

export const ScheduledChangeSchema = Type.Object(
  {
    _id: Type.String(),
    _creationDate: Type.Integer(),
    _maintainerId: Type.String({ description: 'The member in whose name it is made' }),
    _version: Type.Integer(),
    executionDate: ExecutionDate,
    instructions: ShownInstructions,
    comment: Type.Optional(Type.String()),
    status: OneOf(['pending', 'failed'], { description: 'One that was made is no longer here' }),
    conflicts: Type.Array(ConflictSchema, {
      description: 'Why it has failed, or would fail with the flag as it is now; in lists only the former',
    }),
    _links: Links,
  },
  { $id: 'FeatureFlagScheduledChange' },
);

/** `conflicts` replaces the stored ones while the change is still to be applied. */
export function toScheduledChange(
  change: ScheduledChange,
  target: FlagInEnvironment,
  conflicts: readonly PlanConflict[] = change.conflicts,
) {
  const parent = `${flagInEnvironmentPath(target)}/scheduled-changes`;
  return {
    _id: change.id,
    _creationDate: change.createdAt,
    _maintainerId: change.maintainer.memberId,
    _version: change.version,
    executionDate: change.executionAt,
    instructions: change.instructions,
    ...(change.comment !== undefined && { comment: change.comment }),
    status: change.status,
    conflicts: [...conflicts],
    _links: { self: linkTo(`${parent}/${change.id}`), parent: linkTo(parent) },
  };
}

export function requireFuture(executionAt: number, now: number): void {
  if (executionAt <= now) throw problem('executionDate', 'must be in the future');
}

const schemas = {
  deleteScheduledChange: KindSchema('deleteScheduledChange', 'Gives the change up', {}),
  replaceScheduledChangesInstructions: KindSchema(
    'replaceScheduledChangesInstructions',
    'Says anew what is to happen',
    { value: Instructions },
  ),
  updateScheduledChangesExecutionDate: KindSchema('updateScheduledChangesExecutionDate', 'Says anew when', {
    value: ExecutionDate,
  }),
};

export const scheduledChangeKinds = documentedKinds(schemas);

const read = instructionReader(schemas);

export interface EditedChange {
  change: ScheduledChange;
  isDeleted: boolean;
  hasNewInstructions: boolean;
}

/** A failed change becomes pending again, and then needs a time in the future. */
export function editScheduledChange(
  before: ScheduledChange,
  instructions: readonly Instruction[],
  now: number,
): EditedChange {
  let { instructions: planned, executionAt } = before;
  let isDeleted = false;
  for (const instruction of read(instructions)) {
    if (instruction.kind === 'deleteScheduledChange') isDeleted = true;
    else if (instruction.kind === 'replaceScheduledChangesInstructions') planned = instruction.value;
    else executionAt = instruction.value;
  }
  if (!isDeleted && (executionAt !== before.executionAt || before.status === 'failed'))
    requireFuture(executionAt, now);
  return {
    change: { ...before, instructions: planned, executionAt, status: 'pending', conflicts: [] },
    isDeleted,
    hasNewInstructions: planned !== before.instructions,
  };
}
