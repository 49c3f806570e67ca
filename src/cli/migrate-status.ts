// The command `migrate status`: the migrations that are applied, and those that are pending.
import { migrations } from '../app/apis.ts';
import type { LoadedSettings } from '../app/read-settings.ts';
import { migrationStatus } from '../kernel/storage/migrate.ts';
import { EXIT } from './command-errors.ts';
import { printJson, wantsJson, type Io, alignTable } from './io.ts';
import { withDatabase } from './open-database.ts';

export async function runMigrateStatus(
  { config }: LoadedSettings,
  options: { json?: boolean },
  io: Io,
): Promise<number> {
  const { applied, pending, unknown } = await withDatabase(config, (engine) =>
    migrationStatus(engine, migrations),
  );
  const done = applied.map(({ name, appliedAt }) => ({ name, appliedAt: new Date(appliedAt).toISOString() }));
  if (wantsJson(options, io)) {
    printJson(io, { applied: done, pending, unknown });
    return EXIT.good;
  }
  const rows = [
    ...done.map(({ name, appliedAt }) => [name, unknown.includes(name) ? 'unknown' : 'applied', appliedAt]),
    ...pending.map((name) => [name, 'pending', '']),
  ];
  io.out(alignTable(['Migration', 'State', 'Applied'], rows));
  if (pending.length > 0) io.out('\nThe server applies what is pending when it starts.');
  if (unknown.length > 0) io.out('\nThe database is newer than this program: update the program.');
  return EXIT.good;
}
