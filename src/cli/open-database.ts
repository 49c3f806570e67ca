// Opens the database for a command, whether or not the server is running.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from '../app/apis.ts';
import { refuseHalfRestored } from '../app/backup/half-restored.ts';
import { openEngine } from '../app/open-stores.ts';
import type { Config } from '../app/config.ts';
import { RELEASE } from '../app/release.ts';
import { Failure } from '../kernel/failure.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { migrationStatus } from '../kernel/storage/migrate.ts';
import { maskPasswords } from '../kernel/text/mask-passwords.ts';
import { STARTED_AS } from './io.ts';

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

export function refuseHalf({ data }: Config): void {
  refuseHalfRestored(data, process.env[STARTED_AS] ?? 'signalbox');
}

export async function withDatabase<T>(config: Config, work: (engine: Engine) => Promise<T>): Promise<T> {
  refuseHalf(config);
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
    const { applied, pending, refusal, release } = await migrationStatus(engine, migrations);
    if (refusal !== undefined) throw new Failure('conflict', refusal);
    if (applied.length === 0)
      throw new Failure('unavailable', 'The database is empty: start the server once, or use migrate up.');
    if (pending.length > 0) {
      throw new Failure(
        'unavailable',
        `The database is of release ${release ?? 'none'}, and lacks ${pending.length} migrations of ${RELEASE}: start the server once to bring it up to date, or use migrate up.`,
      );
    }
    return work(engine);
  });
}

export function loginUrl(publicUrl: string, secret: string): string {
  return `${publicUrl}/session/${secret}`;
}
