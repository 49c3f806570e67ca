// Kysely's dialect for PostgreSQL with our own driver: statements that do not wait for each other, common failures, prepared statements, and streams.
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
import type { DurationHistogram } from '../../duration-histogram.ts';
import { Failure } from '../../failure.ts';
import { asStorageFailure } from '../storage-failure.ts';
import { takeNotifications, type Notification } from '../notify-on-commit.ts';
import { awaitAll } from '../execute-all.ts';
import { isContested, retryContested } from '../retry.ts';

/** How the notifications of a commit go out. */
export interface Notices {
  /** To all processes, on the given connection. It must not fail. */
  send(connection: DatabaseConnection, notifications: readonly Notification[]): Promise<void>;
  /** To this process directly. */
  tellHere(notifications: readonly Notification[]): void;
}

export function postgresDialect(driver: PostgresDriver): Dialect {
  return {
    createDriver: () => driver,
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

export class PostgresDriver implements Driver {
  readonly #pool: Pool;
  readonly #notices: Notices;
  readonly #statements: DurationHistogram;
  readonly #plans = new Plans();
  readonly #connections = new WeakMap<PoolClient, PostgresConnection>();

  constructor(pool: Pool, notices: Notices, statements: DurationHistogram) {
    this.#pool = pool;
    this.#notices = notices;
    this.#statements = statements;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw asStorageFailure(error);
    }
    const connection =
      this.#connections.get(client) ?? new PostgresConnection(client, this.#plans, this.#statements);
    this.#connections.set(client, connection);
    return connection;
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    const mode = settings.accessMode ? ` ${settings.accessMode}` : '';
    connection.begin(`begin${level}${mode}`);
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await this.#commit(connection, takeNotifications(connection));
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    takeNotifications(connection);
    await connection.rollback();
  }

  /** Begin, statements and commit are sent together. After a statement that fails PostgreSQL executes none, and the commit rolls back. */
  async batch(statements: readonly CompiledQuery[]): Promise<QueryResult<unknown>[]> {
    return await this.#with(async (connection) => {
      connection.begin('begin');
      const results = statements.map((statement) => connection.executeQuery(statement));
      // Throws the statement's error rather than that of the commit after it.
      await awaitAll([...results, connection.commit()]);
      return await Promise.all(results);
    });
  }

  /** The statements are sent with the guards, and undone where one of these has written nothing. */
  async batchIf(
    guards: readonly CompiledQuery[],
    statements: readonly CompiledQuery[],
    notifications: readonly Notification[],
  ): Promise<boolean> {
    return await this.#with(async (connection) => {
      connection.begin('begin');
      const guarding = guards.map((guard) => connection.executeQuery(guard));
      const others = awaitAll(statements.map((statement) => connection.executeQuery(statement)));
      const [ended, ...guarded] = await Promise.allSettled([others, ...guarding]);
      for (const guard of guarded) {
        if (guard.status === 'rejected') throw guard.reason;
        if (guard.value.numAffectedRows === 0n) {
          await connection.rollback();
          return false;
        }
      }
      if (ended.status === 'rejected') throw ended.reason;
      await this.#commit(connection, notifications);
      return true;
    });
  }

  /**
   * Others are notified after the commit, not in it: PostgreSQL serialises the commits of transactions that notify. The notices are
   * sent with it, and nobody waits for them: where the commit fails they say that something may have changed, and nothing has.
   */
  async #commit(connection: PostgresConnection, notifications: readonly Notification[]): Promise<void> {
    const committed = connection.commit();
    if (notifications.length > 0) void this.#notices.send(connection, notifications);
    await committed;
    this.#notices.tellHere(notifications);
  }

  async #with<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return await retryContested(async () => {
      const connection = await this.acquireConnection();
      try {
        return await work(connection);
      } finally {
        await connection.rollback();
        await this.releaseConnection(connection);
      }
    });
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #plans: Plans;
  readonly #statements: DurationHistogram;
  #inTransaction = false;
  /** The error that broke the connection; later queries only report that it is closed. */
  #lost: Error | undefined;
  #cursors = 0;
  /** Begins the transaction, with its first statement. */
  #beginning: string | undefined;
  #isCollecting = false;

  constructor(client: PoolClient, plans: Plans, statements: DurationHistogram) {
    this.#client = client;
    this.#plans = plans;
    this.#statements = statements;
    // Without a listener this event would end the process.
    client.on('error', (error) => (this.#lost ??= error));
  }

  release(): void {
    this.#client.release(this.#lost !== undefined);
  }

  /** Sends nothing: `statement` goes out with the first one of the transaction. */
  begin(statement: string): void {
    this.#beginning = statement;
    this.#inTransaction = true;
  }

  async commit(): Promise<void> {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    if (this.#takeBeginning() !== undefined) return;
    const { command } = await this.#query({ text: 'commit' });
    // PostgreSQL answers COMMIT so if a statement of the transaction has failed, even if the caller caught the error.
    if (command === 'ROLLBACK')
      throw new Error('A statement of this transaction has failed; it was rolled back.');
  }

  /** Never fails, so as not to hide the error that caused it. A connection that cannot roll back is discarded. */
  async rollback(): Promise<void> {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    if (this.#takeBeginning() !== undefined) return;
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
    if (isAlone) this.begin('begin read only; set local idle_in_transaction_session_timeout = 0');
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

  /** Does not wait for those before it, and is executed after them. */
  async #query<R>(query: QueryConfig): Promise<Answer<R & object>> {
    this.#collect();
    const beginning = this.#takeBeginning();
    const begun = beginning === undefined ? undefined : this.#client.query(beginning);
    // Where it fails the statement fails as well, and is waited for first.
    begun?.catch(() => {});
    const sentAt = performance.now();
    try {
      const answer = await this.#client.query<R & object>(query);
      await begun;
      return answer;
    } catch (error) {
      throw asStorageFailure(this.#lost ?? error);
    } finally {
      this.#statements.observe((performance.now() - sentAt) / 1000);
    }
  }

  /** What is sent before the event loop goes on becomes one write to the socket. */
  #collect(): void {
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCollecting = false;
      stream.uncork();
    });
  }

  #takeBeginning(): string | undefined {
    const beginning = this.#beginning;
    this.#beginning = undefined;
    return beginning;
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
