// The planned changes of a flag in the database: pending scheduled changes and open approval requests.
import { sql } from 'kysely';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { couldBeKey } from '../fields.ts';
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

/** By the key of the flag, so that they can be read together with it. */
export async function listPlannedChanges(
  db: Db,
  projectId: string,
  flagKey: string,
): Promise<PlannedChange[]> {
  if (!couldBeKey(flagKey)) return [];
  const { rows } = await db.executeQuery(selectPlannedChanges(db, projectId, flagKey));
  return rows.map((row) => ({ ...row, plan: JSON.parse(row.plan) as Plan }));
}

const selectPlannedChanges = buildOnce((db, projectId: string, flagKey: string) => {
  const flagId = db
    .selectFrom('flags')
    .select('id')
    .where('project_id', '=', projectId)
    .where('key', '=', flagKey);
  return db
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
    .limit(MAX_PLANNED_CHANGES);
});
