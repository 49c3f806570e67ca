// The commands about members: `member add|ls|set-role|reset-password|remove`. They work on the database, with or without a server, or on a server that is named.
import { Argument, Option, type Command } from 'commander';
import { addJson, explain, type End } from '../command-help.ts';
import type { Io } from '../io.ts';
import { addRemote, namesServer } from '../remote/remote-server.ts';
import { globalSettingsOf } from '../settings.ts';

const ROLES = ['reader', 'writer', 'admin', 'owner', 'no_access'];
const NAMED = 'They work on the database here, or with --url, --token or --profile on that server.';
const WHO = 'Username, e-mail address or id';

export function addMember(member: Command, io: Io, end: End): void {
  explain(
    member,
    ['member ls', 'member add ann@example.org --role writer', 'member ls --profile work'],
    [NAMED],
  );
  const add = member
    .command('add')
    .description('Add a member, and print a link that lets them in once, for a week')
    .addArgument(new Argument('<email>', 'Their e-mail address'))
    .addOption(
      new Option('--role <role>', 'What they may do')
        .choices(ROLES.filter((role) => role !== 'owner'))
        .default('reader'),
    )
    .option('--username <name>', 'What they are called [default from the address]')
    .option('--password-stdin', 'Read a password from standard input instead of making a link')
    .action(async (email: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      if (namesServer(options)) {
        const { runRemoteAdd } = await import('./remote-members.ts');
        return end(await runRemoteAdd(settings.config, email, options, io));
      }
      const { runMemberAdd } = await import('./member.ts');
      end(await runMemberAdd(settings, email, options, io));
    });
  addRemote(add);
  addJson(add);
  explain(add, ['member add ann@example.org', 'member add ann@example.org --role admin --username ann']);

  const ls = member
    .command('ls')
    .description('List the members')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      if (namesServer(options)) {
        const { runRemoteLs } = await import('./remote-members.ts');
        return end(await runRemoteLs(settings.config, options, io));
      }
      const { runMemberLs } = await import('./member.ts');
      end(await runMemberLs(settings, options, io));
    });
  addRemote(ls);
  addJson(ls);
  explain(ls, ['member ls', 'member ls --json']);

  const setRole = member
    .command('set-role')
    .description('Change what a member may do')
    .addArgument(new Argument('<member>', WHO))
    .addArgument(new Argument('<role>', 'The role').choices(ROLES))
    .action(async (name: string, role: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      if (namesServer(options)) {
        const { runRemoteSetRole } = await import('./remote-members.ts');
        return end(await runRemoteSetRole(settings.config, name, role, options, io));
      }
      const { runSetRole } = await import('./member.ts');
      end(await runSetRole(settings, name, role, io));
    });
  addRemote(setRole);
  explain(setRole, ['member set-role ann admin', 'member set-role ann@example.org no_access']);

  const reset = member
    .command('reset-password')
    .description(
      'End the password and the sessions of a member, and print a link that lets them in once, for a day',
    )
    .addArgument(new Argument('<member>', WHO))
    .option('--password-stdin', 'Read a new password from standard input instead of making a link')
    .action(async (name: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      if (namesServer(options)) {
        const { runRemoteReset } = await import('./remote-members.ts');
        return end(await runRemoteReset(settings.config, name, options, io));
      }
      const { runResetPassword } = await import('./member.ts');
      end(await runResetPassword(settings, name, options, io));
    });
  addRemote(reset);
  addJson(reset);
  explain(
    reset,
    ['member reset-password ann', 'member reset-password admin --password-stdin < password.txt'],
    ['Access tokens go on working: signalbox token ls shows them.'],
  );

  const remove = member
    .command('remove')
    .description('Remove a member, with their sessions and personal tokens')
    .addArgument(new Argument('<member>', WHO))
    .option('-y, --yes', 'Do not ask')
    .action(async (name: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      if (namesServer(options)) {
        const { runRemoteRemove } = await import('./remote-members.ts');
        return end(await runRemoteRemove(settings.config, name, options, io));
      }
      const { runMemberRemove } = await import('./member.ts');
      end(await runMemberRemove(settings, name, options, io));
    });
  addRemote(remove);
  explain(remove, ['member remove ann', 'member remove ann@example.org --yes']);
}
