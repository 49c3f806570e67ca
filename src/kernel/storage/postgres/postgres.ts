// The engine for several nodes: PostgreSQL through a pool, and LISTEN on a dedicated connection.
import { sql } from 'kysely';
import pg from 'pg';
import { Failure } from '../../failure.ts';
import { DurationHistogram } from '../../duration-histogram.ts';
import type { Engine, Log } from '../engine.ts';
import { asStorageFailure } from '../storage-failure.ts';
import type { Notification } from '../notify-on-commit.ts';
import { PostgresDriver, postgresDialect } from './postgres-dialect.ts';
import { PostgresListener } from './postgres-listener.ts';
import { RetryingKysely } from '../retry.ts';
import type { SqlStatement } from '../statement.ts';

export interface PostgresSettings {
  url: string;
  poolSize?: number;
  log?: Log;
}

/** As on SQLite: an idle transaction must not hold its locks for ever. */
const IDLE_MS = 10_000;
const CONNECT_MS = 10_000;
/** The payload of NOTIFY must be smaller. */
const PAYLOAD_BYTES = 8_000;

/** The pool or one of its connections. */
interface Sender {
  executeQuery(query: SqlStatement): Promise<unknown>;
}

export async function openPostgres({ url, poolSize = 10, log }: PostgresSettings): Promise<Engine> {
  const settings: pg.ClientConfig = {
    connectionString: url,
    application_name: 'signalbox',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    types: numbersAsNumbers(),
  };
  const pool = new pg.Pool({ ...settings, max: poolSize, pipeline: true });
  pool.on('error', (error) => log?.warn({ err: error }, 'an idle PostgreSQL connection was lost'));

  const schema = await firstContact(pool).catch(async (error: unknown) => {
    await pool.end();
    throw unusable(settings, error);
  });
  const listener = new PostgresListener(settings, schema, log);
  const statements = new DurationHistogram();
  const driver = new PostgresDriver(pool, { send, tellHere }, statements);
  const db = new RetryingKysely({ dialect: postgresDialect(driver) });
  let closing: Promise<unknown> | undefined;

  /** In one statement, which nothing depends on: a crash may lose it, so its commit does not wait for the disk. */
  async function send(sender: Sender, notifications: readonly Notification[]): Promise<void> {
    const channels = notifications.map(({ channel }) => listener.nameOf(channel));
    const payloads = notifications.map(({ payload = '' }) =>
      Buffer.byteLength(payload) < PAYLOAD_BYTES ? payload : '',
    );
    try {
      await sender.executeQuery(
        sql`
          select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
          from unnest(${channels}::text[], ${payloads}::text[]) as notice (channel, payload)`.compile(db),
      );
    } catch (error) {
      const channel = notifications.map((notification) => notification.channel).join(', ');
      log?.warn({ err: error, channel }, 'a notice could not be sent');
    }
  }

  /** Reads after its own commit must not find older data in a cache, and NOTIFY takes a while. */
  function tellHere(notifications: readonly Notification[]): void {
    for (const { channel, payload } of notifications) listener.notifyLocal(channel, payload);
  }

  return {
    kind: 'postgres',
    isShared: true,
    db,
    load: {
      statements,
      connections: () => ({
        open: pool.totalCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
      }),
    },
    batch: (batch) => driver.batch(batch),
    batchIf: (guards, batch, channels = []) =>
      driver.batchIf(
        guards,
        batch,
        channels.map((channel) => ({ channel, payload: undefined })),
      ),
    notify: (channel, payload) => send(db, [{ channel, payload }]),
    listen: (channel, onNotification) => listener.listen(channel, onNotification),
    async oldestTransaction() {
      const { rows } = await sql<{ oldest: number }>`
        select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest`.execute(db);
      return rows[0]!.oldest;
    },
    async ping() {
      await sql`select 1`.execute(db);
    },
    async close() {
      closing ??= Promise.all([listener.close(), pool.end()]);
      await closing;
    },
  };
}

/** Returns the schema of our tables: the first in `search_path` that exists. */
async function firstContact(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ schema: string | null }>('select current_schema() as schema');
  const schema = rows[0]?.schema;
  if (!schema) throw new Error('none of the schemas in search_path exists');
  return schema;
}

/** Counts and sums become numbers as on SQLite; pg returns them as text because they may not fit, and such values fail here. */
function numbersAsNumbers(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, (text) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is too large for a JavaScript number.`);
    return number;
  });
  types.setTypeParser(pg.types.builtins.NUMERIC, Number);
  return types;
}

/** One sentence with the remedy, and never the password. */
function unusable(settings: pg.ClientConfig, error: unknown): Failure {
  const { host, port, user, database } = new pg.Client(settings);
  const { code, message } = error as Error & { code?: string };
  const where = `PostgreSQL at ${host}:${port}`;
  const sentence =
    code === '28P01' || code === '28000'
      ? `${where} does not let in "${user}": check the user and password in the database URL.`
      : code === '3D000'
        ? `${where} has no database "${database}": create it, or correct the database URL.`
        : asStorageFailure(error) instanceof Failure
          ? `${where} does not answer: check that it is running there and that the database URL is right.`
          : `${where} cannot be used: ${message}.`;
  return new Failure('unavailable', sentence, { cause: error });
}
