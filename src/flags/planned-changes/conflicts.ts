// Conflicts: why a plan cannot be applied to a flag, and which planned changes could no longer be applied after a change.
import type { Db } from '../../kernel/storage/tables.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { withoutPin, conflictOf, toFlagCopy, type Plan, type PlanConflict } from './plan.ts';
import type { Environment } from '../projects/project.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { listPlannedChanges, type PlannedChange } from './store.ts';
import { randomUUID } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import { copyConfig } from '../feature-flags/change/copy-config.ts';
import { applyInstructions, referencesOf } from '../feature-flags/change/instructions/apply.ts';
import { findReferences } from '../feature-flags/store-references.ts';

export interface Conflict extends Pick<PlannedChange, 'id' | 'kind'> {
  /** Human-readable. */
  reason: string;
}

/** Limits the work per change. Planned changes beyond it are not checked: they fail when they are due. */
const MAX_INSTRUCTIONS_TRIED = 2000;

export interface ConflictOptions {
  now: number;
  /** The id of a planned change to leave out. */
  except?: string | undefined;
  /** The planned changes of the flag, where they are known. */
  planned?: readonly PlannedChange[] | undefined;
}

/** The planned changes of the flag in these environments that could be applied before the change and not after it. */
export async function findConflicts(
  tx: Db,
  before: Flag,
  after: Flag,
  environments: readonly Pick<Environment, 'id' | 'key'>[],
  { now, except, planned }: ConflictOptions,
): Promise<Conflict[]> {
  const keys = new Map(environments.map(({ id, key }) => [id, key]));
  const conflicts: Conflict[] = [];
  let tried = 0;
  const all = planned ?? (await listPlannedChanges(tx, before.projectId, before.key));
  for (const { id, kind, environmentId, plan: stored } of all) {
    const key = keys.get(environmentId);
    const plan = withoutPin(stored);
    if (key === undefined || id === except) continue;
    tried += plan.instructions.length;
    if (tried > MAX_INSTRUCTIONS_TRIED) break;
    const [found] = await tryPlan(tx, after, key, plan, now);
    if (found === undefined || (await tryPlan(tx, before, key, plan, now)).length > 0) continue;
    conflicts.push({ id, kind, reason: `${KIND_NAMES[kind]} ${id}: ${found.reason}` });
  }
  return conflicts;
}

const KIND_NAMES = { 'scheduled-change': 'scheduled change', 'approval-request': 'approval request' };

export function refuseConflicts(conflicts: readonly Conflict[]): void {
  if (conflicts.length === 0) return;
  const reasons = conflicts.map(({ reason }) => reason).join('; ');
  throw problem(
    'ignoreConflicts',
    `must be true for a change that conflicts with what is pending: ${reasons}`,
  );
}

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
      const references = await findReferences(db, flag.projectId, referencesOf(instructions));
      applyInstructions(flag, instructions, { environmentKey, now, newUuid: randomUUID, references });
    } else copyConfig(flag, toFlagCopy(copy, environmentKey));
    return [];
  } catch (error) {
    if (error instanceof Failure) return [conflictOf(error, instructions)];
    throw error;
  }
}
