// The default engine: one SQLite file, written by one thread and read by another; reads by key need none.
import { dirname, resolve } from 'node:path';
import { sql } from 'kysely';
import { Failure } from '../../failure.ts';
import type { Engine, Log } from '../engine.ts';
import { Listeners } from '../listeners.ts';
import { keepPrivate, createPrivateFile, createPrivateFolder } from '../disk/private-files.ts';
import { RetryingKysely } from '../retry.ts';
import { TableChanges } from '../table-changes.ts';
import { StorageThread } from './sqlite-client.ts';
import { SqliteDriver, sqliteProps } from './sqlite-dialect.ts';
import { KeptResults } from './kept-results.ts';
import { KeyReads } from './sqlite-key-reads.ts';

export interface SqliteSettings {
  file: string;
  log?: Log;
}

export async function openSqlite(settings: SqliteSettings): Promise<Engine> {
  const file = resolve(settings.file);
  const { log } = settings;
  const reader = new StorageThread({ file, access: 'read' }, log);
  const writer = await startWriter(file, log).catch(async (error: unknown) => {
    await reader.close();
    throw unusable(file, error);
  });
  await reader.started();

  const listeners = new Listeners(log);
  const tableChanges = new TableChanges();
  const driver = new SqliteDriver(
    { writer, reader, keyReads: new KeyReads(file), keptResults: new KeptResults(tableChanges) },
    (channel, payload) => listeners.notify(channel, payload),
  );
  const db = new RetryingKysely(sqliteProps(driver));
  writer.onWritten = (tables) => tableChanges.record(tables);
  writer.onChange = () => {
    tableChanges.recordAll();
    listeners.notifyAll();
  };
  let closing: Promise<void> | undefined;

  return {
    kind: 'sqlite',
    isShared: false,
    db,
    load: { statements: driver.statements },
    tableChanges,
    batch: (statements) => driver.batch(statements),
    async batchIf(guards, statements, channels = []) {
      const isDone = await driver.batchIf(guards, statements);
      if (isDone) for (const channel of channels) listeners.notify(channel, undefined);
      return isDone;
    },
    notify: async (channel, payload) => listeners.notify(channel, payload || undefined),
    listen: async (channel, listener) => listeners.add(channel, listener),
    oldestTransaction: async () => undefined,
    ping: async () => {
      // What is not a select goes to the writer.
      await Promise.all([sql`values (1)`.execute(db), sql`select 1`.execute(db)]);
    },
    close: () => (closing ??= driver.destroy()),
  };
}

async function startWriter(file: string, log: Log | undefined): Promise<StorageThread> {
  createPrivateFolder(dirname(file));
  // SQLite creates the files beside it with the same mode.
  createPrivateFile(file);
  keepPrivate(file, `${file}-wal`, `${file}-shm`);
  const writer = new StorageThread({ file, access: 'write' }, log);
  await writer.started();
  return writer;
}

function unusable(file: string, error: unknown): Failure {
  const { errcode, message } = error as Error & { errcode?: number };
  const advice =
    errcode === 26
      ? 'it is not a SQLite database; move it away or choose another data folder.'
      : errcode === 5
        ? 'another program keeps it locked; stop that one first.'
        : `${message}; check that there is space, and that the user who runs this program may write there.`;
  return new Failure('unavailable', `Cannot open the database ${file}: ${advice}`, { cause: error });
}
