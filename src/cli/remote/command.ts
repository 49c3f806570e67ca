// The commands that call a server, here or elsewhere: `logs`, `runs`, `flags` and `profile`.
import { Argument, type Command } from 'commander';
import { addJson, explain, type End } from '../command-help.ts';
import type { Io } from '../io.ts';
import { globalSettingsOf } from '../settings.ts';
import { addRemote } from './remote-server.ts';

export function addFlags(flags: Command, io: Io, end: End): void {
  explain(flags, ['flags toggle shop/new-checkout --env production --on']);
  const toggle = flags
    .command('toggle')
    .description('Turn a flag on or off in an environment')
    .addArgument(new Argument('<flag>', 'Like project/flag'))
    .requiredOption('--env <environment>', 'The key of the environment')
    .option('--on', 'Turn it on [default the opposite of what it is]')
    .option('--off', 'Turn it off')
    .option('--comment <text>', 'What the audit log says')
    .action(async (flag: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runToggleFlag } = await import('./toggle-flag.ts');
      end(await runToggleFlag(settings, flag, options, io));
    });
  addRemote(toggle);
  addJson(toggle);
  explain(toggle, [
    'flags toggle shop/new-checkout --env test',
    'flags toggle shop/new-checkout --env production --off --comment "errors in the cart"',
  ]);
}

export function addRuns(runs: Command, io: Io, end: End): void {
  explain(runs, ['runs wait HG7ML7M8z78YcAPEB']);
  const wait = runs
    .command('wait')
    .description('Wait until a run has ended')
    .addArgument(new Argument('<run>', 'Its id'))
    .option('--timeout <span>', 'How long to wait, like 10m [default as long as it takes]')
    .action(async (id: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runRunsWait } = await import('./run-logs.ts');
      end(await runRunsWait(settings, id, options, io));
    });
  addRemote(wait);
  addJson(wait);
  explain(
    wait,
    ['runs wait HG7ML7M8z78YcAPEB', 'runs wait HG7ML7M8z78YcAPEB --timeout 10m'],
    [
      'The exit code is 0 if it succeeded, 1 if it ended otherwise, and 3 if the time is over and it goes on.',
    ],
  );
}

export function addLogs(program: Command, io: Io, end: End): void {
  const logs = program
    .command('logs')
    .description('Print the log of a run')
    .addArgument(new Argument('<run>', 'Its id'))
    .option('-f, --follow', 'Go on until the run has ended')
    .option('--tail <lines>', 'Only the last lines, so many')
    .option('--level <levels>', 'Only lines of these levels, like warn,error')
    .option('--build', 'The id is that of a build')
    .action(async (id: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runLogs } = await import('./run-logs.ts');
      end(await runLogs(settings, id, options, io));
    });
  addRemote(logs);
  explain(logs, [
    'logs HG7ML7M8z78YcAPEB',
    'logs -f HG7ML7M8z78YcAPEB',
    'logs --tail 100 --level error HG7ML7M8z78YcAPEB',
  ]);
}

export function addProfile(profile: Command, io: Io, end: End): void {
  explain(
    profile,
    ['profile save work --url https://box.example.org', 'profile use work'],
    ['They are kept with their tokens in a file that only you can read.'],
  );
  const save = profile
    .command('save')
    .description('Save a server and a token by a name')
    .addArgument(new Argument('<name>', 'What it is called here'))
    .option('--url <url>', 'The server [SIGNALBOX_URL]')
    .option('--token <token>', 'A token there [SIGNALBOX_TOKEN, default standard input]')
    .action(async (name: string, options) => {
      const { runProfileSave } = await import('./save-profile.ts');
      end(await runProfileSave(name, options, io));
    });
  explain(save, ['profile save work --url https://box.example.org < token.txt']);
  const ls = profile
    .command('ls')
    .description('List the saved servers')
    .action(async (options) => {
      const { runProfileLs } = await import('./save-profile.ts');
      end(runProfileLs(options, io));
    });
  addJson(ls);
  explain(ls, ['profile ls']);
  const use = profile
    .command('use')
    .description('Send commands to a saved server')
    .addArgument(new Argument('<name>', 'What it is called'))
    .action(async (name: string) => {
      const { runProfileUse } = await import('./save-profile.ts');
      end(runProfileUse(name, io));
    });
  explain(use, ['profile use work']);
  const remove = profile
    .command('remove')
    .description('Forget a saved server and its token')
    .addArgument(new Argument('<name>', 'What it is called'))
    .action(async (name: string) => {
      const { runProfileRemove } = await import('./save-profile.ts');
      end(runProfileRemove(name, io));
    });
  explain(remove, ['profile remove work']);
}
