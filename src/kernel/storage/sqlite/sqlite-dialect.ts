// Kysely's dialect for SQLite: sends writes to one thread and reads to another, except those by key, which are executed here.
import {
  DefaultQueryExecutor,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  KyselyProps,
  QueryExecutor,
  QueryResult,
} from 'kysely';
import { BoundedCache } from '../../collections/bounded-cache.ts';
import { DurationHistogram } from '../../duration-histogram.ts';
import { Failure } from '../../failure.ts';
import { asStorageFailure } from '../storage-failure.ts';
import { takeNotifications } from '../notify-on-commit.ts';
import type { KeptResults } from './kept-results.ts';
import type { StorageThread } from './sqlite-client.ts';
import type { KeyReads } from './sqlite-key-reads.ts';
import { columnsIn } from './sqlite-protocol.ts';
import type { BatchedStatement, StorageRequest, RawResult, ThrownError } from './sqlite-protocol.ts';
import type { TracedResult } from '../recorded-reads.ts';

type NotifyListeners = (channel: string, payload: string | undefined) => void;

/** As Kysely would make them from the dialect, but that a connection is had without waiting. */
export function sqliteProps(driver: SqliteDriver): KyselyProps {
  const adapter = new ConcurrentAdapter();
  const compiler = new UnlockedQueryCompiler();
  const dialect: Dialect = {
    createDriver: () => driver,
    createAdapter: () => adapter,
    createQueryCompiler: () => compiler,
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  const executor: QueryExecutor = new DefaultQueryExecutor(compiler, adapter, {
    provideConnection: (consumer) => driver.withConnection(consumer),
  });
  return { config: { dialect }, dialect, driver, executor };
}

/** Kysely would otherwise run one query at a time. Here the threads keep the order. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Leaves out `for update`, which SQLite does not have: a transaction locks the whole file. */
class UnlockedQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectQuery(node: SelectQueryNode): void {
    const { endModifiers = [] } = node;
    const others = endModifiers.filter(({ modifier }) => modifier === undefined);
    super.visitSelectQuery(others.length === endModifiers.length ? node : { ...node, endModifiers: others });
  }
}

/** What executes statements, or has executed them. */
export interface SqliteExecutors {
  writer: StorageThread;
  reader: StorageThread;
  keyReads: KeyReads;
  keptResults: KeptResults;
}

export class SqliteDriver implements Driver {
  readonly #executors: SqliteExecutors;
  readonly #notify: NotifyListeners;
  /** Reads that are executed here are counted too. */
  readonly statements = new DurationHistogram();
  readonly #idle: SqliteConnection[] = [];
  #busy = 0;
  #closing: (() => void) | undefined;

  constructor(executors: SqliteExecutors, notify: NotifyListeners) {
    this.#executors = executors;
    this.#notify = notify;
  }

  async init(): Promise<void> {}

  /** Each wait would be a turn of the loop of promises, of which a read by key has few. */
  async withConnection<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    const connection = this.#acquire();
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  async acquireConnection(): Promise<SqliteConnection> {
    return this.#acquire();
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    this.#release(connection);
  }

  #acquire(): SqliteConnection {
    if (this.#closing) throw new Failure('unavailable', 'The database has been closed.');
    this.#busy += 1;
    return this.#idle.pop() ?? new SqliteConnection(this.#executors, this.statements);
  }

  #release(connection: SqliteConnection): void {
    this.#idle.push(connection);
    this.#busy -= 1;
    if (this.#busy === 0) this.#closing?.();
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.end('commit');
    for (const { channel, payload } of takeNotifications(connection)) this.#notify(channel, payload);
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    takeNotifications(connection);
    await connection.end('rollback');
  }

  async batch(statements: readonly CompiledQuery[]): Promise<QueryResult<unknown>[]> {
    return await this.withConnection((connection) => connection.batch(statements));
  }

  async batchIf(guards: readonly CompiledQuery[], statements: readonly CompiledQuery[]): Promise<boolean> {
    return await this.withConnection((connection) => connection.batchIf(guards, statements));
  }

  /** Waits for pending requests. The writer closes last, because the last connection checkpoints the file. */
  async destroy(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closing = resolve;
    if (this.#busy > 0) await promise;
    const { keyReads, reader, writer } = this.#executors;
    keyReads.close();
    await reader.close();
    await writer.close();
  }
}

/** A statement written as SQL that only reads. One that begins with `with` may write. */
const RAW_SELECT = /^\s*select\b/i;

function isRead({ query, sql }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) || RAW_SELECT.test(sql);
}

/** Numbers transactions and cursors. */
let lastNumber = 0;

/** Not a connection but a view of the threads that knows its transaction. */
class SqliteConnection implements DatabaseConnection {
  readonly #writer: StorageThread;
  readonly #reader: StorageThread;
  readonly #keyReads: KeyReads;
  readonly #keptResults: KeptResults;
  readonly #statements: DurationHistogram;
  #transaction = 0;

