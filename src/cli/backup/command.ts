// The commands `backup`, `backup verify`, `restore` and `resume`.
import { Argument, type Command } from 'commander';
import { addJson, explain, type End } from '../command-help.ts';
import type { Io } from '../io.ts';
import { globalSettingsOf } from '../settings.ts';

const ENCRYPTED =
  'The passphrase is read from SIGNALBOX_BACKUP_PASSPHRASE or from a file, at least 12 characters.';

export function addBackup(program: Command, io: Io, end: End): void {
  const backup = program
    .command('backup')
    .summary('Copy everything, while the server runs')
    .description('Copy everything into a file or a folder, while the server runs')
    .addArgument(
      new Argument(
        '[to]',
        'A file, - for standard output, or a folder (ends with /) or s3://… that gets only what it lacks',
      ),
    )
    .option('--encrypt', 'Encrypt it with a passphrase; the secret key then goes along')
    .option('--passphrase-file <file>', 'Encrypt it with the passphrase in this file')
    .option('--with-secret-key', 'Put the secret key into it, also where it is not encrypted')
    .action(async (to: string | undefined, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runBackup } = await import('./create-backup.ts');
      end(await runBackup(settings, to, options, io));
    });
  addJson(backup);
  explain(
    backup,
    ['backup', 'backup /backups/', 'backup --encrypt box.backup', 'backup - | ssh vault "cat > box.backup"'],
    [ENCRYPTED],
  );
  const verify = backup
    .command('verify')
    .description('Read every byte of a backup, and name what is broken')
    .addArgument(new Argument('<from>', 'The file, the folder, or s3://…'))
    .option('--backup <id>', 'Which one of a folder [default the newest]')
    .option('--passphrase-file <file>', 'Where the passphrase is')
    .action(async (from: string, _options, command: Command) => {
      const { runBackupVerify } = await import('./verify-backup.ts');
      end(await runBackupVerify(globalSettingsOf(command, io), from, command.optsWithGlobals(), io));
    });
  addJson(verify);
  explain(verify, ['backup verify box.backup', 'backup verify /backups/'], [ENCRYPTED]);
}

export function addRestore(program: Command, io: Io, end: End): void {
  const restore = program
    .command('restore')
    .summary('Put a backup into an empty place')
    .description('Put a backup into an empty data folder or database; the server then starts paused')
    .addArgument(new Argument('<from>', 'The file, the folder, or s3://…'))
    .option('--dry-run', 'Change nothing, and tell what would be done')
    .option('--backup <id>', 'Which one of a folder [default the newest]')
    .option('--passphrase-file <file>', 'Where the passphrase is')
    .action(async (from: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runRestore } = await import('./restore-backup.ts');
      end(await runRestore(settings, from, options, io));
    });
  addJson(restore);
  explain(
    restore,
    [
      'restore box.backup --data /var/lib/signalbox',
      'restore /backups/ --database postgres://user@localhost/new',
    ],
    [ENCRYPTED, 'It may come from either database and go to the other.'],
  );
  const resume = program
    .command('resume')
    .summary('Let a restored server do what waits')
    .description('Let a restored server do what waits: schedules, runs, webhooks')
    .action(async (_options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runResume } = await import('./restore-backup.ts');
      end(await runResume(settings, io));
    });
  explain(resume, ['resume']);
}
