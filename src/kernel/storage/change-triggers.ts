// Triggers that record which rows of a table have changed, in the transaction of the change, whatever code makes it.
import type { Engine } from './engine.ts';

export interface WatchedTable {
  table: string;
  /** What the log calls it. */
  source: string;
  /** The column whose value is recorded. */
  id: string;
  /** An update counts where it changes one of them. */
  columns: readonly string[];
  /** SQL for which rows count when they are inserted or deleted, with `row` for the row; absent, all do. */
  condition?: string;
}

/** For migrations. A migration that builds the table anew must create them again. */
export function changeTriggers(kind: Engine['kind'], log: string, watched: WatchedTable): string[] {
  return kind === 'sqlite' ? sqliteTriggers(log, watched) : postgresTriggers(log, watched);
}

function sqliteTriggers(log: string, watched: WatchedTable): string[] {
  const { table, columns, condition } = watched;
  const changed = columns.map((column) => `old.${column} is not new.${column}`).join(' or ');
  const on = (event: string, what: string, row: 'new' | 'old', when: string | undefined) =>
    `create trigger ${log}_${table}_${event} after ${what} on ${table} ${when === undefined ? '' : `when ${when}`}
       begin ${insertInto(log, watched, row)}; end`;
  return [
    on('insert', 'insert', 'new', condition && of('new', condition)),
    on('update', `update of ${columns.join(', ')}`, 'new', changed),
    on('delete', 'delete', 'old', condition && of('old', condition)),
  ];
}

function postgresTriggers(log: string, watched: WatchedTable): string[] {
  const { table, columns, condition } = watched;
  const changed = columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  const on = (event: string, what: string, row: 'new' | 'old', when: string | undefined) => [
    `create function ${log}_${table}_${event}() returns trigger language plpgsql as $$
       begin ${insertInto(log, watched, row)}; return null; end $$`,
    `create trigger ${log}_${table}_${event} after ${what} on ${table} for each row
       ${when === undefined ? '' : `when (${when})`} execute function ${log}_${table}_${event}()`,
  ];
  return [
    ...on('insert', 'insert', 'new', condition && of('new', condition)),
    ...on('update', `update of ${columns.join(', ')}`, 'new', changed),
    ...on('delete', 'delete', 'old', condition && of('old', condition)),
  ];
}

/** As text, also where it is a number. */
function insertInto(log: string, { source, id }: WatchedTable, row: 'new' | 'old'): string {
  return `insert into ${log} (source, id) values ('${source}', cast(${row}.${id} as text))`;
}

function of(row: 'new' | 'old', expression: string): string {
  return expression.replaceAll(/\brow\./g, `${row}.`);
}
