// The command line without a server: help, wrong use, and the settings it prints.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SETTING_NAMES, SETTINGS, optionName } from '../app/config.ts';
import { RELEASE } from '../app/release.ts';
import { makeFolder, run } from './fixture.ts';
import { manPage } from './reference/man-page.ts';
import type { SettingReport } from '../app/report-settings.ts';

const COMMANDS = [
  [],
  ['serve'],
  ['status'],
  ['token'],
  ['token', 'create'],
  ['token', 'ls'],
  ['token', 'revoke'],
  ['migrate'],
  ['migrate', 'status'],
  ['migrate', 'plan'],
  ['migrate', 'up'],
  ['doctor'],
  ['api'],
  ['import'],
  ['import', 'actors'],
  ['api', 'diff'],
  ['config'],
  ['config', 'print'],
  ['config', 'explain'],
  ...['add', 'ls', 'set-role', 'reset-password', 'remove'].map((name) => ['member', name]),
  ...['status', 'rotate', 'prune'].map((name) => ['secrets', name]),
  ...['save', 'ls', 'use', 'remove'].map((name) => ['profile', name]),
  ['export'],
  ['import', 'data'],
  ['demo', 'reset'],
  ['logs'],
  ['runs', 'wait'],
  ['flags', 'toggle'],
  ['completion'],
];

