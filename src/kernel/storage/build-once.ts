// Statements that are built once: building the most frequent ones takes longer than running them.
import type { Compilable, Insertable, RawBuilder } from 'kysely';
import { chunk } from '../collections/chunk.ts';
import type { SqlStatement } from './statement.ts';
import type { Db, Tables } from './tables.ts';

/** Built by Kysely, or written as SQL. */
type Buildable<Row> = Compilable<Row> | RawBuilder<Row>;

/**
 * A statement that only differs in its values. `build` runs once for each engine, with placeholders that it may only
 * pass on as values, not inspect.
 */
export function buildOnce<Values extends readonly unknown[], Row>(
  build: (db: Db, ...values: Values) => Buildable<Row>,
): (db: Db, ...values: Values) => SqlStatement<Row> {
  const count = build.length - 1;
  const fill = template(count, (db, values) => build(db, ...(values as unknown as Values)));
  return (db, ...values) => {
    if (values.length !== count) throw new Error('`build` must name each of its values.');
    return fill(db, values);
  };
}

/** The insert of a row that has a value for each of these columns. */
export function insertOnce<Table extends keyof Tables>(
  table: Table,
  columns: readonly (keyof Tables[Table] & string)[],
): (db: Db, row: Insertable<Tables[Table]>) => SqlStatement {
  const fill = template(columns.length, (db, values) => {
    const row = Object.fromEntries(columns.map((column, index) => [column, values[index]]));
    return db.insertInto(table).values(row as never);
  });
  return (db, row) => {
    const values: Record<string, unknown> = row;
    return fill(
      db,
      columns.map((column) => values[column]),
    );
  };
}

/** Longer lists are rare, and built each time. */
const MAX_BUILT = 128;

/**
 * Reads with a statement that differs in a list of values, and in others. It is built for lists of as many items as a power of two,
 * and the last one is repeated to fill them up: the statement must tolerate duplicates. None is sent for an empty list.
 */
export function buildForLists<Item, Values extends readonly unknown[], Row>(
  build: (db: Db, items: readonly Item[], ...values: Values) => Buildable<Row>,
): (db: Db, items: readonly Item[], ...values: Values) => Promise<Row[]> {
  const byLength = new Map<number, ReturnType<typeof template<Row>>>();

  function fillerFor(length: number): ReturnType<typeof template<Row>> {
    let fill = byLength.get(length);
    if (fill === undefined) {
      fill = template(length + build.length - 2, (db, all) =>
        build(db, all.slice(0, length) as Item[], ...(all.slice(length) as unknown as Values)),
      );
      byLength.set(length, fill);
    }
    return fill;
  }

  return async (db, items, ...values) => {
    if (items.length === 0) return [];
    if (items.length <= MAX_BUILT) {
      const length = 2 ** Math.ceil(Math.log2(items.length));
      const last = items.at(-1);
      const filled = Array.from({ length }, (_, index) => (index < items.length ? items[index] : last));
      return (await db.executeQuery(fillerFor(length)(db, [...filled, ...values]))).rows;
    }
    const rows: Row[] = [];
    for (const some of chunk(items))
      rows.push(...(await db.executeQuery(build(db, some, ...values).compile(db))).rows);
    return rows;
  };
}

interface Template<Row> {
  query: SqlStatement<Row>;
  /** Of each parameter, which of the values it is; -1 where it is always the same. */
  places: readonly number[];
}

function template<Row>(
  count: number,
  build: (db: Db, placeholders: readonly unknown[]) => Buildable<Row>,
): (db: Db, values: readonly unknown[]) => SqlStatement<Row> {
  /** By the query adapter, of which each engine has one. */
  const built = new WeakMap<object, Template<Row>>();
  const placeholders: readonly unknown[] = Array.from({ length: count }, (_, index) =>
    Symbol(`value ${index}`),
  );

  function find(db: Db): Template<Row> {
    const { adapter } = db.getExecutor();
    let known = built.get(adapter);
    if (known === undefined) {
      const query = build(db, placeholders).compile(db);
      known = { query, places: query.parameters.map((parameter) => placeholders.indexOf(parameter)) };
      built.set(adapter, known);
    }
    return known;
  }

  return (db, values) => {
    const { query, places } = find(db);
    const parameters = query.parameters.map((parameter, index) => {
      const place = places[index]!;
      return place === -1 ? parameter : values[place];
    });
    return { ...query, parameters };
  };
}
