// Records statements and explains their query plans, for tests that check that indexes are used.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery, type QueryExecutor } from 'kysely';
import type { Engine } from '../src/kernel/storage/engine.ts';
import { onEachEngine } from './engines.ts';

/** Rows inserted with one statement: SQLite limits the number of parameters. */
const AT_ONCE = 500;

/** Inserts rows by their indexes, in one transaction, and updates the statistics that planners use. */
export async function fillTables(
  { db }: Engine,
  count: number,
  insertRows: (tx: Engine['db'], indexes: readonly number[]) => Promise<void>,
): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  await db.transaction().execute(async (tx) => {
    for (let start = 0; start < count; start += AT_ONCE)
      await insertRows(tx, indexes.slice(start, start + AT_ONCE));
  });
  await sql.raw('analyze').execute(db);
}

/** Records every distinct statement that is executed from now on. */
export function recordStatements(engine: Engine): Map<string, CompiledQuery> {
  const seen = new Map<string, CompiledQuery>();
  const batch = engine.batch.bind(engine);
  engine.batch = (statements) => {
    for (const statement of statements) seen.set(statement.sql, statement);
    return batch(statements);
  };
  const batchIf = engine.batchIf.bind(engine);
  engine.batchIf = (guards, statements) => {
    for (const statement of [...guards, ...statements]) seen.set(statement.sql, statement);
    return batchIf(guards, statements);
  };
  watch(engine.db.getExecutor(), (statement) => seen.set(statement.sql, statement));
  return seen;
}

/** Includes statements that are compiled here and sent in a batch. */
function watch<Executor extends QueryExecutor>(
  executor: Executor,
  note: (query: CompiledQuery) => void,
): Executor {
  const executeQuery = executor.executeQuery.bind(executor);
  const compileQuery = executor.compileQuery.bind(executor);
  const stream = executor.stream.bind(executor);
  const withConnectionProvider = executor.withConnectionProvider.bind(executor);
  executor.executeQuery = (query) => {
    note(query);
    return executeQuery(query);
  };
  executor.compileQuery = (node, id) => {
    const query = compileQuery(node, id);
    note(query);
    return query;
  };
  executor.stream = (query, chunkSize) => {
    note(query);
    return stream(query, chunkSize);
  };
  // Each transaction has an executor of its own.
  executor.withConnectionProvider = (provider) => watch(withConnectionProvider(provider), note);
  return executor;
}

export async function planOf(engine: Engine, { sql: text, parameters }: CompiledQuery): Promise<string> {
  if (engine.kind === 'postgres') {
    const { rows } = await sql.raw(`explain (generic_plan) ${text}`).execute(engine.db);
    return rows.map((row) => (row as Record<string, string>)['QUERY PLAN']).join('\n');
  }
  const { rows } = await engine.db.executeQuery({
    query: { kind: 'RawNode', sqlFragments: [], parameters: [] } as unknown as CompiledQuery['query'],
    queryId: { queryId: 'plan' },
    sql: `explain query plan ${text}`,
    parameters,
  });
  return rows.map((row) => (row as { detail: string }).detail).join('\n');
}

/** Fails for a statement that reads a whole table. `exempt` are tables with too few rows for PostgreSQL to use an index. */
export async function assertIndexed(
  engine: Engine,
  statements: readonly CompiledQuery[],
  { atLeast, exempt = [] }: { atLeast: number; exempt?: readonly string[] },
): Promise<void> {
  assert.ok(statements.length >= atLeast, String(statements.length));
  const others = exempt.length === 0 ? '' : `(?!${exempt.join('|')})`;
  const wholeTable = new RegExp(`SCAN (?!CONSTANT)|Seq Scan on ${others}`);
  for (const statement of statements) {
    const plan = await planOf(engine, statement);
    assert.doesNotMatch(plan, wholeTable, `${statement.sql}\n\n${plan}`);
  }
}

/** Fails for a statement whose plan matches `scan`. PostgreSQL must use indexes here also where tables have few rows. */
export async function assertNoScan(
  engine: Engine,
  statements: readonly CompiledQuery[],
  { atLeast, scan }: { atLeast: number; scan: RegExp },
): Promise<void> {
  assert.ok(statements.length >= atLeast, String(statements.length));
  await engine.db.transaction().execute(async (tx) => {
    if (engine.kind === 'postgres') await sql.raw('set local enable_seqscan = off').execute(tx);
    for (const statement of statements) {
      const plan = await planOf({ ...engine, db: tx }, statement);
      assert.doesNotMatch(plan, scan, `${statement.sql}\n\n${plan}`);
    }
  });
}

interface PlanScenario {
  /** How many indexes `insertRows` gets, in batches. */
  rows: number;
  insertRows(tx: Engine['db'], indexes: readonly number[]): Promise<void>;
  /** Executes the statements that are checked. */
  execute(db: Engine['db']): Promise<void>;
  /** How many distinct statements these are. */
  atLeast: number;
  /** Matches the plans that fail. */
  scan: RegExp;
}

/** Declares the test on each engine, with tables that are filled first. */
export function testNoScan(name: string, { rows, insertRows, execute, atLeast, scan }: PlanScenario): void {
  onEachEngine((testEngine) => {
    let engine: Engine;
    let statements: CompiledQuery[];

    before(async () => {
      engine = await testEngine.openMigrated();
      await fillTables(engine, rows, insertRows);
      const seen = recordStatements(engine);
      await execute(engine.db);
      statements = [...seen.values()].filter(({ sql: text }) =>
        /^\s*(with|select|insert|update|delete)/i.test(text),
      );
    });

    test(name, async () => {
      await assertNoScan(engine, statements, { atLeast, scan });
    });
  });
}
