// Tries a plan on a flag without writing anything.
import { randomUUID } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { copyConfig } from '../feature-flags/change/copy-config.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { applyInstructions, referencesOf } from '../feature-flags/change/instructions/apply.ts';
import { findMemberIds, findTeamKeys } from '../feature-flags/store-maintainers.ts';
import { findFlags } from '../feature-flags/store.ts';
import { conflictOf, toFlagCopy, type Plan, type PlanConflict } from './plan.ts';

/** Returns why the plan cannot be applied to this state of the flag; empty when it can. */
export async function tryPlan(
  db: Db,
  flag: Flag,
  environmentKey: string,
  { instructions, copy }: Plan,
  now: number,
): Promise<PlanConflict[]> {
  try {
    if (copy === undefined) {
      const { flagKeys, memberIds, teamKeys } = referencesOf(instructions);
      const references = {
        flags: await findFlags(db, flag.projectId, flagKeys),
        memberIds: await findMemberIds(db, memberIds),
        teamKeys: await findTeamKeys(db, teamKeys),
      };
      applyInstructions(flag, instructions, { environmentKey, now, newUuid: randomUUID, references });
    } else copyConfig(flag, toFlagCopy(copy, environmentKey));
    return [];
  } catch (error) {
    if (error instanceof Failure) return [conflictOf(error, instructions)];
    throw error;
  }
}