  constructor({ writer, reader, keyReads, keptResults }: SqliteExecutors, statements: DurationHistogram) {
    this.#statements = statements;
    this.#writer = writer;
    this.#reader = reader;
    this.#keyReads = keyReads;
    this.#keptResults = keptResults;
  }

  /** Sends nothing: the writer begins a transaction with its first statement. */
  begin(): void {
    this.#transaction = ++lastNumber;
  }

  /** Rolling back a transaction that has already ended, as after a failed commit, does nothing. */
  async end(verb: 'commit' | 'rollback'): Promise<void> {
    const transaction = this.#transaction;
    if (transaction === 0) return;
    this.#transaction = 0;
    await ask(this.#writer, [verb, transaction]);
  }

  async batch(statements: readonly CompiledQuery[]): Promise<QueryResult<unknown>[]> {
    const results = await this.#askBatch(statements, 0);
    return statements.map((statement, index) => toQueryResult(results![index]!, isRead(statement)));
  }

  async batchIf(guards: readonly CompiledQuery[], statements: readonly CompiledQuery[]): Promise<boolean> {
    return (await this.#askBatch([...guards, ...statements], guards.length)) !== undefined;
  }

  /** One message for the whole transaction. Undefined where a guard has written nothing. */
  async #askBatch(
    statements: readonly CompiledQuery[],
    guards: number,
  ): Promise<readonly RawResult[] | undefined> {
    const begun = performance.now();
    const batched = statements.map(({ sql, parameters }): BatchedStatement => [sql, parameters]);
    const [, , thrown, results] = await this.#writer.ask(['batch', batched, guards]);
    for (const _ of statements) this.#statements.observe((performance.now() - begun) / 1000);
    if (thrown) throw revive(thrown);
    return results;
  }

  async executeQuery<R>(statement: CompiledQuery): Promise<TracedResult<R>> {
    const { sql, parameters } = statement;
    const reads = isRead(statement);
    const isFree = reads && this.#transaction === 0;
    const asked = isFree ? this.#keptResults.ask(sql, parameters) : undefined;
    if (asked?.result !== undefined) return toQueryResult<R>(asked.result, true);
    const begun = performance.now();
    const result =
      (isFree ? this.#keyReads.run(sql, parameters) : undefined) ??
      (await ask(isFree ? this.#reader : this.#writer, ['run', this.#transaction, sql, parameters]));
    this.#statements.observe((performance.now() - begun) / 1000);
    if (asked !== undefined) this.#keptResults.keep(asked, result);
    return toQueryResult<R>(result, reads);
  }

  /** In pieces from its own snapshot; inside a transaction all at once, because only the writer sees its snapshot. */
  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    if (this.#transaction !== 0) {
      yield await this.executeQuery<R>(query);
      return;
    }
    const cursor = ++lastNumber;
    await ask(this.#reader, ['open', cursor, query.sql, query.parameters]);
    try {
      for (;;) {
        const rows = toObjects<R>(await ask(this.#reader, ['fetch', cursor, chunkSize]));
        if (rows.length > 0) yield { rows };
        if (rows.length < chunkSize) return;
      }
    } finally {
      await ask(this.#reader, ['drop', cursor]);
    }
  }
}

async function ask(thread: StorageThread, request: StorageRequest): Promise<RawResult> {
  const [, result, thrown] = await thread.ask(request);
  if (thrown) throw revive(thrown);
  return result;
}

/** Creates the error here and not in the thread, so that its stack includes the caller. */
function revive({ kind, message, ...codes }: ThrownError): unknown {
  return kind ? new Failure(kind, message) : asStorageFailure(Object.assign(new Error(message), codes));
}

/** The names of columns by the text that they come in, so that rows of one statement share theirs. */
const knownColumns = new BoundedCache<string, readonly string[]>({ max: 2000 });

function toQueryResult<R>(result: RawResult, reads: boolean): TracedResult<R> {
  const [columns, , changes, insertId, tablesRead] = result;
  const rows = toObjects<R>(result);
  if (tablesRead !== undefined) return { rows, tablesRead };
  if (reads) return { rows };
  if (columns !== '') return { rows, numAffectedRows: BigInt(rows.length) };
  return { rows, numAffectedRows: BigInt(changes), insertId: BigInt(insertId) };
}

function toObjects<R>([joined, values]: RawResult): R[] {
  if (values.length === 0) return [];
  let columns = knownColumns.get(joined);
  if (columns === undefined) knownColumns.set(joined, (columns = columnsIn(joined)));
  const objects: R[] = [];
  for (let at = 0; at < values.length; at += columns.length) {
    const object: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index += 1) object[columns[index]!] = values[at + index];
    objects.push(object as R);
  }
  return objects;
}
