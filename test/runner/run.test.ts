// The test runner itself: correct counts, isolated files, and no process left after any kind of end.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../../src/cli/fixture.ts';
import { atEndOfFile } from '../cleanup.ts';
import { eventually, inTime } from '../eventually.ts';

const RUN = fileURLToPath(new URL('../run.ts', import.meta.url));
const IMPORTS = `import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
`;

/** Writes files by name into a folder of their own, and returns the folder. */
function write(files: Record<string, string>): string {
  const folder = join(makeFolder(), 'files');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, `${name}.test.ts`), IMPORTS + text);
  return folder;
}

interface Run {
  child: ChildProcess;
  ended: Promise<{ code: number | null; out: string }>;
}

function start(folder: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Run {
  const command = [RUN, ...args, join(folder, '*.test.ts')];
  const child = spawn(process.execPath, command, {
    // These files need no database.
    env: { ...process.env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  atEndOfFile(() => child.kill('SIGKILL'));
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out }));
  return { child, ended: inTime(ended, 'the end of the run') };
}

const lastLine = (out: string) => out.trimEnd().split('\n').at(-1);

/** A test that never ends and starts a process that never ends. It writes their ids to a file. */
const ENDLESS = `
test('endless', async () => {
  const child = spawn('sleep', ['100000'], { stdio: 'ignore' });
  writeFileSync(process.env.PIDS, JSON.stringify([process.pid, child.pid, process.env.DATABASE_URL]));
  await new Promise(() => {});
});`;

interface Left {
  processes: number[];
  database: string;
}

async function left(file: string): Promise<Left> {
  await eventually(() => existsSync(file) && readFileSync(file, 'utf8').endsWith(']'));
  const [one, other, database] = JSON.parse(readFileSync(file, 'utf8')) as [number, number, string];
  return { processes: [one, other], database };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie is not a running process.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

test('all tests are counted, and whatever goes wrong is a failure', async () => {
  const folder = write({
    good: `describe('some', () => { test('one', () => {}); test('two', () => {}); });`,
    bad: `test('wrong', () => assert.equal(1, 2)); test('right', () => {});`,
    skipped: `test('skipped', { skip: true }, () => assert.fail()); test('todo', { todo: true }, () => assert.fail());`,
    broken: `import './nowhere.ts';`,
    hook: `after(() => assert.fail('a hook')); test('fine', () => {});`,
    late: `test('early', () => void setTimeout(() => assert.fail('too late')));
      test('late', () => new Promise((resolve) => setTimeout(resolve, 50)));`,
    exit: `test('leaves', () => process.exit(0));`,
    untidy: `test('listens', () => new Promise((resolve) => createServer().listen(0, resolve)));
      test('spawns', () => void spawn('sleep', ['100000'], { stdio: 'ignore' }));`,
    empty: ``,
  });
  const { code, out } = await start(folder).ended;
  assert.equal(code, 1);
  assert.equal(lastLine(out), '8 passed, 7 failed', out);
  for (const words of [
    /1 !== 2/,
    /Cannot find module .*nowhere\.ts/,
    /a hook/,
    /too late/,
    /exit\.test\.ts\n {2}its process ended with 0, in: leaves/,
    /untidy\.test\.ts\n {2}left a TCPServerWrap open/,
    /untidy\.test\.ts\n {2}left a ProcessWrap open/,
  ]) {
    assert.match(out, words);
  }
});

test('a successful run reports it, and tests are selected by name', async () => {
  const folder = write({
    good: `describe('some', () => { test('one', () => {}); test('other', () => {}); });`,
    more: `test('one more', () => {}); test('last', () => {});`,
    none: `test('nothing of the sort', () => {});`,
  });
  const all = await start(folder).ended;
  assert.deepEqual([all.code, lastLine(all.out)], [0, '5 passed, 0 failed'], all.out);
  const some = await start(folder, ['--test-name-pattern=^one']).ended;
  assert.deepEqual([some.code, lastLine(some.out)], [0, '2 passed, 0 failed'], some.out);
  const queued = await start(folder, ['--test-name-pattern=^one', '--processes=1']).ended;
  assert.deepEqual([queued.code, lastLine(queued.out)], [0, '2 passed, 0 failed'], queued.out);
  const none = await start(folder, ['--test-name-pattern=missing']).ended;
  assert.deepEqual([none.code, lastLine(none.out)], [1, '0 passed, 0 failed'], none.out);
});

test('the changes of a file are undone before the next one runs in the same process', async () => {
  const probe = `
    test('alone', () => {
      assert.equal(process.env.LEAK, undefined);
      assert.notEqual(process.cwd(), '/');
      assert.equal(globalThis.hooks, undefined);
      process.env.LEAK = 'x';
      process.chdir('/');
    });
    beforeEach(() => { globalThis.hooks = (globalThis.hooks ?? 0) + 1; });
    after(() => { delete globalThis.hooks; globalThis.pids = [...(globalThis.pids ?? []), process.pid]; });`;
  const folder = write({
    a: probe.replace('globalThis.hooks, undefined', 'globalThis.hooks, 1'),
    b: probe.replace('globalThis.hooks, undefined', 'globalThis.hooks, 1'),
    c: `test('last', () => assert.deepEqual(globalThis.pids, [process.pid, process.pid]));`,
  });
  const { out } = await start(folder, ['--processes=1']).ended;
  assert.equal(lastLine(out), '3 passed, 0 failed', out);
});

test('a file that takes too long is aborted, with the processes it has started', async () => {
  const folder = write({
    waits: ENDLESS,
    loops: `test('quick', () => {}); test('loops', () => { for (;;); });`,
    throws: `test('throws', () => { setTimeout(() => assert.fail('uncaught')); return new Promise(() => {}); });`,
  });
  const pids = join(folder, 'pids');
  let seconds = 4;
  const run = async () => {
    const args = [`--time-limit=${seconds}`, '--processes=3'];
    return (await start(folder, args, { PIDS: pids }).ended).out;
  };
  let out = await run();
  // A slow machine has not even begun the files within this time.
  while (seconds < 64 && !(existsSync(pids) && out.includes(': uncaught'))) {
    seconds *= 4;
    out = await run();
  }
  assert.match(lastLine(out)!, /^\d passed, 3 failed$/, out);
  assert.match(out, new RegExp(`waits\\.test\\.ts\\n {2}took longer than ${seconds} s`));
  assert.match(out, new RegExp(`loops\\.test\\.ts\\n {2}took longer than ${seconds} s`));
  assert.match(out, /AssertionError.*: uncaught/);
  const { processes } = await left(pids);
  await eventually(() => !processes.some(isRunning));
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} ends a run, and leaves no process behind`, async () => {
    const folder = write({ first: ENDLESS, second: `test('never', () => {});` });
    const pids = join(folder, 'pids');
    const { child, ended } = start(folder, ['--processes=1'], { PIDS: pids });
    const { processes } = await left(pids);
    child.kill(signal);
    const { code, out } = await ended;
    assert.equal(code, 1);
    assert.equal(lastLine(out), '0 passed, 1 failed', out);
    assert.match(out, /was interrupted, in: endless/);
    await eventually(() => !processes.some(isRunning));
  });
}

test('a runner that is killed leaves neither processes nor PostgreSQL', async () => {
  const folder = write({ waits: ENDLESS });
  const pids = join(folder, 'pids');
  const { child, ended } = start(folder, [], { PIDS: pids, DATABASE_URL: '' });
  const { processes, database } = await left(pids);
  child.kill('SIGKILL');
  await ended;
  await eventually(() => !processes.some(isRunning));
  await eventually(() => isRefused(Number(new URL(database).port)));
});

test('a runner ends when its parent has exited', async () => {
  const folder = write({ waits: ENDLESS });
  const pids = join(folder, 'pids');
  const command = [process.execPath, RUN, join(folder, '*.test.ts')];
  const starter = spawn('sh', ['-c', '"$@"; true', 'sh', ...command], {
    env: { ...process.env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PIDS: pids },
    stdio: 'ignore',
  });
  atEndOfFile(() => starter.kill('SIGKILL'));
  const { processes } = await left(pids);
  starter.kill('SIGKILL');
  await eventually(() => !processes.some(isRunning));
});

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(true));
    socket.on('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}
