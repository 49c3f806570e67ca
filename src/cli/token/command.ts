// The commands about access tokens: `token create|ls|revoke`. They work on the database, or on a server that is named.
import { Argument, Option, type Command } from 'commander';
import { addJson, explain, type End } from '../command-help.ts';
import type { Io } from '../io.ts';
import { addRemote, namesServer } from '../remote/remote-server.ts';
import { globalSettingsOf } from '../settings.ts';

export function addToken(token: Command, io: Io, end: End): void {
  explain(
    token,
    ['token create', 'token ls', 'token revoke x7Qa --profile work'],
    ['They work on the database here, or with --url, --token or --profile on that server.'],
  );
  const create = token
    .command('create')
    .description('Make an access token and print it, once')
    .option('--name <name>', 'What it is for', 'command line')
    .option('--member <username>', 'Whose it is [default admin; on another server whose token calls]')
    .addOption(
      new Option('--role <role>', 'What it may do [default what its member may]').choices([
        'reader',
        'writer',
        'admin',
        'owner',
      ]),
    )
    .addOption(
      new Option('--policy <file>', 'What it may do, as a JSON file of statements').conflicts('role'),
    )
    .option('--service', "Keep it working when its member's role changes")
    .option('--expires <span>', 'How long it works, like 12h or 30d [default for ever]')
    .option('--json', 'Print JSON')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      if (namesServer(options)) {
        const { runRemoteCreate } = await import('./remote-tokens.ts');
        return end(await runRemoteCreate(settings.config, options, io));
      }
      const { runTokenCreate } = await import('./token-create.ts');
      end(await runTokenCreate(settings, options, io));
    });
  addRemote(create);
  explain(
    create,
    [
      'token create',
      'token create --name ci --role writer --expires 30d',
      'token create --service --policy ci.json',
    ],
    ['The token alone goes to standard output: TOKEN=$(signalbox token create)'],
  );

  const ls = token
    .command('ls')
    .description('List the access tokens')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      if (namesServer(options)) {
        const { runRemoteTokens } = await import('./remote-tokens.ts');
        return end(await runRemoteTokens(settings.config, options, io));
      }
      const { runTokenLs } = await import('./token.ts');
      end(await runTokenLs(settings, options, io));
    });
  addRemote(ls);
  addJson(ls);
  explain(ls, ['token ls', 'token ls --json']);

  const revoke = token
    .command('revoke')
    .description('End an access token')
    .addArgument(new Argument('<token>', 'Its id, or its last four characters'))
    .option('-y, --yes', 'Do not ask')
    .action(async (name: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      if (namesServer(options)) {
        const { runRemoteRevoke } = await import('./remote-tokens.ts');
        return end(await runRemoteRevoke(settings.config, name, options, io));
      }
      const { runTokenRevoke } = await import('./token.ts');
      end(await runTokenRevoke(settings, name, options, io));
    });
  addRemote(revoke);
  explain(revoke, ['token revoke x7Qa', 'token revoke 69184c2e5f0d3b7a91c4e86d --yes']);
}
