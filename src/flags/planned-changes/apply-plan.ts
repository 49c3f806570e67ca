// Applies a plan to a flag, or checks that it could be applied, for the caller of a request or for the author of due work.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { listEnvironments } from '../environments/store.ts';
import { changeFlag, editFlag, type FlagChange } from '../feature-flags/change/change-flag.ts';
import { editByCopy } from '../feature-flags/change/flag-edit.ts';
import { findConflicts, refuseConflicts } from './conflicts.ts';
import type { FlagInEnvironment } from './flag-in-environment.ts';
import { toFlagCopy, type Plan } from './plan.ts';

export interface ApplyPlanOptions {
  comment?: string | undefined;
  /** As in `FlagEdit`. */
  approvedIn?: string;
  dryRun?: boolean;
}

/** Ignores conflicts with other planned changes: the author of the plan was shown them when it was made. */
export async function applyPlan(
  tx: ChangeTransaction,
  { project, environment, flag }: FlagInEnvironment,
  { instructions, copy }: Plan,
  { comment, ...rest }: ApplyPlanOptions,
): Promise<FlagChange> {
  const ref = { project, flagKey: flag.key };
  const options = { ...rest, ignoreConflicts: true };
  if (copy !== undefined) {
    const edit = editByCopy(toFlagCopy(copy, environment.key), { ...options, comment });
    return await editFlag(tx, ref, edit);
  }
  const patch = {
    kind: 'semantic' as const,
    environmentKey: environment.key,
    instructions,
    ...(comment !== undefined && { comment }),
  };
  return await changeFlag(tx, ref, { patch, ...options });
}

/** In characters of JSON. All planned changes of a flag are read whenever the flag changes, and are shown in lists. */
const MAX_INSTRUCTIONS_LENGTH = 100_000;

export interface CheckPlanOptions extends Omit<ApplyPlanOptions, 'dryRun'> {
  ignoreConflicts: boolean;
  /** The id of the planned change that the plan belongs to: it does not conflict with itself. */
  except?: string;
}

/** Throws when the actor could not apply the plan now, or when it would make another planned change impossible. */
export async function checkPlan(
  tx: ChangeTransaction,
  target: FlagInEnvironment,
  plan: Plan,
  { ignoreConflicts, except, ...options }: CheckPlanOptions,
): Promise<void> {
  if (JSON.stringify(plan.instructions).length > MAX_INSTRUCTIONS_LENGTH)
    throw problem('instructions', `cannot have more than ${MAX_INSTRUCTIONS_LENGTH} characters`);
  const { before, flag } = await applyPlan(tx, target, plan, { ...options, dryRun: true });
  if (ignoreConflicts) return;
  const environments = await listEnvironments(tx.db, target.project.id);
  refuseConflicts(await findConflicts(tx.db, before, flag, environments, { now: tx.actor.now, except }));
}