describe('help', () => {
  test('every command explains itself with examples and exit codes', async () => {
    for (const command of COMMANDS) {
      const { code, out, err } = await run([...command, '--help']);
      assert.deepEqual([code, err], [0, ''], command.join(' '));
      assert.match(out, /Examples:\n {2}signalbox /);
      assert.match(out, /Exit codes: 0 good, 1 failed, 2 wrong use\.$/);
    }
  });

  test('the overview is grouped and fits a screen', async () => {
    const { out } = await run(['--help']);
    const lines = out.split('\n');
    assert.ok(lines.length <= 54, `${lines.length} lines`);
    for (const line of lines) assert.ok(line.length <= 80, line);
    const groups = lines.filter((line) => /^[A-Z].*:$/.test(line));
    assert.deepEqual(groups, [
      'Options:',
      'Server:',
      'People and secrets:',
      'Data:',
      'Calls, to this server or another:',
      'This program:',
      'Examples:',
    ]);
  });

  test('commands are named as the program was started', async () => {
    const { out } = await run(['help'], { program: 'npx signalbox' });
    assert.match(out, /^Usage: npx signalbox \[options\]/);
    assert.match(out, /^ {2}npx signalbox status$/m);
    assert.match(
      (await run(['token', 'create', '--help'], { program: 'npx signalbox' })).out,
      /\$\(npx signalbox token/,
    );
    assert.match(
      (await run(['serve', '--port'], { program: 'npx signalbox' })).err,
      /See npx signalbox --help\.$/,
    );
  });

  test('no command at all means serve, with its flags', async () => {
    for (const argv of [
      ['--port', 'x'],
      ['--data', 'y', '--port', 'x'],
      ['serve', '--port', 'x'],
    ]) {
      assert.deepEqual(await run(argv), {
        code: 2,
        out: '',
        err: '--port must be a whole number from 0 to 65535, not "x".',
      });
    }
    const { code, err } = await run([], { env: { PORT: 'x' } });
    assert.deepEqual([code, err], [2, 'PORT must be a whole number from 0 to 65535, not "x".']);
  });

  test('serve has a flag for every setting that is no secret', async () => {
    const { out } = await run(['serve', '--help']);
    for (const name of SETTING_NAMES) {
      assert.equal(out.includes(`${optionName(name)} `), !SETTINGS[name].isSecret, name);
    }
  });

  test('the version is that of the package', async () => {
    assert.deepEqual(await run(['--version']), { code: 0, out: RELEASE, err: '' });
  });
});

describe('wrong use', () => {
  test('is reported in one sentence with what was meant, and ends with 2', async () => {
    const expected: [string[], RegExp][] = [
      [['serve', '--prot', '1'], /^Unknown option '--prot'\. Did you mean --port\?$/],
      [['serve', '--dta', 'x'], /^Unknown option '--dta'\. Did you mean --data\?$/],
      [['serve', '--admin-token', 'x'], /^Unknown option '--admin-token'\./],
      [['tokn', 'ls'], /^Unknown command 'tokn'\. Did you mean token\?$/],
      [['serve', '--port'], /^Option '--port <value>' argument missing\. See signalbox --help\.$/],
      [['serve', '--port', 'x'], /^--port must be a whole number from 0 to 65535, not "x"\.$/],
      [['token', 'revoke'], /^Missing required argument 'token'\./],
      [
        ['token', 'create', '--role', 'king'],
        /^Option '--role <role>' argument 'king' is invalid\. Allowed /,
      ],
      [['token', 'create', '--expires', 'soon', '--data', 'x'], /^"soon" is not a span of time: /],
      [['serve', 'now'], /^Too many arguments/],
    ];
    for (const [argv, sentence] of expected) {
      const { code, out, err } = await run(argv);
      assert.deepEqual([code, out], [2, ''], argv.join(' '));
      assert.match(err, sentence);
    }
  });

  test('a token has a role or a policy, not both', async () => {
    const { code, err } = await run(['token', 'create', '--role', 'reader', '--policy', 'x.json']);
    assert.equal(code, 2);
    assert.match(err, /'--policy <file>' cannot be used with option '--role <role>'/);
  });

  test('an unknown setting in the environment is refused by every command', async () => {
    const { code, err } = await run(['token', 'ls'], { env: { SIGNALBOX_DTA: 'x' } });
    assert.equal(code, 2);
    assert.equal(err, 'There is no setting SIGNALBOX_DTA. Did you mean SIGNALBOX_DATA?');
  });
});

describe('config print', () => {
  const print = async (argv: string[], env: NodeJS.ProcessEnv = {}) => {
    const { code, out } = await run(['config', 'print', ...argv], { env });
    assert.equal(code, 0);
    return Object.fromEntries((JSON.parse(out) as SettingReport[]).map((report) => [report.name, report]));
  };

  test('tells every value and where it came from', async () => {
    const file = join(makeFolder(), 'box.json');
    writeFileSync(file, '{"host":"::1","logLevel":"warn"}');
    const reports = await print(['--config', file, '--port', '9', '--limit', 'host.core=5/60'], {
      SIGNALBOX_LOG_LEVEL: 'error',
    });
    assert.equal(Object.keys(reports).length, SETTING_NAMES.length);
    const told = (name: string) => [reports[name]!.value, reports[name]!.source];
    assert.deepEqual(told('port'), ['9', 'flag']);
    assert.deepEqual(told('logLevel'), ['error', 'environment']);
    assert.deepEqual(told('host'), ['::1', 'file']);
    assert.deepEqual(told('role'), ['all', 'default']);
    assert.deepEqual(told('limit'), ['host.core=5:5/60', 'flag']);
  });

  test('global flags may stand before the command', async () => {
    const { out } = await run(['--data', '/box', 'config', 'print', '--json']);
    assert.match(out, /"value": "\/box"/);
  });

  test('a yes needs no value', async () => {
    assert.equal((await print(['--allow-private-webhooks'])).allowPrivateWebhooks!.value, '1');
    assert.equal((await print(['--allow-private-webhooks', '0'])).allowPrivateWebhooks!.value, '0');
  });

  test('hides secrets and the password of the database', async () => {
    const env = {
      SIGNALBOX_ADMIN_TOKEN: 'a-long-enough-secret',
      DATABASE_URL: 'postgres://box:hunter2@db/box?password=hunter2',
    };
    for (const format of ['--json', '--no-json', '--markdown']) {
      const { out } = await run(['config', 'print', format], { env });
      assert.doesNotMatch(out, /hunter2|a-long-enough/);
      assert.match(out, /postgres:\/\/box:\*\*\*@db\/box/);
    }
  });

  test('no password in a URL is ever echoed, however wrong the URL is', async () => {
    for (const url of [
      'mysql://box:hunter2@db/box',
      'postgres://box:hunter2@@db:x/box',
      'postgres://box:hunter2/9@db/box',
      'host=db password=hunter2',
    ]) {
      for (const argv of [['serve', '--database', url], ['serve', url], ['config', 'print', url], [url]]) {
        const { code, err } = await run(argv);
        assert.equal(code, 2, argv.join(' '));
        assert.doesNotMatch(err, /hunter2/);
      }
    }
    for (const env of [
      { SIGNALBOX_PUBLIC_URL: 'https://box:hunter2@box.test' },
      { PORT: 'http://a:hunter2@b' },
    ]) {
      const { code, err } = await run(['serve'], { env });
      assert.equal(code, 2);
      assert.match(err, /\*\*\*@/);
      assert.doesNotMatch(err, /hunter2/);
    }
  });

  test('is a table for people and Markdown for documents', async () => {
    const table = await run(['config', 'print'], { isTerminal: true });
    assert.match(table.out, /^Flag +Environment +Value +From +Default +Meaning\n--port +PORT +8080 +default/);
    const { out } = await run(['config', 'print', '--markdown']);
    assert.match(out, /^\| Flag \| Environment \|.*\n\| --- \|.*\n\| --port \| PORT \| 8080 \|/);
  });

  test('names for clients are not taken for settings', async () => {
    await print([], { SIGNALBOX_URL: 'http://x', SIGNALBOX_TOKEN: 'x' });
  });

  test('says which setting is wrong', async () => {
    const { code, err } = await run(['config', 'print'], { env: { PORT: '-1' } });
    assert.deepEqual([code, err], [2, 'PORT must be a whole number from 0 to 65535, not "-1".']);
  });
});

test('api diff compares files', async () => {
  const folder = makeFolder();
  const file = (name: string, path: string) => {
    writeFileSync(join(folder, name), JSON.stringify({ openapi: '3.1.0', paths: { [path]: { get: {} } } }));
    return join(folder, name);
  };
  const [older, newer] = [file('old.json', '/a'), file('new.json', '/b')];
  assert.equal((await run(['api', 'diff', older, older])).code, 0);
  const { code, out } = await run(['api', 'diff', older, newer, '--json']);
  assert.equal(code, 1);
  assert.equal((JSON.parse(out) as { breaking: number }).breaking, 1);
  assert.equal((await run(['api', 'diff', older, 'absent.json'])).code, 2);
});

describe('config explain', () => {
  test('a setting is found by its name, flag or variable, and tells where its value is from', async () => {
    for (const name of ['trustProxy', 'SIGNALBOX_TRUST_PROXY', 'trust-proxy']) {
      const env = { SIGNALBOX_TRUST_PROXY: '10.0.0.1' };
      const { code, out } = await run(['config', 'explain', name], { env });
      assert.equal(code, 0, name);
      const { value, source, env: variable } = JSON.parse(out) as SettingReport;
      assert.deepEqual([value, source, variable], ['10.0.0.1', 'environment', 'SIGNALBOX_TRUST_PROXY']);
    }
    const { out } = await run(['config', 'explain', 'port'], { isTerminal: true });
    assert.match(out, /^The port to listen on; 0 takes any free one\.\n\n {2}Flag +--port\n/);
  });

  test('an unknown one is refused with what was meant', async () => {
    const { code, err } = await run(['config', 'explain', 'trustProxi']);
    assert.deepEqual([code, err], [2, 'There is no setting "trustProxi". Did you mean trustProxy?']);
  });
});

test('--quiet leaves notes out, and keeps results and errors', async () => {
  const { code, err } = await run(['token', 'ls', '--quiet', '--data', makeFolder()]);
  assert.equal(code, 1);
  assert.match(err, /There is no database in/);
  const env = { XDG_CONFIG_HOME: makeFolder() };
  assert.deepEqual(await run(['profile', 'ls', '-q'], { env }), { code: 0, out: '[]', err: '' });
});

describe('completion', () => {
  test('bash completes commands, options and values', async (context) => {
    const { out: script } = await run(['completion', 'bash']);
    const complete = (...words: string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const call = `COMP_WORDS=(signalbox ${line}); COMP_CWORD=${words.length}; _signalbox; echo "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', `${script}\n${call}`], { encoding: 'utf8' }).stdout?.trim();
    };
    if (complete('tok') === undefined) return context.skip('There is no bash here.');
    assert.equal(complete('tok'), 'token');
    assert.equal(complete('token', 'cr'), 'create');
    assert.equal(complete('token', 'create', '--rol'), '--role');
    assert.equal(complete('--data', 'x', 'token', 'create', '--role', 'wr'), 'writer');
    assert.equal(complete('member', 'set-role', 'ann', 'adm'), 'admin');
    assert.equal(complete('completion', 'z'), 'zsh');
  });

  test('zsh and fish get the same commands with their descriptions', async () => {
    const zsh = (await run(['completion', 'zsh'])).out;
    assert.match(zsh, /^#compdef signalbox\n/);
    assert.match(zsh, /'create:Make an access token and print it, once'/);
    const fish = (await run(['completion', 'fish'])).out;
    assert.match(fish, /^complete -c signalbox .*token.* -f -a 'create' -d 'Make an access token/m);
    assert.match(fish, /-l 'role' -r -f -a 'reader writer admin owner'/);
  });
});

test('the manual page has every command, setting and exit code', () => {
  const page = manPage();
  assert.match(page, /^\.TH SIGNALBOX 1 /);
  for (const command of COMMANDS.filter(({ length }) => length > 1))
    assert.ok(
      page.includes(`.SS signalbox ${command.join(' ').replaceAll('-', '\\-')}\n`),
      command.join(' '),
    );
  for (const name of SETTING_NAMES) assert.ok(page.includes(`.B ${SETTINGS[name].env}\n`), name);
  assert.match(page, /\.SH EXIT STATUS\n\.TP\n\.B 0\nGood\./);
});
