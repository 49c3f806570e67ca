// Statements that are built once: of the hottest, building takes longer than running.
import type { Compilable } from 'kysely';
import type { SqlStatement } from './statement.ts';
import type { Db } from './tables.ts';

/**
 * A statement that is always the same but for its values. `build` is called once for each engine, with placeholders, which
 * it may only hand on as values: it cannot look at them.
 */
export function buildOnce<Values extends readonly unknown[], Row>(
  build: (db: Db, ...values: Values) => Compilable<Row>,
): (db: Db, ...values: Values) => SqlStatement<Row> {
  /** By the engine's own words for statements. */
  const built = new WeakMap<object, SqlStatement<Row>>();
  const places = Array.from({ length: build.length - 1 }, (_, index) => Symbol(`value ${index}`));

  function template(db: Db): SqlStatement<Row> {
    const { adapter } = db.getExecutor();
    const known = built.get(adapter);
    if (known !== undefined) return known;
    const query = build(db, ...(places as unknown as Values)).compile();
    built.set(adapter, query);
    return query;
  }

  return (db, ...values) => {
    if (values.length !== places.length) throw new Error('`build` must name each of its values.');
    const query = template(db);
    const parameters = query.parameters.map((parameter) => {
      const index = typeof parameter === 'symbol' ? places.indexOf(parameter) : -1;
      return index === -1 ? parameter : values[index];
    });
    return { ...query, parameters };
  };
}
