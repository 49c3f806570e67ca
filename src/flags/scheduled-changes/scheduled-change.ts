// The type of a scheduled change: instructions for a flag in an environment, a time, and the member in whose name they are applied.
import type { Instruction } from '../patch-body.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { PlanConflict } from '../planned-changes/plan.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';

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
