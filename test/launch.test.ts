// The launcher on a fresh clone, with a fake npm that needs no network.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { withProgress } from '../scripts/set-up.mjs';
import { bundlesFolder, stampOf } from '../scripts/start-bundle.mjs';
import { FAKE_NPM, PRETEND_NODE_20 } from './old-node.ts';

const ROOT = dirname(import.meta.dirname);
const TARGET = `
const args: string[] = process.argv.slice(2);
if (args.includes('wait')) {
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(7));
  setInterval(() => {}, 1000);
}
const [path] = process.env.PATH!.split('${delimiter}');
const as = process.env.SIGNALBOX_STARTED_AS;
console.log(JSON.stringify({ pid: process.pid, path, args, flags: process.execArgv, as }));
if (args[0] === 'die') process.kill(process.pid, 'SIGKILL');`;

const SERVER_FLAGS = ['--max-semi-space-size=8', '--v8-pool-size=1'];

function makeClone(t: TestContext): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'launcher '));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const clone = join(folder, 'a clone');
  for (const file of ['launch.mjs', 'scripts/set-up.mjs', 'scripts/start-bundle.mjs', 'scripts/bundle.ts'])
    fs.cpSync(join(ROOT, file), join(clone, file));
  fs.mkdirSync(join(clone, 'src'));
  fs.writeFileSync(join(clone, 'src/bin.ts'), TARGET);
  fs.writeFileSync(join(clone, 'script.ts'), TARGET);
  fs.writeFileSync(join(clone, 'package.json'), '{ "type": "module" }');
  fs.writeFileSync(join(folder, 'npm-cli.js'), FAKE_NPM);
  lockAt(clone, '1.0.0');
  return clone;
}

function lockAt(clone: string, version: string): void {
  const packages = {
    '': {},
    'node_modules/library': { version },
    'node_modules/tool': { version, dev: true },
  };
  fs.writeFileSync(join(clone, 'package-lock.json'), JSON.stringify({ packages }));
}

function readCalls(clone: string): string[] {
  const path = join(clone, '../calls');
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8').trim().split('\n') : [];
}

