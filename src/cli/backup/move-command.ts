// The commands `export` and `import data`: all data out of one database and into another, such as from SQLite to PostgreSQL.
import { Argument, type Command } from 'commander';
import { addJson, explain, type End } from '../command-help.ts';
import type { Io } from '../io.ts';
import { globalSettingsOf } from '../settings.ts';

const STEPS = 'Stop the old server first: what it writes after the export stays behind.';

/** Returns the group `import`, which has further commands. */
export function addMoves(program: Command, io: Io, end: End): Command {
  const out = program
    .command('export')
    .summary('Write all data into a file, to go on elsewhere')
    .description('Write all data into a file that either database can be filled from')
    .addArgument(new Argument('[to]', 'A file, or - for standard output'))
    .option('--encrypt', 'Encrypt it with a passphrase; the secret key then goes along')
    .option('--passphrase-file <file>', 'Encrypt it with the passphrase in this file')
    .option('--with-secret-key', 'Put the secret key into it, also where it is not encrypted')
    .action(async (to: string | undefined, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runExport } = await import('./export-data.ts');
      end(await runExport(settings, to, options, io));
    });
  addJson(out);
  explain(
    out,
    ['export box.export', 'export --encrypt box.export'],
    [STEPS, 'It is a backup: signalbox backup verify checks it, and signalbox restore takes it, too.'],
  );
  const group = program.command('import').description('Data of another database or another server');
  const data = group
    .command('data')
    .description('Fill an empty data folder or database with an export, and compare counts and checksums')
    .addArgument(new Argument('<from>', 'The file of an export, or a backup'))
    .option('--dry-run', 'Change nothing, and tell what would be done')
    .option('--resume', 'Let the server go on at once: the one that the data is from is gone')
    .option('--backup <id>', 'Which one of a folder of backups [default the newest]')
    .option('--passphrase-file <file>', 'Where the passphrase is')
    .action(async (from: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runRestore } = await import('./restore-backup.ts');
      end(await runRestore(settings, from, { ...options, compare: true }, io));
    });
  addJson(data);
  explain(
    data,
    [
      'import data box.export --data new --database postgres://user@localhost/box',
      'import data box.export --data new --resume',
    ],
    [STEPS, 'It is there as a whole or not at all. One that was interrupted says how it goes on.'],
  );
  return group;
}
