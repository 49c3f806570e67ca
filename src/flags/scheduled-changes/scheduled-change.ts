// What a scheduled change is: instructions for a flag in an environment, a time, and someone who answers for it.
import type { Instruction } from '../patch-body.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { PlanConflict } from '../planned-changes/plan.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';

export interface ScheduledChange extends FlagInEnvironmentRef {
  id: string;
  /** In whose name it is made: of whoever gave the instructions. */
  maintainer: Initiator;
  executionAt: number;
  /** It is gone when it was made. */
  status: 'pending' | 'failed';
  instructions: Instruction[];
  comment?: string;
  /** Why it failed. */
  conflicts: PlanConflict[];
  version: number;
  createdAt: number;
}
