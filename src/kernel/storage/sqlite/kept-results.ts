// Results of reads that are used again until a table is written that they were read from. ADR 0195.
import { BoundedCache } from '../../collections/bounded-cache.ts';
import { ReadRecord } from '../recorded-reads.ts';
import { tablesIn, type TableChanges } from '../table-changes.ts';
import type { RawResult } from './sqlite-protocol.ts';

/** In characters and bytes, of values and keys. */
const MAX_KEPT = 16 * 1024 * 1024;
const MAX_RESULT = 64 * 1024;
/** Of values that a statement is asked with, as text. */
const MAX_KEY = 300;
const KNOWN_STATEMENTS = 1000;
/** How many results of a statement are kept before one is used again, and how many after that. */
const FIRST_TRIES = 8;
const TRIES_AFTER_USE = 64;
/** How often a statement whose results are never used again is left alone, until it is tried once more. */
const USES_LEFT_ALONE = 200;

/** What tells nobody when it changes: what the file says about itself. */
const UNWATCHED = /^(?:sqlite_|pragma_|dbstat$)/;

interface KnownStatement {
  number: number;
  /** How many results may be kept until one has to be used again. */
  tries: number;
  leftAlone: number;
  /** Those that it reads; undefined until it has run. */
  tables: readonly string[] | undefined;
  isKeepable: boolean;
}

interface KeptResult {
  result: RawResult;
  record: ReadRecord;
  weight: number;
}

/** One use of a statement: with its result, or with what it takes to keep it. */
export interface AskedResult {
  result: RawResult | undefined;
  statement: KnownStatement;
  key: string;
  /** The number of the last commit before it was executed. */
  since: number;
}

export class KeptResults {
  readonly #changes: TableChanges;
  readonly #statements = new BoundedCache<string, KnownStatement>({ max: KNOWN_STATEMENTS });
  readonly #results = new BoundedCache<string, KeptResult>({
    max: MAX_KEPT,
    weigh: ({ weight }) => weight,
  });
  #lastNumber = 0;

  constructor(changes: TableChanges) {
    this.#changes = changes;
  }

  /** Undefined where the result of this use is not worth keeping. */
  ask(sql: string, parameters: readonly unknown[]): AskedResult | undefined {
    const statement = this.#statementOf(sql);
    if (!mayTry(statement)) return undefined;
    const key = keyOf(statement.number, parameters);
    if (key === undefined) return undefined;
    const kept = this.#results.get(key);
    const since = this.#changes.now;
    if (kept === undefined) return { result: undefined, statement, key, since };
    if (!kept.record.isCurrent) {
      this.#results.delete(key);
      return { result: undefined, statement, key, since };
    }
    statement.tries = TRIES_AFTER_USE;
    return { result: kept.result, statement, key, since };
  }

  keep({ statement, key, since }: AskedResult, result: RawResult): void {
    const [, values, , , tablesRead] = result;
    statement.tables ??= tablesRead === undefined ? [] : tablesIn(tablesRead);
    const { tables } = statement;
    if (tables.length === 0 || tables.some((table) => UNWATCHED.test(table))) {
      statement.isKeepable = false;
      return;
    }
    statement.tries -= 1;
    const weight = key.length + weigh(values);
    const record = new ReadRecord(this.#changes, tables, since);
    if (weight <= MAX_RESULT && record.isCurrent) this.#results.set(key, { result, record, weight });
  }

  #statementOf(sql: string): KnownStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      const number = (this.#lastNumber += 1);
      statement = { number, tries: FIRST_TRIES, leftAlone: 0, tables: undefined, isKeepable: true };
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Keeping costs more than it saves where the tables change all the time, or each use has other values. */
function mayTry(statement: KnownStatement): boolean {
  if (!statement.isKeepable) return false;
  if (statement.tries > 0) return true;
  statement.leftAlone += 1;
  if (statement.leftAlone < USES_LEFT_ALONE) return false;
  statement.leftAlone = 0;
  statement.tries = 1;
  return true;
}

/** Differs for different values. Undefined for long ones, and for bytes. */
function keyOf(statement: number, parameters: readonly unknown[]): string | undefined {
  let key = `${statement}`;
  for (const value of parameters) {
    if (typeof value === 'string') key += ` ${value.length}:${value}`;
    else if (typeof value === 'number' || value === null) key += ` =${value}`;
    else return undefined;
  }
  return key.length <= MAX_KEY ? key : undefined;
}

function weigh(values: readonly unknown[]): number {
  let weight = values.length * 8;
  for (const value of values) {
    if (typeof value === 'string') weight += value.length;
    else if (value instanceof Uint8Array) weight += value.byteLength;
  }
  return weight;
}