function start(
  clone: string,
  args: string[],
  { env = {}, flags = [], isOld = false }: { env?: object; flags?: string[]; isOld?: boolean } = {},
) {
  // Set by the launcher that started this test.
  const { NODE_COMPILE_CACHE: _, npm_lifecycle_event: _event, ...inherited } = process.env;
  const pretence = isOld ? ['--import', PRETEND_NODE_20] : [];
  const child = spawn(process.execPath, [...flags, ...pretence, join(clone, 'launch.mjs'), ...args], {
    env: {
      ...inherited,
      npm_execpath: join(clone, '../npm-cli.js'),
      NPM_CALLS: join(clone, '../calls'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const ended = new Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>(
    (settle) => child.on('close', (code, signal) => settle({ code, signal, stdout, stderr })),
  );
  return { child, ended };
}

async function run(...call: Parameters<typeof start>) {
  const { child, ended } = start(...call);
  const result = await ended;
  return { pid: child.pid, ...result, said: result.stdout ? JSON.parse(result.stdout) : undefined };
}

test('a Node that is new enough runs the server in the same process', async (t) => {
  const clone = makeClone(t);
  const { code, pid, said } = await run(clone, ['serve', '--port', '0']);
  assert.equal(code, 0);
  assert.deepEqual(said, {
    pid,
    path: dirname(process.execPath),
    args: ['serve', '--port', '0'],
    flags: SERVER_FLAGS,
    as: `node ${relative('', join(clone, 'launch.mjs'))}`,
  });
});

test('a bundle is run while the sources are those that it was made of', async (t) => {
  const clone = makeClone(t);
  await run(clone, ['serve']);
  const bundle = join(bundlesFolder(clone), stampOf(clone));
  fs.mkdirSync(bundle, { recursive: true });
  fs.writeFileSync(join(bundle, 'bin.js'), 'console.log(JSON.stringify({ args: process.argv.slice(2) }))');
  assert.deepEqual((await run(clone, ['serve', '--demo'])).said, { args: ['serve', '--demo'] });
  assert.deepEqual((await run(clone, ['status'])).said, { args: ['status'] });

  const file = join(clone, 'src/bin.ts');
  const { atime, mtime } = fs.statSync(file);
  fs.writeFileSync(file, TARGET.replace('args, flags', 'args, changed: true, flags'));
  fs.utimesSync(file, atime, mtime);
  assert.equal((await run(clone, ['serve'])).said.changed, true);
});

test('without a command it is a server that is started', async (t) => {
  const clone = makeClone(t);
  for (const args of [[], ['--port', '0']]) {
    assert.deepEqual((await run(clone, args)).said.flags, SERVER_FLAGS);
  }
});

test('hints can name the npm command that was used', async (t) => {
  const env = { npm_lifecycle_event: 'start', npm_package_name: 'signalbox' };
  assert.equal((await run(makeClone(t), ['serve'], { env })).said.as, 'npm run --silent signalbox --');
});

test('the package runs its bundle, keeps Node in the cache of its user, and installs nothing else', async (t) => {
  const clone = makeClone(t);
  const cache = join(clone, '../cache');
  const installed = join(clone, '../node_modules/signalbox');
  fs.renameSync(clone, join(clone, '../moved'));
  fs.mkdirSync(dirname(installed));
  fs.renameSync(join(clone, '../moved'), installed);
  fs.rmSync(join(installed, 'src'), { recursive: true });
  fs.mkdirSync(join(installed, 'dist'));
  fs.writeFileSync(join(installed, 'dist/bin.js'), TARGET.replace(': string[]', '').replace('PATH!', 'PATH'));
  const place = { npm_execpath: join(clone, '../npm-cli.js'), NPM_CALLS: join(clone, '../calls') };
  const env = { ...place, XDG_CACHE_HOME: cache };
  const { code, stderr, said } = await run(installed, [], { env });
  assert.deepEqual([code, stderr, said.as], [0, '', 'npx signalbox']);
  for (const [line, calls] of [
    [/^Setting up: fetching Node \S+ \(about 50 MB\), once…\n$/, ['install --ignore-scripts']],
    [/^$/, ['install --ignore-scripts']],
  ] as const) {
    const old = await run(installed, [], { env, isOld: true });
    assert.match(old.stderr, line);
    assert.ok(old.said.path.startsWith(join(cache, 'signalbox/node_modules/')), old.said.path);
    assert.deepEqual(readCalls(clone), calls);
  }
  assert.deepEqual(fs.readdirSync(installed).toSorted(), [
    'dist',
    'launch.mjs',
    'package-lock.json',
    'package.json',
    'script.ts',
    'scripts',
  ]);
});

test('progress moves: in one line of a terminal, elsewhere in new lines', async () => {
  for (const [isTTY, expected] of [
    [true, 'Fetching…\rFetching… 1 MB\x1b[K\rFetching… 2 MB\x1b[K'],
    [false, 'Fetching…\nFetching… 1 MB\nFetching… 2 MB\n'],
  ] as const) {
    let text = '';
    let size = 0;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const measure = () => {
      if (++size === 3) resolve();
      return `${size} MB`;
    };
    const stream = { isTTY, write: (part: string) => (text += part) };
    await withProgress('Fetching…', measure, () => done, stream, 1);
    assert.equal(text.slice(0, expected.length), expected);
    assert.ok(text.endsWith('\n'));
  }
});

test('flags given to Node by hand reach the server, after ours', async (t) => {
  const { said } = await run(makeClone(t), ['serve'], { flags: ['--max-semi-space-size=32'] });
  assert.deepEqual(said.flags, [...SERVER_FLAGS, '--max-semi-space-size=32']);
});

test('only a server is started with less room for garbage', async (t) => {
  const clone = makeClone(t);
  for (const args of [['--script', 'script.ts', 'serve'], ['doctor']]) {
    assert.deepEqual((await run(clone, args)).said.flags, []);
  }
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} reaches a server that runs in the launcher's own process`, async (t) => {
    const { child, ended } = start(makeClone(t), ['serve', 'wait']);
    child.stdout.once('data', () => child.kill(signal));
    const { code, stderr } = await ended;
    assert.equal(code, 7);
    assert.doesNotMatch(stderr, /Warning/);
  });
}

test('the first server start installs production packages, the second calls no npm', async (t) => {
  const clone = makeClone(t);
  const first = await run(clone, ['serve']);
  assert.equal(first.stderr, 'Setting up: installing packages, once…\n');
  const second = await run(clone, ['serve']);
  assert.equal(second.stderr, '');
  assert.deepEqual(readCalls(clone), ['ci --omit=dev']);
  assert.deepEqual(fs.readdirSync(join(clone, '.runtime')), ['compile-cache']);
});

test('a script brings the development packages, which satisfy the server too', async (t) => {
  const clone = makeClone(t);
  await run(clone, ['serve']);
  const { said } = await run(clone, ['--script', 'script.ts', 'one', 'two words']);
  assert.deepEqual(said.args, ['one', 'two words']);
  await run(clone, ['serve']);
  assert.deepEqual(readCalls(clone), ['ci --omit=dev', 'ci --include=dev']);
});

test('a changed lockfile is followed, and development packages stay where they were', async (t) => {
  const clone = makeClone(t);
  await run(clone, ['--script', 'script.ts']);
  lockAt(clone, '1.0.1');
  await run(clone, ['serve']);
  assert.deepEqual(readCalls(clone), ['ci --include=dev', 'ci --include=dev']);
});

test('packages installed by hand count', async (t) => {
  const clone = makeClone(t);
  fs.mkdirSync(join(clone, 'node_modules'));
  fs.cpSync(join(clone, 'package-lock.json'), join(clone, 'node_modules/.package-lock.json'));
  await run(clone, ['--script', 'script.ts']);
  assert.deepEqual(readCalls(clone), []);
});

test('an old Node fetches a new one once, which comes first on the PATH', async (t) => {
  const clone = makeClone(t);
  const { code, pid, stderr, said } = await run(clone, ['serve'], { isOld: true });
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^Setting up: fetching Node \S+ \(about 50 MB\), once…\nSetting up: installing packages/,
  );
  assert.notEqual(said.pid, pid);
  assert.ok(said.path.startsWith(join(clone, '.runtime/node_modules/')), said.path);
  assert.deepEqual(said.flags, SERVER_FLAGS);
  await run(clone, ['serve'], { isOld: true });
  assert.deepEqual(readCalls(clone), ['install --ignore-scripts', 'ci --omit=dev']);
});

test('a signal reaches the child, and the launcher ends with its exit code', async (t) => {
  const { child, ended } = start(makeClone(t), ['wait'], { isOld: true });
  child.stdout.once('data', () => child.kill('SIGTERM'));
  const { code, signal } = await ended;
  assert.deepEqual({ code, signal }, { code: 7, signal: null });
});

test('the launcher ends by the signal that ended its child', async (t) => {
  const { code, signal } = await run(makeClone(t), ['die'], { isOld: true });
  assert.deepEqual({ code, signal }, { code: null, signal: 'SIGKILL' });
});

test('two starts at once share one set-up', async (t) => {
  const clone = makeClone(t);
  const results = await Promise.all([1, 2].map(() => run(clone, ['serve'], { isOld: true })));
  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0],
  );
  assert.deepEqual(readCalls(clone), ['install --ignore-scripts', 'ci --omit=dev']);
});

