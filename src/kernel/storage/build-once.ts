// Statements that are built once: building the most frequent ones takes longer than running them.
import type { Compilable } from 'kysely';
import type { SqlStatement } from './statement.ts';
import type { Db } from './tables.ts';

/**
 * A statement that only differs in its values. `build` runs once for each engine, with placeholders that it may only
 * pass on as values, not inspect.
 */
export function buildOnce<Values extends readonly unknown[], Row>(
  build: (db: Db, ...values: Values) => Compilable<Row>,
): (db: Db, ...values: Values) => SqlStatement<Row> {
  /** By the query adapter, of which each engine has one. */
  const built = new WeakMap<object, SqlStatement<Row>>();
  const placeholders = Array.from({ length: build.length - 1 }, (_, index) => Symbol(`value ${index}`));

  function template(db: Db): SqlStatement<Row> {
    const { adapter } = db.getExecutor();
    const known = built.get(adapter);
    if (known !== undefined) return known;
    const query = build(db, ...(placeholders as unknown as Values)).compile();
    built.set(adapter, query);
    return query;
  }

  return (db, ...values) => {
    if (values.length !== placeholders.length) throw new Error('`build` must name each of its values.');
    const query = template(db);
    const parameters = query.parameters.map((parameter) => {
      const index = typeof parameter === 'symbol' ? placeholders.indexOf(parameter) : -1;
      return index === -1 ? parameter : values[index];
    });
    return { ...query, parameters };
  };
}
