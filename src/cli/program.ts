// The command line: parses the arguments, and runs the command that they name.
import { Argument, Command, Option } from 'commander';
import { RELEASE } from '../app/release.ts';
import { describeWrongUse, reportError, EXIT, maskPasswords } from './command-errors.ts';
import { addJson, explain, type End } from './command-help.ts';
import { addImport } from './import/command.ts';
import type { Io } from './io.ts';
import { addGlobalFlags, addSettingFlags, globalSettingsOf, settingsOf } from './settings.ts';

/** Runs one command and returns the exit code. The commands themselves are loaded only when they run. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.good;
  const program = createProgram(io, (result) => (code = result));
  try {
    await program.parseAsync(namesCommand(argv, program) ? argv : ['serve', ...argv], { from: 'user' });
    return code;
  } catch (error) {
    return reportError(error, argv, io);
  }
}

/** Without a command name the arguments are settings of `serve`. */
function namesCommand(argv: readonly string[], { commands, options }: Command): boolean {
  const words = ['help', '--help', '-h', '--version', '-V', ...commands.map((command) => command.name())];
  const takesValue = (flag = '') => options.some(({ long, required }) => long === flag && required);
  const hasWord = argv.some((word, index) => words.includes(word) && !takesValue(argv[index - 1]));
  return hasWord || (argv.length > 0 && !argv[0]!.startsWith('-'));
}

function createProgram(io: Io, end: End): Command {
  const program = new Command(io.program)
    .description('A self-hosted server for feature flags, scraping and automation, and code hosting.')
    .version(RELEASE, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Explain a command')
    .helpCommand('help [command]', 'Explain a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(maskPasswords(text.trimEnd())),
      outputError: (complaint, write) => write(describeWrongUse(complaint, io)),
    })
    .exitOverride();
  explain(program, ['serve', 'status', 'token create --name ci --role writer --expires 30d']);
  addGlobalFlags(program);

  addServe(program, io, end);
  addStatus(program, io, end);
  addToken(program.command('token').description('Access tokens'), io, end);
  addMigrate(program.command('migrate').description('Changes to the database'), io, end);
  addDoctor(program, io, end);
  addImport(program.command('import').description('Data of another server'), io, end);
  addApi(program.command('api').description('Descriptions of the APIs'), io, end);
  addConfig(program.command('config').description('Settings'), io, end);
  return program;
}

function addServe(program: Command, io: Io, end: End): void {
  const serve = program
    .command('serve')
    .description('Start the server')
    .action(async (_options, command: Command) => {
      const settings = settingsOf(command, io);
      const { runServe } = await import('./serve.ts');
      end(await runServe(settings, io));
    });
  addSettingFlags(serve);
  explain(
    serve,
    [
      'serve',
      'serve --port 9000 --data /var/lib/signalbox',
      'serve --host 0.0.0.0 --public-url https://box.example.org',
      'serve --database postgres://user@localhost/signalbox',
    ],
    [
      'SIGINT (Ctrl+C), SIGTERM and SIGHUP stop it in good order, a second one at once (exit code 128 + signal).',
      'SIGUSR2 turns debug logging on and off.',
    ],
  );
}

function addStatus(program: Command, io: Io, end: End): void {
  const status = program
    .command('status')
    .description('Tell whether a server runs on this data, and where it is')
    .option('--login', 'Make a link that logs the administrator in, once, for 15 minutes')
    .option('--env', 'Print shell lines that point clients to this server')
    .option('--url', 'Print only its URL')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runStatus } = await import('./status.ts');
      end(await runStatus(settings, options, io));
    });
  addJson(status);
  explain(
    status,
    ['status', 'status --login', 'status --json', 'status --env > box.env'],
    ['A server that is down is an answer, not a failure: the exit code is 0.'],
  );
}

