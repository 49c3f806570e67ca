// The planned changes of a flag in the database: pending scheduled changes and open approval requests.
import { sql } from 'kysely';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Plan } from './plan.ts';

/** More are not checked for conflicts. */
const MAX_PLANNED_CHANGES = 500;

export interface PlannedChange {
  /** The id of the scheduled change or approval request. */
  id: string;
  kind: 'scheduled-change' | 'approval-request';
  environmentId: string;
  plan: Plan;
}

export async function listPlannedChanges(db: Db, flagId: string): Promise<PlannedChange[]> {
  const { rows } = await db.executeQuery(selectPlannedChanges(db, flagId));
  return rows.map((row) => ({ ...row, plan: JSON.parse(row.plan) as Plan }));
}

const selectPlannedChanges = buildOnce((db, flagId: string) =>
  db
    .selectFrom('scheduled_changes')
    .where('flag_id', '=', flagId)
    .where('status', '=', 'pending')
    .select([
      'id',
      sql<PlannedChange['kind']>`'scheduled-change'`.as('kind'),
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
          sql<PlannedChange['kind']>`'approval-request'`.as('kind'),
          'environment_id as environmentId',
          'plan',
        ]),
    )
    .limit(MAX_PLANNED_CHANGES),
);
