// The calls of runs in the database: how often a run called each operation, how that ended, and when.
import { sql, type RawBuilder } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export interface CallSums {
  calls: number;
  /** Of these, those with a status of 400 to 499. */
  refused: number;
  /** Of these, those with a status of 500 or more. */
  failed: number;
  firstAt: number;
  lastAt: number;
  lastStatus: number;
}

export interface RunCallCount extends CallSums {
  api: string;
  /** Its id; empty for paths at which there is none. */
  operation: string;
}

/** Of one run. Its calls of further ones are added up as those of others. */
export const MAX_CALLED_OPERATIONS = 200;
/** No API has this name. */
export const OTHERS = { api: '', operation: '' } as const;

const RUNS_AT_ONCE = 50;
const ROWS_AT_ONCE = 200;

/** Adds the counts to those of other nodes and of earlier times; runs that are gone are left out. */
export async function addRunCalls(
  db: Db,
  tallies: ReadonlyMap<string, ReadonlyMap<string, RunCallCount>>,
): Promise<void> {
  for (const runIds of chunk([...tallies.keys()].toSorted(), RUNS_AT_ONCE))
    await db.transaction().execute(async (tx) => {
      const runs = await tx.selectFrom('runs').select('id').where('id', 'in', runIds).execute();
      const ids = runs.map(({ id }) => id).toSorted();
      if (ids.length === 0) return;
      const present = Map.groupBy(await listOperations(tx, ids), (row) => row.run_id);
      const rows = ids.flatMap((id) =>
        foldOthers(tallies.get(id)!, present.get(id) ?? []).map((sums) => toRow(id, sums)),
      );
      for (const some of chunk(rows, ROWS_AT_ONCE)) await upsertRows(tx, some);
    });
}

type Operation = Pick<RunCallCount, 'api' | 'operation'>;

function listOperations(tx: Db, runIds: readonly string[]): Promise<(Operation & { run_id: string })[]> {
  return tx
    .selectFrom('run_calls')
    .select(['run_id', 'api', 'operation'])
    .where('run_id', 'in', runIds)
    .execute();
}

const keyOf = ({ api, operation }: Operation) => `${api} ${operation}`;

/** Those that the run has already, and new ones as far as there is room. In one order, so that nodes never deadlock. */
function foldOthers(tally: ReadonlyMap<string, RunCallCount>, present: readonly Operation[]): RunCallCount[] {
  const known = new Set(present.filter(({ api }) => api !== OTHERS.api).map(keyOf));
  const others: RunCallCount[] = [];
  const kept: RunCallCount[] = [];
  for (const sums of tally.values()) {
    const isOthers = sums.api === OTHERS.api;
    if (isOthers || (!known.has(keyOf(sums)) && known.size >= MAX_CALLED_OPERATIONS)) others.push(sums);
    else {
      known.add(keyOf(sums));
      kept.push(sums);
    }
  }
  const [first, ...rest] = others;
  if (first !== undefined) kept.push({ ...rest.reduce(addSums, first), ...OTHERS });
  return kept.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function addSums(one: RunCallCount, other: RunCallCount): RunCallCount {
  const last = other.lastAt >= one.lastAt ? other : one;
  return {
    ...one,
    calls: one.calls + other.calls,
    refused: one.refused + other.refused,
    failed: one.failed + other.failed,
    firstAt: Math.min(one.firstAt, other.firstAt),
    lastAt: last.lastAt,
    lastStatus: last.lastStatus,
  };
}

function toRow(runId: string, { firstAt, lastAt, lastStatus, ...sums }: RunCallCount) {
  return { run_id: runId, ...sums, first_at: firstAt, last_at: lastAt, last_status: lastStatus };
}

async function upsertRows(tx: Db, rows: readonly ReturnType<typeof toRow>[]): Promise<void> {
  await tx
    .insertInto('run_calls')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['run_id', 'api', 'operation']).doUpdateSet(({ ref, eb }) => ({
        calls: eb('run_calls.calls', '+', ref('excluded.calls')),
        refused: eb('run_calls.refused', '+', ref('excluded.refused')),
        failed: eb('run_calls.failed', '+', ref('excluded.failed')),
        first_at: sql<number>`case when excluded.first_at < run_calls.first_at
          then excluded.first_at else run_calls.first_at end`,
        last_at: ofLast('last_at'),
        last_status: ofLast('last_status'),
      })),
    )
    .execute();
}

/** The value of the later one. */
function ofLast(column: 'last_at' | 'last_status'): RawBuilder<number> {
  return sql`case when excluded.last_at >= run_calls.last_at
    then ${sql.ref(`excluded.${column}`)} else ${sql.ref(`run_calls.${column}`)} end`;
}

/** In no order. */
export async function listRunCalls(db: Db, runId: string): Promise<RunCallCount[]> {
  return await db
    .selectFrom('run_calls')
    .select([
      'api',
      'operation',
      'calls',
      'refused',
      'failed',
      'first_at as firstAt',
      'last_at as lastAt',
      'last_status as lastStatus',
    ])
    .where('run_id', '=', runId)
    .execute();
}

export async function deleteRunCalls(tx: Db, runId: string): Promise<void> {
  await tx.deleteFrom('run_calls').where('run_id', '=', runId).execute();
}

/** Deletes those that were last made before this time. */
export async function deleteOldRunCalls(db: Db, before: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const old = await db
      .selectFrom('run_calls')
      .select('run_id')
      .where('last_at', '<', before)
      .orderBy('last_at')
      .limit(ROWS_AT_ONCE)
      .execute();
    if (old.length === 0) return;
    await db
      .deleteFrom('run_calls')
      .where('run_id', 'in', [...new Set(old.map((row) => row.run_id))])
      .where('last_at', '<', before)
      .execute();
  }
}
