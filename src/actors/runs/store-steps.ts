// The steps of runs in the database: when a process started, what the run said of itself, what it started, and how it ended.
import { sql } from 'kysely';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export const STEP_KINDS = [
  'started',
  'migrated',
  'rebooted',
  'restarted',
  'metamorphosed',
  'message',
  'child',
  'webhooks',
  'aborting',
  'timing-out',
  'resurrected',
  'finished',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

export interface StepDetails {
  /** Of `message` and `finished`. */
  message?: string | null;
  status?: string;
  exitCode?: number | null;
  /** Of `child`. */
  runId?: string;
  /** Of `webhooks`. */
  eventType?: string;
  dispatchIds?: string[];
  /** Of `aborting`: whether the process gets time to end. */
  isGraceful?: boolean;
}

export interface RunStep extends StepDetails {
  at: number;
  kind: StepKind;
}

/** Of each kind, so many are kept of a run: a crawler may set its message every few seconds for days. */
export const MAX_STEPS = 200;

/** A run that is gone gets none. */
const insertStep = buildOnce((db, runId: string, kind: string, at: number, details: string) =>
  db
    .insertInto('run_steps')
    .columns(['run_id', 'kind', 'at', 'details'])
    .expression((eb) =>
      eb
        .selectFrom('runs')
        .select((row) => [
          'id',
          row.cast<string>(row.val(kind), 'text').as('kind'),
          row.cast<number>(row.val(at), 'bigint').as('at'),
          row.cast<string>(row.val(details), 'text').as('details'),
        ])
        .where('id', '=', runId),
    ),
);

const deleteOldSteps = buildOnce((db, runId: string, kind: string) =>
  db
    .deleteFrom('run_steps')
    .where('run_id', '=', runId)
    .where('kind', '=', kind)
    .where('seq', '<=', (eb) =>
      eb
        .selectFrom('run_steps as newest')
        .select('newest.seq')
        .where('newest.run_id', '=', runId)
        .where('newest.kind', '=', kind)
        .orderBy('newest.seq', 'desc')
        .limit(sql.lit(1))
        .offset(sql.lit(MAX_STEPS)),
    ),
);

/** Belongs into the transaction of what happens. */
export async function insertRunStep(
  tx: Db,
  runId: string,
  kind: StepKind,
  at: number,
  details: StepDetails = {},
): Promise<void> {
  await executeAll(tx, [
    insertStep(tx, runId, kind, at, JSON.stringify(details)),
    deleteOldSteps(tx, runId, kind),
  ]);
}

/** In the order in which they happened. */
export async function listRunSteps(db: Db, runId: string): Promise<RunStep[]> {
  const rows = await db
    .selectFrom('run_steps')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('kind')
    .orderBy('seq')
    .execute();
  return rows
    .toSorted((one, other) => one.seq - other.seq)
    .map(({ at, kind, details }) => ({
      at,
      kind: kind as StepKind,
      ...(JSON.parse(details) as StepDetails),
    }));
}

export async function deleteRunSteps(tx: Db, runId: string): Promise<void> {
  await tx.deleteFrom('run_steps').where('run_id', '=', runId).execute();
}
