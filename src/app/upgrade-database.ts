// Brings the database to this release at start, and logs how many migrations that took, and how long.
import type { Logger } from '../kernel/observability/log.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import { migrate, migrationStatus, type Migration } from '../kernel/storage/migrate.ts';
import { RELEASE } from './release.ts';

export async function upgradeDatabase(
  engine: Engine,
  migrations: readonly Migration[],
  { clock, log }: { clock: Clock; log: Logger },
): Promise<void> {
  const { applied, pending } = await migrationStatus(engine, migrations);
  const isUpgrade = applied.length > 0 && pending.length > 0;
  // A large database takes a while, in which the server does not listen.
  if (isUpgrade) log.info({ migrations: pending.length }, `upgrading the database to ${RELEASE}`);
  const begun = performance.now();
  const { length } = await migrate(engine, migrations, clock.now());
  const ms = Math.round(performance.now() - begun);
  if (isUpgrade) log.info({ migrations: length, ms }, 'database upgraded');
}
