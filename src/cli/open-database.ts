// Opens the database for a command, whether or not the server is running.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from '../app/apis.ts';
import { openEngine } from '../app/open-stores.ts';
import type { Config } from '../app/config.ts';
import { Failure } from '../kernel/failure.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { migrationStatus } from '../kernel/storage/migrate.ts';
import { maskPasswords } from './command-errors.ts';

/** Commands never create a database: only the server does. */
export function hasDatabase({ database, data }: Config): boolean {
  return database !== undefined || existsSync(join(data, 'signalbox.db'));
}

/** For people, with the password masked. */
export function describeDatabase({ database, data }: Config): string {
  return database === undefined
    ? `SQLite ${join(data, 'signalbox.db')}`
    : `PostgreSQL ${maskPasswords(database)}`;
}

export async function withDatabase<T>(config: Config, work: (engine: Engine) => Promise<T>): Promise<T> {
  if (!hasDatabase(config)) {
    throw new Failure(
      'not-found',
      `There is no database in ${config.data} yet: start the server there once, or name its folder with --data.`,
    );
  }
  const engine = await openEngine(config);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** Like `withDatabase`, but throws unless all migrations are applied. */
export function withMigratedDatabase<T>(config: Config, work: (engine: Engine) => Promise<T>): Promise<T> {
  return withDatabase(config, async (engine) => {
    const { pending, unknown } = await migrationStatus(engine, migrations);
    if (unknown.length > 0) {
      throw new Failure(
        'conflict',
        `The database is newer than this program, which does not know ${unknown.join(', ')}: update the program.`,
      );
    }
    if (pending.length > 0) {
      throw new Failure(
        'unavailable',
        `The database lacks ${pending.join(', ')}: start the server once to bring it up to date.`,
      );
    }
    return work(engine);
  });
}

export function loginUrl(publicUrl: string, secret: string): string {
  return `${publicUrl}/session/${secret}`;
}