function addToken(token: Command, io: Io, end: End): void {
  explain(token, ['token create', 'token ls', 'token revoke x7Qa']);
  const create = token
    .command('create')
    .description('Make an access token and print it, once')
    .option('--name <name>', 'What it is for', 'command line')
    .option('--member <username>', 'Whose it is [default admin]')
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
      const { runTokenCreate } = await import('./token-create.ts');
      end(await runTokenCreate(settings, options, io));
    });
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
      const { runTokenLs } = await import('./token.ts');
      end(await runTokenLs(settings, options, io));
    });
  addJson(ls);
  explain(ls, ['token ls', 'token ls --json']);

  const revoke = token
    .command('revoke')
    .description('End an access token')
    .addArgument(new Argument('<token>', 'Its id, or its last four characters'))
    .option('-y, --yes', 'Do not ask')
    .action(async (name: string, options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runTokenRevoke } = await import('./token.ts');
      end(await runTokenRevoke(settings, name, options, io));
    });
  explain(revoke, ['token revoke x7Qa', 'token revoke 69184c2e5f0d3b7a91c4e86d --yes']);
}

function addMigrate(migrate: Command, io: Io, end: End): void {
  explain(migrate, ['migrate status']);
  const status = migrate
    .command('status')
    .description('Tell what has been done to the database and what is pending; changes nothing')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runMigrateStatus } = await import('./migrate-status.ts');
      end(await runMigrateStatus(settings, options, io));
    });
  addJson(status);
  explain(status, ['migrate status', 'migrate status --json']);
}

function addDoctor(program: Command, io: Io, end: End): void {
  const doctor = program
    .command('doctor')
    .description('Check what the server stands on')
    .option('--fix', 'Repair what can be repaired without a risk')
    .option('--repositories', 'Check every object of every repository too, which takes long')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runDoctor } = await import('./doctor/doctor.ts');
      end(await runDoctor(settings, options, io));
    });
  addJson(doctor);
  explain(
    doctor,
    ['doctor', 'doctor --fix', 'doctor --repositories', 'doctor --json'],
    ['The exit code is 1 if a check failed.'],
  );
}

function addApi(api: Command, io: Io, end: End): void {
  explain(api, ['api diff old.json new.json', 'api impact --to 2026-03-10']);
  const diff = api
    .command('diff')
    .description('Compare two OpenAPI documents; fails when the newer breaks callers of the older')
    .addArgument(new Argument('<old>', 'A JSON file'))
    .addArgument(new Argument('<new>', 'A JSON file'))
    .option('--json', 'Print JSON')
    .action(async (older: string, newer: string, options: { json?: boolean }) => {
      const { runApiDiff } = await import('./api/api-diff.ts');
      end(await runApiDiff({ older, newer, ...options }, io));
    });
  explain(diff, ['api diff old.json new.json', 'api diff --json old.json new.json']);

  const impact = api
    .command('impact')
    .description('Tell which calls a version of the Host API would change; fails when some would')
    .option('--to <version>', 'The version to move to [default the newest]')
    .option('--token <token>', 'Whose calls [SIGNALBOX_TOKEN, which other users cannot see]')
    .option('--url <url>', 'The server [SIGNALBOX_URL, default the one that runs on the data folder]')
    .option('--all', 'The calls of all tokens, for administrators')
    .option('--since <time>', 'Only calls that were last seen then or later')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runApiImpact } = await import('./api/api-impact.ts');
      end(await runApiImpact(settings, options, io));
    });
  addJson(impact);
  explain(
    impact,
    ['api impact', 'api impact --to 2026-03-10 --all', 'api impact --since 2026-11-01 --json'],
    ['The exit code is 0 if nothing would change, 1 if calls would, and 2 if there is no report.'],
  );
}

function addConfig(config: Command, io: Io, end: End): void {
  explain(config, ['config print']);
  const print = config
    .command('print')
    .description(
      'Print all settings: their names, meanings, values, where those came from, and those of a running server',
    )
    .option('--markdown', 'Print a Markdown table')
    .action(async (options, command: Command) => {
      const settings = settingsOf(command, io);
      const { runConfigPrint } = await import('./config-print.ts');
      end(await runConfigPrint(settings, options, io));
    });
  addJson(print);
  addSettingFlags(print);
  explain(print, ['config print', 'config print --json', 'config print --port 9000']);
}
