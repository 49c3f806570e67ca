// The command line: parses the arguments, and runs the command that they name.
import { Argument, Command } from 'commander';
import { RELEASE } from '../app/release.ts';
import { maskPasswords } from '../kernel/text/mask-passwords.ts';
import { describeWrongUse, reportError, EXIT } from './command-errors.ts';
import { addJson, explain, type End } from './command-help.ts';
import { addBackup, addRestore } from './backup/command.ts';
import { addMoves } from './backup/move-command.ts';
import { addDemo } from './demo/command.ts';
import { addImport } from './import/command.ts';
import type { Io } from './io.ts';
import { addMember } from './member/command.ts';
import { addCompletion } from './reference/command.ts';
import { addFlags, addLogs, addProfile, addRuns } from './remote/command.ts';
import { addRemote } from './remote/remote-server.ts';
import { addSecrets } from './secrets/command.ts';
import { addGlobalFlags, addSettingFlags, globalSettingsOf, settingsOf } from './settings.ts';
import { addToken } from './token/command.ts';

/** Runs one command and returns the exit code. The commands themselves are loaded only when they run. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.good;
  const { io: used, notes } = quietIo(argv, io);
  const program = createProgram(used, (result) => (code = result));
  try {
    await program.parseAsync(namesCommand(argv, program) ? argv : ['serve', ...argv], { from: 'user' });
  } catch (error) {
    code = reportError(error, argv, io);
  }
  if (code !== EXIT.good) for (const note of notes) io.err(note);
  return code;
}

/** How many notes a quiet command keeps, which are shown only if it fails. */
const MAX_NOTES = 20;

function quietIo(argv: readonly string[], io: Io): { io: Io; notes: readonly string[] } {
  const notes: string[] = [];
  if (!argv.includes('--quiet') && !argv.includes('-q')) return { io, notes };
  const err = (text: string) => {
    notes.push(text);
    if (notes.length > MAX_NOTES) notes.shift();
  };
  return { io: { ...io, err, status: () => {} }, notes };
}

/** Without a command name the arguments are settings of `serve`. */
function namesCommand(argv: readonly string[], { commands, options }: Command): boolean {
  const words = ['help', '--help', '-h', '--version', '-V', ...commands.map((command) => command.name())];
  const takesValue = (flag = '') => options.some(({ long, required }) => long === flag && required);
  const hasWord = argv.some((word, index) => words.includes(word) && !takesValue(argv[index - 1]));
  return hasWord || (argv.length > 0 && !argv[0]!.startsWith('-'));
}

export function createProgram(io: Io, end: End): Command {
  const program = new Command(io.program)
    .description('A self-hosted server for feature flags, scraping and automation, and code hosting.')
    .version(RELEASE, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Explain a command')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(maskPasswords(text.trimEnd())),
      outputError: (complaint, write) => write(describeWrongUse(complaint, io)),
    })
    .exitOverride();
  explain(
    program,
    ['serve --demo', 'status', 'token create --name ci --role writer --expires 30d', 'api /api/v2/projects'],
    ['signalbox help <command> tells more.'],
  );
  addGlobalFlags(program);
  program.option('-q, --quiet', 'Print results and errors alone');

  program.commandsGroup('Server:');
  addServe(program, io, end);
  addStatus(program, io, end);
  addDoctor(program, io, end);
  addConfig(program.command('config').description('Settings'), io, end);
  addDemo(program.command('demo').description('The examples of --demo'), io, end);
  program.commandsGroup('People and secrets:');
  addMember(program.command('member').description('Members of the account'), io, end);
  addToken(program.command('token').description('Access tokens'), io, end);
  addSecrets(program.command('secrets').description('The keys that encrypt stored secrets'), io, end);
  program.commandsGroup('Data:');
  addBackup(program, io, end);
  addRestore(program, io, end);
  addImport(addMoves(program, io, end), io, end);
  addMigrate(program.command('migrate').description('Changes to the database'), io, end);
  program.commandsGroup('Calls, to this server or another:');
  addApi(program.command('api').description('Call any of the APIs, and compare their versions'), io, end);
  addFlags(program.command('flags').description('Feature flags'), io, end);
  addRuns(program.command('runs').description('Runs of Actors'), io, end);
  addLogs(program, io, end);
  addProfile(program.command('profile').description('Saved servers'), io, end);
  program.commandsGroup('This program:');
  addCompletion(program, io, end);
  program.helpCommand('help [command]', 'Explain a command');
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
    .summary('Tell whether a server runs, and where')
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

