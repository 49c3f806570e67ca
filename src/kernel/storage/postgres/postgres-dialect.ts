// Kysely's dialect for PostgreSQL with our own driver: common failures, prepared statements, and streams.
import {
  OperatorNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
} from 'kysely';
import type {
  BinaryOperationNode,
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';
import type { Pool, PoolClient, QueryConfig, QueryResult as Answer } from 'pg';
import { Failure } from '../../failure.ts';
import { asStorageFailure } from '../storage-failure.ts';
import { takeNotifications } from '../notify-on-commit.ts';
import { isContested, retryContested } from '../retry.ts';

/** Sends a notification on the given connection. It must not fail. */
export type Notify = (connection: DatabaseConnection, channel: string, payload?: string) => Promise<void>;

export function postgresDialect(pool: Pool, notify: Notify): Dialect {
  return {
    createDriver: () => new PostgresDriver(pool, notify),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new EmptyListQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/** As on SQLite, nothing is in an empty list and everything outside of it; for PostgreSQL `in ()` is an error of syntax. */
class EmptyListQueryCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand } = node;
    const isEmptyList = PrimitiveValueListNode.is(rightOperand) && rightOperand.values.length === 0;
    if (!isEmptyList || !OperatorNode.is(operator)) super.visitBinaryOperation(node);
    else this.append(operator.operator === 'not in' ? 'true' : 'false');
  }
}

class PostgresDriver implements Driver {
  readonly #pool: Pool;
  readonly #notify: Notify;
  readonly #plans = new Plans();
  readonly #connections = new WeakMap<PoolClient, PostgresConnection>();

  constructor(pool: Pool, notify: Notify) {
    this.#pool = pool;
    this.#notify = notify;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw asStorageFailure(error);
    }
    const connection = this.#connections.get(client) ?? new PostgresConnection(client, this.#plans);
    this.#connections.set(client, connection);
    return connection;
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    const mode = settings.accessMode ? ` ${settings.accessMode}` : '';
    await connection.begin(`begin${level}${mode}`);
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.commit();
    // After the commit, not in it: PostgreSQL serialises the commits of transactions that notify.
    for (const { channel, payload } of takeNotifications(connection))
      await this.#notify(connection, channel, payload);
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    takeNotifications(connection);
    await connection.rollback();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #plans: Plans;
  #inTransaction = false;
  /** The error that broke the connection; later queries only report that it is closed. */
  #lost: Error | undefined;
  #cursors = 0;
  /** Resolves when the previous query has ended. */
  #before = Promise.resolve();

  constructor(client: PoolClient, plans: Plans) {
    this.#client = client;
    this.#plans = plans;
    // Without a listener this event would end the process.
    client.on('error', (error) => (this.#lost ??= error));
  }

  release(): void {
    this.#client.release(this.#lost !== undefined);
  }

  async begin(statement: string): Promise<void> {
    await this.#query({ text: statement });
    this.#inTransaction = true;
  }

  async commit(): Promise<void> {
    const { command } = await this.#query({ text: 'commit' });
    this.#inTransaction = false;
    // PostgreSQL answers COMMIT so if a statement of the transaction has failed, even if the caller caught the error.
    if (command === 'ROLLBACK')
      throw new Error('A statement of this transaction has failed; it was rolled back.');
  }

  /** Never fails, so as not to hide the error that caused it. A connection that cannot roll back is discarded. */
  async rollback(): Promise<void> {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    await this.#client.query('rollback').catch((error: Error) => (this.#lost ??= error));
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#run<R>({ text, values: [...parameters] });
    const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
    return isWrite ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
  }

  /** Uses a cursor of the server, which lives as long as its transaction. */
  async *streamQuery<R>(
    { sql, parameters }: CompiledQuery,
    chunkSize: number,
  ): AsyncIterableIterator<QueryResult<R>> {
    const isAlone = !this.#inTransaction;
    // The reader of a stream may be slow; the limit on idle transactions is for those that hold locks.
    if (isAlone) await this.begin('begin read only; set local idle_in_transaction_session_timeout = 0');
    try {
      const cursor = `stream_${++this.#cursors}`;
      await this.#query({ text: `declare ${cursor} no scroll cursor for ${sql}`, values: [...parameters] });
      for (;;) {
        const { rows } = await this.#query<R>({ text: `fetch ${chunkSize} from ${cursor}` });
        if (rows.length > 0) yield { rows };
        if (rows.length < chunkSize) return;
      }
    } finally {
      if (isAlone) await this.rollback();
    }
  }

  /** Prepared once per connection: parsing and planning are half the cost of a short read. */
  async #run<R>(query: QueryConfig): Promise<Answer<R & object>> {
    const name = this.#plans.nameOf(query);
    try {
      return await this.#query<R>({ ...query, name });
    } catch (error) {
      // A statement outside a transaction can be retried alone.
      if (isContested(error) && !this.#inTransaction)
        return await retryContested(() => this.#query<R>(query));
      if (!isStalePlan(error)) throw error;
      this.#plans.forget();
      if (this.#inTransaction) throw new Failure('unavailable', 'The tables have just changed; try again.');
      return await this.#query<R>(query);
    }
  }

  /** One at a time: `pg` would queue them, but warns that this is deprecated. */
  async #query<R>(query: QueryConfig): Promise<Answer<R & object>> {
    const before = this.#before;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#before = promise;
    await before;
    try {
      return await this.#client.query<R & object>(query);
    } catch (error) {
      throw asStorageFailure(this.#lost ?? error);
    } finally {
      resolve();
    }
  }
}

const KEPT_PLANS = 300;

/** Names of prepared statements. The server keeps each as long as the connection, so their number is limited. */
class Plans {
  readonly #names = new Map<string, string>();
  #lastName = 0;

  nameOf({ text, values = [] }: QueryConfig): string | undefined {
    if (values.length === 0) return undefined;
    const name = this.#names.get(text);
    if (name || this.#names.size >= KEPT_PLANS) return name;
    this.#names.set(text, `plan_${++this.#lastName}`);
    return this.#names.get(text);
  }

  forget(): void {
    this.#names.clear();
  }
}

/** A plan for `select *` of a table that has a new column since. */
function isStalePlan(error: unknown): boolean {
  const { code, message } = error as Error & { code?: string };
  return code === '0A000' && message.includes('cached plan');
}
