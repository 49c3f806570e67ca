// Conflicts of a change to a flag: scheduled changes and approval requests that could no longer be applied after it.
import type { Db } from '../../kernel/storage/tables.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { withoutPin } from './plan.ts';
import { tryPlan } from './try-plan.ts';
import type { Environment } from '../projects/project.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { listPlannedChanges, type PlannedChange } from './store.ts';

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
}

/** The planned changes of the flag in these environments that could be applied before the change and not after it. */
export async function findConflicts(
  tx: Db,
  before: Flag,
  after: Flag,
  environments: readonly Pick<Environment, 'id' | 'key'>[],
  { now, except }: ConflictOptions,
): Promise<Conflict[]> {
  const keys = new Map(environments.map(({ id, key }) => [id, key]));
  const conflicts: Conflict[] = [];
  let tried = 0;
  for (const { id, kind, environmentId, plan: stored } of await listPlannedChanges(tx, before.id)) {
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