function addMigrate(migrate: Command, io: Io, end: End): void {
  explain(migrate, ['migrate status', 'migrate plan', 'migrate up']);
  const status = migrate
    .command('status')
    .description('Tell what has been done to the database and what is pending; changes nothing')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runMigrateStatus } = await import('./migrate.ts');
      end(await runMigrateStatus(settings, options, io));
    });
  addJson(status);
  explain(status, ['migrate status', 'migrate status --json']);
  const plan = migrate
    .command('plan')
    .description('Tell what the next start of this program would do to the database; changes nothing')
    .option('--sql', 'With the statements')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runMigratePlan } = await import('./migrate.ts');
      end(await runMigratePlan(settings, options, io));
    });
  addJson(plan);
  explain(
    plan,
    ['migrate plan', 'migrate plan --sql'],
    ['The exit code is 1 for a database that is too new.'],
  );
  const up = migrate
    .command('up')
    .description('Upgrade the database as a start would, for servers with --no-migrate')
    .action(async (options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runMigrateUp } = await import('./migrate.ts');
      end(await runMigrateUp(settings, options, io));
    });
  addJson(up);
  explain(up, ['migrate up', 'migrate up --database postgres://user@localhost/signalbox']);
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
  api
    .addArgument(
      new Argument('[words...]', 'A method, GET if left out, and a path, like DELETE /api/v2/projects/old'),
    )
    .option('-f, --field <name=value>', 'A field: of the query of a read, else of a JSON body', collect)
    .option('--raw-field <name=value>', 'The same, and the value is a text whatever it looks like', collect)
    .option('--input <file>', 'The body, from a file or - for standard input')
    .option('-H, --header <name:value>', 'A further header', collect)
    .option('--api-version <version>', 'The version of the API, where it has several')
    .option('--paginate', 'Read all pages of a list, as one array')
    .option('-i, --include', 'Print status and headers of the reply, too')
    .action(async (words: string[], options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runApiCall } = await import('./api/api-call.ts');
      end(await runApiCall(settings, words, options, io));
    });
  addRemote(api);
  explain(
    api,
    [
      'api /api/v2/projects',
      'api POST /api/v2/flags/shop --field key=new-checkout --field name="New checkout"',
      'api PUT /v2/key-value-stores/ID/records/INPUT --input - < input.json',
      'api /repos/ann/shop/issues --paginate --api-version 2026-03-10',
    ],
    [
      'The value of a field is JSON where it can be (true, 5, null, ["a"]), else a text; @file is the text of a file.',
      'With fields or a body the method is POST unless it is named.',
    ],
  );
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
    .option('--all', 'The calls of all tokens, for administrators')
    .option('--since <time>', 'Only calls that were last seen then or later')
    .action(async (_options, command: Command) => {
      const settings = globalSettingsOf(command, io);
      const { runApiImpact } = await import('./api/api-impact.ts');
      // Options that the group has too are its own wherever they stand.
      end(await runApiImpact(settings, command.optsWithGlobals(), io));
    });
  addRemote(impact);
  addJson(impact);
  explain(
    impact,
    ['api impact', 'api impact --to 2026-03-10 --all', 'api impact --since 2026-11-01 --json'],
    ['The exit code is 0 if nothing would change, 1 if calls would, and 2 if there is no report.'],
  );
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function addConfig(config: Command, io: Io, end: End): void {
  explain(config, ['config print', 'config explain trustProxy']);
  const one = config
    .command('explain')
    .description('Explain a setting: its meaning, its value, and where that comes from')
    .addArgument(
      new Argument('<name>', 'The setting, its flag without the hyphens, or its environment variable'),
    )
    .action(async (name: string, _options, command: Command) => {
      const settings = settingsOf(command, io);
      const { runConfigExplain } = await import('./config-print.ts');
      end(await runConfigExplain(settings, name, command.opts(), io));
    });
  addJson(one);
  explain(one, ['config explain port', 'config explain SIGNALBOX_TRUST_PROXY']);
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
