// What is pending for a flag in the database: the plans of scheduled changes and approval requests.
import { sql } from 'kysely';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Plan } from './plan.ts';

/** As many as a change is looked at against. */
const MOST = 500;

export interface PendingPlan {
  /** Of the scheduled change or the approval request. */
  id: string;
  kind: 'scheduled-change' | 'approval-request';
  environmentId: string;
  plan: Plan;
}

export async function listPending(db: Db, flagId: string): Promise<PendingPlan[]> {
  const { rows } = await db.executeQuery(selectPending(db, flagId));
  return rows.map((row) => ({ ...row, plan: JSON.parse(row.plan) as Plan }));
}

const selectPending = buildOnce((db, flagId: string) =>
  db
    .selectFrom('scheduled_changes')
    .where('flag_id', '=', flagId)
    .where('status', '=', 'pending')
    .select([
      'id',
      sql<PendingPlan['kind']>`'scheduled-change'`.as('kind'),
      'environment_id as environmentId',
      'plan',
    ])
    .unionAll(
      db
        .selectFrom('approval_requests')
        .where('flag_id', '=', flagId)
        .where('status', 'in', ['pending', 'scheduled'])
        .select([
          'id',
          sql<PendingPlan['kind']>`'approval-request'`.as('kind'),
          'environment_id as environmentId',
          'plan',
        ]),
    )
    .limit(MOST),
);
