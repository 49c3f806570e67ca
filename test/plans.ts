// What the engines intend to do for a statement: tests hold them to their indexes.
import { sql, type CompiledQuery } from 'kysely';
import type { Engine } from '../src/kernel/storage/engine.ts';

/** Every statement that goes to the engine from now on, each once. */
export function recordStatements(engine: Engine): Map<string, CompiledQuery> {
  const seen = new Map<string, CompiledQuery>();
  const executor = engine.db.getExecutor();
  const executeQuery = executor.executeQuery.bind(executor);
  const stream = executor.stream.bind(executor);
  const batch = engine.batch.bind(engine);
  executor.executeQuery = (query) => {
    seen.set(query.sql, query);
    return executeQuery(query);
  };
  // Transactions go by executors of their own, which make their statements ready here.
  const compileQuery = executor.compileQuery.bind(executor);
  executor.compileQuery = (node, id) => {
    const query = compileQuery(node, id);
    seen.set(query.sql, query);
    return query;
  };
  executor.stream = (query, chunkSize) => {
    seen.set(query.sql, query);
    return stream(query, chunkSize);
  };
  engine.batch = (statements) => {
    for (const statement of statements) seen.set(statement.sql, statement);
    return batch(statements);
  };
  return seen;
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
