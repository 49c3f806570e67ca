// Statements that are built once: building the most frequent ones takes longer than running them.
import type { Compilable, Insertable, RawBuilder, Selectable } from 'kysely';
import { BoundedCache } from '../collections/bounded-cache.ts';
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

/** Shapes of a statement that are kept. */
const KEPT_SHAPES = 200;

/**
 * A statement that differs in its values and in its shape: it is built once for each shape. `build` gets placeholders, as that of
 * `buildOnce`, and may look at the shape alone.
 */
export function buildForShapes<Shape, Row>(
  keyOf: (shape: Shape) => string,
  build: (db: Db, shape: Shape, values: readonly unknown[]) => Buildable<Row>,
): (db: Db, shape: Shape, values: readonly unknown[]) => SqlStatement<Row> {
  const byShape = new BoundedCache<string, ReturnType<typeof template<Row>>>({ max: KEPT_SHAPES });
  return (db, shape, values) => {
    const key = keyOf(shape);
    let fill = byShape.get(key);
    if (fill === undefined) {
      fill = template(values.length, (any, placeholders) => build(any, shape, placeholders));
      byShape.set(key, fill);
    }
    return fill(db, values);
  };
}

/** The insert of a row, built once for each set of columns. With `returningAll` it returns the row. */
export function insertOf<Table extends keyof Tables>(
  table: Table,
  returns?: 'returningAll',
): (db: Db, row: Insertable<Tables[Table]>) => SqlStatement<Selectable<Tables[Table]>> {
  const fill = buildForShapes(
    (columns: readonly string[]) => columns.join(),
    (db, columns, values): Buildable<Selectable<Tables[Table]>> => {
      const row = Object.fromEntries(columns.map((column, index) => [column, values[index]]));
      const insert = db.insertInto(table).values(row as never);
      return returns === undefined ? insert : insert.returningAll();
    },
  );
  return (db, row) => fill(db, Object.keys(row), Object.values(row));
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
