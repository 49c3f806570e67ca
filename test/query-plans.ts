// The harness of query-plan tests: fills tables, records statements, and checks the plans that an engine chooses for them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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

async function planOf(
  { kind, db }: Pick<Engine, 'kind' | 'db'>,
  { sql: text, parameters }: CompiledQuery,
): Promise<string> {
  if (kind === 'postgres') {
    const { rows } = await sql.raw(`explain (generic_plan) ${text}`).execute(db);
    return rows.map((row) => (row as Record<string, string>)['QUERY PLAN']).join('\n');
  }
  const { rows } = await db.executeQuery({
    query: { kind: 'RawNode', sqlFragments: [], parameters: [] } as unknown as CompiledQuery['query'],
    queryId: { queryId: 'plan' },
    sql: `explain query plan ${text}`,
    // Those of a statement that is built once, and was executed in a batch, are placeholders. The plan depends on no value.
    parameters: parameters.map((parameter) => (typeof parameter === 'symbol' ? null : parameter)),
  });
  return rows.map((row) => (row as { detail: string }).detail).join('\n');
}

/** A read of a whole table, in the words of SQLite or PostgreSQL. */
const WHOLE_TABLE = /SCAN (?!CONSTANT)|Seq Scan on /;

export interface PlanRules {
  /** How many distinct statements there are. */
  atLeast: number;
  /** Matches the plans that fail: by default those that read a whole table. */
  scan?: RegExp;
  /** Whether the tables have so few rows that PostgreSQL would scan them despite their indexes. It must use these nevertheless. */
  hasFewRows?: boolean;
  /** Checks what the pattern cannot say. */
  check?: (plan: string, text: string) => void;
}

/** Fails for a statement whose plan breaks the rules, with both. */
export async function assertPlans(
  engine: Engine,
  statements: readonly CompiledQuery[],
  { atLeast, scan = WHOLE_TABLE, hasFewRows = false, check }: PlanRules,
): Promise<void> {
  assert.ok(statements.length >= atLeast, `${statements.length} statements`);
  await engine.db.transaction().execute(async (tx) => {
    if (hasFewRows && engine.kind === 'postgres') await sql.raw('set local enable_seqscan = off').execute(tx);
    for (const statement of statements) {
      const plan = await planOf({ kind: engine.kind, db: tx }, statement);
      assert.doesNotMatch(plan, scan, `${statement.sql}\n\n${plan}`);
      check?.(plan, statement.sql);
    }
  });
}

/** The default pattern, for tables some of which have too few rows for PostgreSQL to use an index. */
export function wholeTableExcept(...tables: string[]): RegExp {
  return new RegExp(`SCAN (?!CONSTANT)|Seq Scan on (?!${tables.join('|')})`);
}

interface PlanScenario extends Pick<PlanRules, 'atLeast' | 'scan'> {
  /** How many indexes `insertRows` gets, in batches. */
  rows: number;
  insertRows(tx: Engine['db'], indexes: readonly number[]): Promise<void>;
  /** Executes the statements that are checked. */
  execute(db: Engine['db']): Promise<void>;
}

/** Declares the test on each engine, with tables that are filled first. */
export function testPlans(name: string, { rows, insertRows, execute, ...rules }: PlanScenario): void {
  onEachEngine((testEngine) => {
    test(name, async () => {
      const engine = await testEngine.openMigrated();
      await fillTables(engine, rows, insertRows);
      const seen = recordStatements(engine);
      await execute(engine.db);
      const statements = [...seen.values()].filter(({ sql: text }) =>
        /^\s*(with|select|insert|update|delete)/i.test(text),
      );
      await assertPlans(engine, statements, { ...rules, hasFewRows: true });
    });
  });
}
