// Carries out a plan for a flag, now or only for trial, in the name of a call or of whoever is behind work that waited.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { problem } from '../../kernel/schema.ts';
import { listEnvironments } from '../environments/store.ts';
import { changeFlag, rewriteFlag, type FlagChange } from '../feature-flags/change/change-flag.ts';
import { findConflicts, refuseConflicts } from './conflicts.ts';
import { copyConfig } from '../feature-flags/change/copy-config.ts';
import type { Place } from './flag-in-environment.ts';
import { toFlagCopy, type Plan } from './plan.ts';

export interface CarryingOut {
  comment?: string | undefined;
  /** As for every change of a flag. */
  approvedIn?: string;
  dryRun?: boolean;
}

/** What is pending for the flag does not stand in the way: who made this plan was told. */
export async function carryOut(
  on: ChangeTransaction,
  { project, environment, flag }: Place,
  { instructions, copy }: Plan,
  { comment, ...options }: CarryingOut,
): Promise<FlagChange> {
  const at = { project, flagKey: flag.key };
  const how = { ...options, ignoreConflicts: true };
  if (copy !== undefined)
    return await rewriteFlag(on, at, {
      ...how,
      comment,
      verb: `copied from ${copy.source.key} to ${environment.key} the configuration of`,
      edit: (before) => copyConfig(before, toFlagCopy(copy, environment.key)),
    });
  const patch = {
    kind: 'semantic' as const,
    environmentKey: environment.key,
    instructions,
    ...(comment !== undefined && { comment }),
  };
  return await changeFlag(on, at, { patch, ...how });
}

/** Of instructions that wait: all that is pending for a flag is read whenever it changes, and shown in lists. */
const MOST_TEXT = 100_000;

export interface Rehearsal extends Omit<CarryingOut, 'dryRun'> {
  ignoreConflicts: boolean;
  /** The id of the pending change that the plan is of. */
  except?: string;
}

/** Fails where the plan could not be carried out now by this actor, or would spoil what else is pending. */
export async function rehearse(
  on: ChangeTransaction,
  place: Place,
  plan: Plan,
  { ignoreConflicts, except, ...how }: Rehearsal,
): Promise<void> {
  if (JSON.stringify(plan.instructions).length > MOST_TEXT)
    throw problem('instructions', `cannot have more than ${MOST_TEXT} characters`);
  const { before, flag } = await carryOut(on, place, plan, { ...how, dryRun: true });
  if (ignoreConflicts) return;
  const environments = await listEnvironments(on.db, place.project.id);
  refuseConflicts(await findConflicts(on.db, before, flag, environments, { now: on.actor.now, except }));
}