test('the leftovers of a killed set-up are removed', async (t) => {
  const clone = makeClone(t);
  const { pid } = await run(clone, ['serve']);
  fs.rmSync(join(clone, 'node_modules'), { recursive: true });
  fs.mkdirSync(join(clone, `.runtime/new-${pid}/node_modules`), { recursive: true });
  fs.writeFileSync(join(clone, '.runtime/lock'), String(pid));
  const { code } = await run(clone, ['serve']);
  assert.equal(code, 0);
  assert.deepEqual(fs.readdirSync(join(clone, '.runtime')), ['compile-cache']);
});

const obstacles = [
  {
    says: 'npm error code ENOSPC\nnpm error nospc no space',
    sentence: /^The disk is full: .+ start again\.\n$/,
  },
  { says: 'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space', exit: '', sentence: /^The disk is full: / },
  {
    says: 'npm error code ECONNREFUSED\nnpm error FetchError: request to http://registry.test/fastify failed',
    sentence:
      /^The npm registry http:\/\/registry\.test cannot be reached \(ECONNREFUSED\): .+ start again\.\n$/,
  },
  {
    says: 'npm error code ETARGET\nnpm error notarget',
    sentence: /^The npm registry lacks a package .+\.\n$/,
  },
  {
    says: 'npm error code EUSAGE',
    sentence: /^package-lock\.json does not fit package\.json: run `npm install`/,
  },
  {
    says: 'npm ERR! code EACCES\nnpm ERR! path /cache',
    sentence: /^\/cache cannot be written: .+ start again\.\n$/,
  },
  {
    says: 'npm error code EWHATEVER',
    sentence: /^The set-up failed: npm stopped with EWHATEVER .+npm\.log; .+\.\n$/,
  },
];

for (const { says, exit = '1', sentence } of obstacles) {
  test(`a message says what to do when npm reports ${says.split('\n')[0]}`, async (t) => {
    const clone = makeClone(t);
    const { code, stderr } = await run(clone, ['serve'], { env: { NPM_SAYS: says, NPM_EXIT: exit } });
    assert.equal(code, 1);
    const [step, ...rest] = stderr.split('\n');
    assert.equal(step, 'Setting up: installing packages, once…');
    assert.match(rest.join('\n'), sentence);
    assert.equal(rest.length, 2);
    assert.deepEqual(fs.readdirSync(join(clone, '.runtime')), ['npm.log']);
  });
}

test('a message says what to do where npm is missing', async (t) => {
  const { code, stderr } = await run(makeClone(t), ['serve'], {
    env: { npm_execpath: '', PATH: '/nowhere' },
  });
  assert.equal(code, 1);
  assert.match(stderr, /npm was not found: install it .+ start again\.\n$/);
});
