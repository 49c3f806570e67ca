// Statements that are built once and filled in for each use: building one costs more than sending it.
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';

/** Stands where a value will be. */
class Blank {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** `build` must put every value into the statement as it is: it sees each once, as a blank. */
export function template<Values extends object, Row = unknown>(
  build: (db: Db, values: Values) => { compile(): SqlStatement<Row> },
): (db: Db, values: Values) => SqlStatement<Row> {
  const blanks = new Proxy({}, { get: (_, name) => new Blank(String(name)) }) as Values;
  const statements = new WeakMap<Db, SqlStatement<Row>>();
  return (db, values) => {
    let statement = statements.get(db);
    if (statement === undefined) statements.set(db, (statement = build(db, blanks).compile()));
    const fill = (parameter: unknown) =>
      parameter instanceof Blank ? values[parameter.name as keyof Values] : parameter;
    return { ...statement, parameters: statement.parameters.map(fill) };
  };
}
