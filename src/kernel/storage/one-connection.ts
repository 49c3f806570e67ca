// Handles of the database whose statements go over one connection and do not wait for each other: on PostgreSQL, those that are asked for together are one round trip.
import {
  DummyDriver,
  Kysely,
  Transaction,
  type DatabaseConnection,
  type Dialect,
  type KyselyProps,
} from 'kysely';
import type { Db, Tables } from './tables.ts';

/** For reads that do not depend on each other, with `awaitAll`. Outside of a transaction each would otherwise have a connection of its own. */
export async function onOneConnection<T>(db: Db, read: (db: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return await read(db);
  return await db
    .getExecutor()
    .provideConnection((connection) => read(new Kysely<Tables>(propsFor(db, connection))));
}

/** Kysely lets each statement of a transaction wait for the one before. The engines keep the order themselves. */
export async function withoutTurns(tx: Transaction<Tables>): Promise<Transaction<Tables>> {
  const connection = await tx.getExecutor().provideConnection(async (held) => held);
  return new Transaction<Tables>(propsFor(tx, connection));
}

/** Begins none, as its connection is that of another handle. */
class BoundDriver extends DummyDriver {
  override async beginTransaction(): Promise<void> {
    throw new Error('Begin transactions on the database, not on one connection of it.');
  }
}

const driver = new BoundDriver();
/** Kysely asks only new databases for it. */
const dialect = { createDriver: () => driver } as unknown as Dialect;

function propsFor(db: Db, connection: DatabaseConnection): KyselyProps {
  const executor = db.getExecutor().withConnectionProvider({ provideConnection: (use) => use(connection) });
  return { config: { dialect }, dialect, driver, executor };
}
