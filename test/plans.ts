// What the engines intend to do for a statement: tests hold them to their indexes.
import { sql, type CompiledQuery, type QueryExecutor } from 'kysely';
import type { Engine } from '../src/kernel/storage/engine.ts';

/** Every statement that goes to the engine from now on, each once. */
export function recordStatements(engine: Engine): Map<string, CompiledQuery> {
  const seen = new Map<string, CompiledQuery>();
  const batch = engine.batch.bind(engine);
  engine.batch = (statements) => {
    for (const statement of statements) seen.set(statement.sql, statement);
    return batch(statements);
  };
  watch(engine.db.getExecutor(), (statement) => seen.set(statement.sql, statement));
  return seen;
}

/** Also what is only made ready here, and sent with others. */
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
  // Each transaction goes by one of its own.
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
