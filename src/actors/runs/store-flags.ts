// The flags that runs have read, in the database: each value of each flag, how often, when, and why it was the last time.
import { sql } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export interface RunFlagCount {
  environmentId: string;
  flagKey: string;
  /** `DEFAULT_IN_CODE` where the default value in the code applied. */
  variation: number;
  /** `UNKNOWN_TO_SDK` where the SDK did not know the flag. */
  version: number;
  /** As JSON. */
  value: string | null;
  /** The last one, as JSON. */
  reason: string | null;
  reads: number;
  firstAt: number;
  lastAt: number;
}

export const DEFAULT_IN_CODE = -1;
export const UNKNOWN_TO_SDK = 0;
/** Of one run. Its reads of further values are added up, without a flag. */
export const MAX_READ_VALUES = 500;
/** No environment and no flag has this name. */
export const FURTHER = '';

const RUNS_AT_ONCE = 50;
const ROWS_AT_ONCE = 200;

/** How a value is named within its run. */
export const nameOfRead = (read: Pick<RunFlagCount, 'environmentId' | 'flagKey' | 'variation' | 'version'>) =>
  `${read.environmentId} ${read.flagKey} ${read.variation} ${read.version}`;

/** Adds the counts to earlier ones. Of runs that are gone, or had ended by `endedBefore`, nothing is stored. */
export async function addRunFlags(
  db: Db,
  tallies: ReadonlyMap<string, ReadonlyMap<string, RunFlagCount>>,
  endedBefore: number,
): Promise<void> {
  for (const runIds of chunk([...tallies.keys()].toSorted(), RUNS_AT_ONCE))
    await db.transaction().execute(async (tx) => {
      const runs = await tx
        .selectFrom('runs')
        .select(['id', 'finished_at'])
        .where('id', 'in', runIds)
        .execute();
      const ids = runs
        .filter(({ finished_at: at }) => at === null || at >= endedBefore)
        .map(({ id }) => id)
        .toSorted();
      if (ids.length === 0) return;
      const present = Map.groupBy(await listNames(tx, ids), ({ runId }) => runId);
      const rows = ids.flatMap((id) =>
        foldFurther(tallies.get(id)!, new Set((present.get(id) ?? []).map(nameOfRead))).map((read) =>
          toRow(id, read),
        ),
      );
      for (const some of chunk(rows, ROWS_AT_ONCE)) await upsertRows(tx, some);
    });
}

async function listNames(tx: Db, runIds: readonly string[]) {
  return await tx
    .selectFrom('run_flags')
    .select([
      'run_id as runId',
      'environment_id as environmentId',
      'flag_key as flagKey',
      'variation',
      'version',
    ])
    .where('run_id', 'in', runIds)
    .where('flag_key', '<>', FURTHER)
    .execute();
}

/** Those that the run has already, and new ones as far as there is room. In one order, so that nodes never deadlock. */
function foldFurther(tally: ReadonlyMap<string, RunFlagCount>, known: Set<string>): RunFlagCount[] {
  const stored: RunFlagCount[] = [];
  let further: RunFlagCount | undefined;
  for (const read of tally.values()) {
    const name = nameOfRead(read);
    if (read.flagKey !== FURTHER && (known.has(name) || known.size < MAX_READ_VALUES)) {
      known.add(name);
      stored.push(read);
    } else further = further === undefined ? toFurther(read) : addFurther(further, read);
  }
  if (further !== undefined) stored.push(further);
  return stored.toSorted((one, other) => (nameOfRead(one) < nameOfRead(other) ? -1 : 1));
}

export function toFurther({ reads, firstAt, lastAt }: RunFlagCount): RunFlagCount {
  const nothing = { variation: DEFAULT_IN_CODE, version: UNKNOWN_TO_SDK, value: null, reason: null };
  return { environmentId: FURTHER, flagKey: FURTHER, ...nothing, reads, firstAt, lastAt };
}

function addFurther(one: RunFlagCount, { reads, firstAt, lastAt }: RunFlagCount): RunFlagCount {
  return {
    ...one,
    reads: one.reads + reads,
    firstAt: Math.min(one.firstAt, firstAt),
    lastAt: Math.max(one.lastAt, lastAt),
  };
}

function toRow(runId: string, { environmentId, flagKey, firstAt, lastAt, ...read }: RunFlagCount) {
  return {
    run_id: runId,
    environment_id: environmentId,
    flag_key: flagKey,
    ...read,
    first_at: firstAt,
    last_at: lastAt,
  };
}

async function upsertRows(tx: Db, rows: readonly ReturnType<typeof toRow>[]): Promise<void> {
  await tx
    .insertInto('run_flags')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'environment_id', 'flag_key', 'variation', 'version'])
        .doUpdateSet(({ ref, eb }) => ({
          reads: eb('run_flags.reads', '+', ref('excluded.reads')),
          value: sql<string | null>`coalesce(excluded.value, run_flags.value)`,
          reason: sql<string | null>`coalesce(excluded.reason, run_flags.reason)`,
          first_at: sql<number>`case when excluded.first_at < run_flags.first_at
            then excluded.first_at else run_flags.first_at end`,
          last_at: sql<number>`case when excluded.last_at > run_flags.last_at
            then excluded.last_at else run_flags.last_at end`,
        })),
    )
    .execute();
}

/** In no order. */
export async function listRunFlags(db: Db, runId: string): Promise<RunFlagCount[]> {
  return await db
    .selectFrom('run_flags')
    .select([
      'environment_id as environmentId',
      'flag_key as flagKey',
      'variation',
      'version',
      'value',
      'reason',
      'reads',
      'first_at as firstAt',
      'last_at as lastAt',
    ])
    .where('run_id', '=', runId)
    .execute();
}

export async function deleteRunFlags(tx: Db, runId: string): Promise<void> {
  await tx.deleteFrom('run_flags').where('run_id', '=', runId).execute();
}

/** Deletes those that were last read before this time. */
export async function deleteOldRunFlags(db: Db, before: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const old = await db
      .selectFrom('run_flags')
      .select('run_id')
      .where('last_at', '<', before)
      .orderBy('last_at')
      .limit(ROWS_AT_ONCE)
      .execute();
    if (old.length === 0) return;
    await db
      .deleteFrom('run_flags')
      .where('run_id', 'in', [...new Set(old.map((row) => row.run_id))])
      .where('last_at', '<', before)
      .execute();
  }
}
