// The commands that copy Actors and repositories from another server.
import { Argument, type Command } from 'commander';
import { addJson, explain, type End } from '../command-help.ts';
import type { Io } from '../io.ts';
import { globalSettingsOf } from '../settings.ts';

export function addImport(group: Command, io: Io, end: End): void {
  explain(group, [
    'import data box.export --data new --database postgres://user@localhost/box',
    'import actors --from-url https://api.example.com --dry-run',
    'import repo https://code.example.org/ann/shop.git',
  ]);
  addImportRepo(group, io, end);
  const actors = group
    .command('actors')
    .description(
      'Copy Actors, tasks, schedules, webhooks and named storages from another server of the Actors API; run again, it goes on',
    )
    .requiredOption('--from-url <url>', 'The server to copy from')
    .option('--token <token>', 'A token of the account there [APIFY_TOKEN, which other users cannot see]')
    .option(
      '--to-url <url>',
      'The server to copy to [SIGNALBOX_URL, default the one that runs on the data folder]',
    )
    .option(
      '--to-token <token>',
      'A token of the account there [SIGNALBOX_TOKEN, default one for the import alone]',
    )
    .option('--only <kinds>', 'What to copy, like actors,tasks,storages [default everything]')
    .option('--dry-run', 'Change nothing, and tell what would be done')
    .option('--overwrite', 'Replace what differs here [default it is kept and reported]')
    .option('--enable', 'Leave schedules and webhooks on that are on there [default all come switched off]')
    .option('--build', 'Build the Actors afterwards')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runImportActors } = await import('./actors/import-actors.ts');
      end(await runImportActors(settings, options, io));
    });
  addJson(actors);
  explain(
    actors,
    [
      'import actors --from-url https://api.example.com --dry-run',
      'import actors --from-url https://api.example.com --build',
      'import actors --from-url https://api.example.com --only actors,tasks',
    ],
    [
      'Progress goes to standard error, the summary to standard output.',
      'The exit code is 1 also when something was kept because it differs, and 130 after Ctrl+C.',
    ],
  );
}

function addImportRepo(group: Command, io: Io, end: End): void {
  const repo = group
    .command('repo')
    .description(
      'Copy a git repository elsewhere into a new repository: branches and tags, issues and pull requests',
    )
    .addArgument(new Argument('<url>', 'Where it can be cloned from, by https:// or http://'))
    .option('--name <name>', 'Its owner/name here, or its name alone [default its name there]')
    .option('--private', 'Make it private')
    .option('--token-env <variable>', 'The environment variable with a token for the other side')
    .option('--no-issues', 'Leave issues and pull requests behind')
    .option('--api-url <url>', 'Where the other side has its API [default /api/v3 of its host]')
    .option('--max-megabytes <number>', 'How much may be transferred at most [default 4096]')
    .option(
      '--allow-private',
      'Permit loopback and private addresses [SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS, default refused]',
    )
    .option(
      '--to-url <url>',
      'The server to copy to [SIGNALBOX_URL, default the one that runs on the data folder]',
    )
    .option(
      '--to-token <token>',
      'A token of the account there [SIGNALBOX_TOKEN, default one for the import alone]',
    )
    .action(async (url: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runImportRepo } = await import('./repository/import-repo.ts');
      end(await runImportRepo(settings, url, options, io));
    });
  addJson(repo);
  explain(
    repo,
    [
      'import repo https://code.example.org/ann/shop.git',
      'import repo https://code.example.org/ann/shop --name acme/shop --private --token-env CODE_TOKEN',
    ],
    [
      'Progress goes to standard error, the summary to standard output.',
      'An import that fails, or is ended by Ctrl+C (exit code 130), keeps nothing, until branches and tags are there. From then on, and after it was killed, it goes on when it is run again.',
    ],
  );
}
