// The commands `migrate status`, `migrate plan` and `migrate up`.
import { migrations } from '../app/apis.ts';
import { openOwnEngine } from '../app/open-stores.ts';
import type { LoadedSettings } from '../app/read-settings.ts';
import { planUpgrade, upgradeDatabase, type UpgradePlan } from '../app/upgrade.ts';
import { systemClock } from '../kernel/clock.ts';
import { Failure } from '../kernel/failure.ts';
import { createLog } from '../kernel/observability/log.ts';
import { migrationStatus } from '../kernel/storage/migrate.ts';
import { EXIT } from './command-errors.ts';
import { printJson, wantsJson, type Io, alignTable } from './io.ts';
import { hasDatabase, withDatabase } from './open-database.ts';

interface MigrateOptions {
  json?: boolean;
  sql?: boolean;
}

export async function runMigrateStatus(
  { config }: LoadedSettings,
  options: MigrateOptions,
  io: Io,
): Promise<number> {
  const { applied, pending, unknown, release, refusal } = await withDatabase(config, (engine) =>
    migrationStatus(engine, migrations),
  );
  const done = applied.map(({ appliedAt, ...rest }) => ({
    ...rest,
    appliedAt: new Date(appliedAt).toISOString(),
  }));
  const unknownNames = unknown.map(({ name }) => name);
  if (wantsJson(options, io)) {
    printJson(io, {
      release: release ?? null,
      applied: done,
      pending,
      unknown: unknownNames,
      refusal: refusal ?? null,
    });
    return EXIT.good;
  }
  const rows = [
    ...done.map(({ name, release: of = '', kind = '', appliedAt }) => [
      name,
      of,
      kind,
      unknownNames.includes(name) ? 'unknown' : 'applied',
      appliedAt,
    ]),
    ...pending.map((name) => [
      name,
      migrations.find((one) => one.name === name)?.release ?? '',
      '',
      'pending',
      '',
    ]),
  ];
  io.out(alignTable(['Migration', 'Release', 'Kind', 'State', 'Applied'], rows));
  if (pending.length > 0)
    io.out(`\nThe server applies what is pending when it starts. What that does: ${io.program} migrate plan`);
  if (refusal !== undefined) io.out(`\n${refusal}`);
  return EXIT.good;
}

/** Changes nothing. */
export async function runMigratePlan(
  { config }: LoadedSettings,
  options: MigrateOptions,
  io: Io,
): Promise<number> {
  const plan = await withDatabase(config, planUpgrade);
  if (wantsJson(options, io)) printJson(io, plan);
  else io.out(describePlan(plan, options.sql === true));
  return plan.refusal === undefined ? EXIT.good : EXIT.failed;
}

function describePlan({ from, to, refusal, pending }: UpgradePlan, withStatements: boolean): string {
  if (refusal !== undefined) return refusal;
  if (pending.length === 0) return `The database has everything that release ${to} needs.`;
  const rows = pending.map(({ name, release = '', kind, changesData }) => [
    name,
    release,
    kind,
    changesData ? 'changes rows' : 'adds only',
  ]);
  const contracts = pending.filter(({ kind }) => kind === 'contract').length;
  return [
    `From ${from ?? 'an empty database'} to ${to}, ${pending.length} migrations, all or none:`,
    '',
    withStatements
      ? pending.map(({ name, statements }) => [`-- ${name}`, ...statements].join('\n')).join('\n\n')
      : alignTable(['Migration', 'Release', 'Kind', 'Rows'], rows),
    '',
    contracts === 0
      ? 'Nodes of the release before can go on beside it.'
      : `${contracts} of them take something away: stop nodes of the release before first.`,
  ].join('\n');
}

/** What the start of a server does, without the server. */
export async function runMigrateUp(
  { config }: LoadedSettings,
  options: MigrateOptions,
  io: Io,
): Promise<number> {
  if (!hasDatabase(config))
    throw new Failure('not-found', `There is no database in ${config.data} yet: the first start makes it.`);
  const isJson = wantsJson(options, io);
  const log = createLog('warn', io.isTerminal);
  const engine = await openOwnEngine(config, log);
  try {
    const say = (_facts: unknown, text?: string) => {
      io.err(text ?? String(_facts));
    };
    const { from, to, pending } = await upgradeDatabase(engine, config, {
      clock: systemClock,
      log: { info: say, warn: say },
      program: io.program,
    });
    if (isJson) printJson(io, { from: from ?? null, to, applied: pending.map(({ name }) => name) });
    else if (pending.length === 0) io.out(`The database has everything that release ${to} needs.`);
    return EXIT.good;
  } finally {
    await engine.close();
  }
}
