// What stands in the way of a change: scheduled changes and approval requests that could no longer be applied after it.
import type { Db } from '../../kernel/storage/tables.ts';
import { problem } from '../../kernel/schema.ts';
import { withoutPin } from './plan.ts';
import { tryPlan } from './try-plan.ts';
import type { Environment } from '../projects/project.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { listPending, type PendingPlan } from './store.ts';

export interface Conflict extends Pick<PendingPlan, 'id' | 'kind'> {
  /** For a person. */
  reason: string;
}

/** A change is not looked at against more than these; what is pending beyond tells of its conflict when its time comes. */
const MOST_INSTRUCTIONS = 2000;

type Place = Pick<Environment, 'id' | 'key'>;

export interface Moment {
  now: number;
  /** The id of one that is left out. */
  except?: string | undefined;
}

/** Of what is pending for the flag in these environments, that which could be done before and not after. */
export async function findConflicts(
  tx: Db,
  before: Flag,
  after: Flag,
  environments: readonly Place[],
  { now, except }: Moment,
): Promise<Conflict[]> {
  const keys = new Map(environments.map(({ id, key }) => [id, key]));
  const conflicts: Conflict[] = [];
  let tried = 0;
  for (const { id, kind, environmentId, plan: pending } of await listPending(tx, before.id)) {
    const key = keys.get(environmentId);
    const plan = withoutPin(pending);
    if (key === undefined || id === except) continue;
    tried += plan.instructions.length;
    if (tried > MOST_INSTRUCTIONS) break;
    const [found] = await tryPlan(tx, after, key, plan, now);
    if (found === undefined || (await tryPlan(tx, before, key, plan, now)).length > 0) continue;
    conflicts.push({ id, kind, reason: `${WORDS[kind]} ${id}: ${found.reason}` });
  }
  return conflicts;
}

const WORDS = { 'scheduled-change': 'scheduled change', 'approval-request': 'approval request' };

export function refuseConflicts(conflicts: readonly Conflict[]): void {
  if (conflicts.length === 0) return;
  const reasons = conflicts.map(({ reason }) => reason).join('; ');
  throw problem(
    'ignoreConflicts',
    `must be true for a change that conflicts with what is pending: ${reasons}`,
  );
}
