// The git program: its output, its limits and its end.
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually, inTime } from '../../../../test/eventually.ts';
import { Failure } from '../../../kernel/failure.ts';
import { asFailure } from '../../../kernel/http/server/bad-requests.ts';
import { findGit } from './git-environment.ts';
import { testFolder, supportedGit } from '../fixture-repository.ts';
import { GitError, GitProgram } from './git-process.ts';

const installed = await supportedGit();
const skip = installed === undefined && 'git 2.38 or newer is not installed';

let root: string;
let folder: string;
let git: GitProgram;
const limits = { timeoutMs: 60_000, maxOutput: 1_000_000 };

before(async () => {
  root = await testFolder();
  folder = join(root, 'a.git');
  if (installed === undefined) return;
  git = new GitProgram(installed.path);
  await mkdir(join(folder, 'objects'), { recursive: true });
  await mkdir(join(folder, 'refs'));
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(folder, 'config'), '[core]\n\tbare = true\n\thooksPath = /tmp/hooks\n');
});
after(async () => {
  await git?.close();
  await rm(root, { recursive: true, force: true });
});

function hashObject(input: string | Uint8Array | AsyncIterable<Uint8Array>) {
  return git.run(['hash-object', '-w', '--stdin'], { folder, input, ...limits });
}

function isFailure(kind: string) {
  return (error: unknown) => error instanceof Failure && error.kind === kind;
}

async function* endless() {
  for (;;) {
    yield Buffer.alloc(65_536);
    await new Promise(setImmediate);
  }
}

test('an error of git for lack of space is that of a full disk', () => {
  for (const stderr of [
    'error: file write error: No space left on device\nfatal: unable to write loose object file\n',
    "fatal: prepare: cannot update ref 'refs/heads/main': couldn't write '/r.git/./refs/heads/main.lock'\n",
  ]) {
    const failure = asFailure(new GitError('any', { exitCode: 128, signal: null, stderr }));
    assert.deepEqual([failure.kind, failure.message.slice(0, 16)], ['unavailable', 'The disk is full']);
  }
});

test('a command gets bytes or chunks as input, and its output is returned', { skip }, async () => {
  const expected = 'ce013625030ba8dba906f756967f9e9ca394464a\n';
  async function* chunks() {
    yield Buffer.from('hel');
    yield Buffer.from('lo\n');
  }
  for (const input of ['hello\n', Buffer.from('hello\n'), chunks()])
    assert.equal((await hashObject(input)).stdout.toString(), expected);
});

test('a failed command is an error with its exit code and what it printed', { skip }, async () => {
  await assert.rejects(git.run(['cat-file', '-t', '0'.repeat(40)], { folder, ...limits }), (error) => {
    assert.ok(error instanceof GitError);
    assert.equal(error.exitCode, 128);
    assert.match(error.stderr, /could not get object info/);
    return true;
  });
});

test('the environment of the server does not reach git', { skip }, async () => {
  process.env.GIT_DIR = '/somewhere';
  process.env.GIT_AUTHOR_NAME = 'Somebody';
  try {
    const { stdout } = await git.run(['var', '-l'], {
      folder,
      env: {
        GIT_COMMITTER_NAME: 'c',
        GIT_COMMITTER_EMAIL: 'c@d',
        GIT_AUTHOR_EMAIL: 'a@b',
        GIT_AUTHOR_NAME: 'a',
      },
      ...limits,
    });
    const text = stdout.toString();
    assert.match(text, /^GIT_AUTHOR_IDENT=a <a@b> \d+ \+0000$/m);
    assert.deepEqual(text.match(/^core\.hookspath=.*$/gm)?.at(-1), 'core.hookspath=/dev/null');
    assert.doesNotMatch(text, /^user\./m);
  } finally {
    delete process.env.GIT_DIR;
    delete process.env.GIT_AUTHOR_NAME;
  }
});

test('no protocol can be used to fetch, not even from a folder', { skip }, async () => {
  for (const url of [folder, `file://${folder}`, 'ext::touch% hacked', 'https://127.0.0.1:1/a.git'])
    await assert.rejects(git.run(['ls-remote', url], { folder, ...limits }), /not allowed/);
});

test('output beyond the limit is an error, and the process is killed', { skip }, async () => {
  const { stdout } = await hashObject('x'.repeat(100_000));
  const args = ['cat-file', 'blob', stdout.toString().trim()];
  await assert.rejects(git.run(args, { folder, ...limits, maxOutput: 1000 }), isFailure('too-large'));
  assert.equal(git.processes, 0);
});

test(
  'a process is killed at its time limit, when its caller aborts, and when its input fails',
  { skip },
  async () => {
    const args = ['hash-object', '--stdin'];
    await assert.rejects(
      git.run(args, { folder, input: endless(), maxOutput: 100, timeoutMs: 100 }),
      isFailure('unavailable'),
    );
    const reason = new Error('the client has left');
    const aborter = new AbortController();
    const running = git.run(args, { folder, input: endless(), ...limits, signal: aborter.signal });
    await eventually(() => git.processes === 1);
    aborter.abort(reason);
    await assert.rejects(running, reason);
    const aborted = AbortSignal.abort(reason);
    await assert.rejects(git.run(args, { folder, ...limits, signal: aborted }), reason);
    async function* broken() {
      yield Buffer.from('a');
      throw reason;
    }
    await assert.rejects(hashObject(broken()), reason);
    assert.equal(git.processes, 0);
  },
);

test('a command that does not read its input ends as usual', { skip }, async () => {
  await assert.rejects(
    git.run(['cat-file', '-t', '0'.repeat(40)], { folder, input: endless(), ...limits }),
    (error) => error instanceof GitError && error.exitCode === 128,
  );
});

test('a command that ends before the server has a turn is read whole', { skip }, async () => {
  const run = git.run(['version'], { folder, ...limits });
  await new Promise(setImmediate);
  const until = performance.now() + 300;
  while (performance.now() < until);
  assert.match((await inTime(run)).stdout.toString(), /^git version .*\n$/);
});

test('a stream is read in chunks, and its process ends when the loop is left', { skip }, async () => {
  const content = Buffer.alloc(3_000_000, 'abc');
  const { stdout } = await hashObject(content);
  const args = ['cat-file', 'blob', stdout.toString().trim()];
  const chunks = await Array.fromAsync(git.stream(args, { folder, timeoutMs: 60_000 }));
  assert.ok(Buffer.concat(chunks).equals(content));
  for await (const chunk of git.stream(args, { folder, timeoutMs: 60_000 })) {
    assert.ok(chunk.length < content.length);
    assert.equal(git.processes, 1);
    break;
  }
  assert.equal(git.processes, 0);
  // On a busy machine the first chunk may itself come later than the limit.
  const startSlow = async (timeoutMs: number): Promise<AsyncGenerator<Buffer>> => {
    const stream = git.stream(args, { folder, timeoutMs });
    return await stream.next().then(
      () => stream,
      () => startSlow(2 * timeoutMs),
    );
  };
  const slow = await startSlow(200);
  // The reader is slower than the time limit: the process is gone before the next chunk is asked for.
  await eventually(() => git.processes === 0);
  await assert.rejects(Array.fromAsync(slow), isFailure('unavailable'));
});

test('only so many run at once, so many wait, and further ones are refused', { skip }, async () => {
  const few = new GitProgram(installed!.path, { maxRuns: 2, maxWaiting: 2 });
  const aborter = new AbortController();
  const args = ['hash-object', '--stdin'];
  const call = { folder, input: endless(), ...limits, signal: aborter.signal };
  const running = [few.run(args, call), few.run(args, { ...call, input: endless() })];
  const waiting = [few.run(['version'], { folder, ...limits }), few.run(['version'], { folder, ...limits })];
  await assert.rejects(few.run(['version'], { folder, ...limits }), isFailure('unavailable'));
  await eventually(() => few.processes === 2);
  const refused = Promise.all(running.map((promise) => assert.rejects(promise, /enough/)));
  aborter.abort(new Error('enough'));
  await refused;
  for (const { stdout } of await inTime(Promise.all(waiting)))
    assert.match(stdout.toString(), /^git version/);
  await few.close();
});

test('a waiting call ends at its time limit', { skip }, async () => {
  const one = new GitProgram(installed!.path, { maxRuns: 1 });
  const running = one.run(['hash-object', '--stdin'], { folder, input: endless(), ...limits });
  await assert.rejects(one.run(['version'], { folder, ...limits, timeoutMs: 20 }), isFailure('unavailable'));
  await Promise.all([assert.rejects(running), one.close()]);
});

test('closing kills what runs, and nothing starts afterwards', { skip }, async () => {
  const closing = new GitProgram(installed!.path);
  const running = closing.run(['hash-object', '--stdin'], { folder, input: endless(), ...limits });
  await eventually(() => closing.processes === 1);
  await Promise.all([assert.rejects(running, GitError), inTime(closing.close())]);
  assert.equal(closing.processes, 0);
  await assert.rejects(closing.run(['version'], { folder, ...limits }), isFailure('unavailable'));
});

test('a program that cannot be started is unavailable', async () => {
  const absent = new GitProgram(join(root, 'no-git'));
  await assert.rejects(absent.run(['version'], { folder, ...limits }), isFailure('unavailable'));
});

test('git is found on the path with its version, and old ones are marked', async () => {
  assert.equal(await findGit(`relative:${root}/nowhere`), undefined);
  const cases = [
    ['git version 2.37.9', '2.37.9', false],
    ['git version 2.38.0', '2.38.0', true],
    ['git version 2.39.5 (Apple Git-154)', '2.39.5', true],
    ['git version 3.0.0-rc1', '3.0.0', true],
    ['git version 1.99', '1.99', false],
  ] as const;
  for (const [index, [printed, version, isSupported]] of cases.entries()) {
    const bin = join(root, `bin${index}`);
    await mkdir(bin);
    await writeFile(join(bin, 'git'), `#!/bin/sh\necho '${printed}'\n`, { mode: 0o755 });
    assert.deepEqual(await findGit(`${root}/nowhere:${bin}`), {
      path: join(bin, 'git'),
      version,
      isSupported,
    });
  }
  const broken = join(root, 'broken');
  await mkdir(broken);
  await writeFile(join(broken, 'git'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  assert.equal(await findGit(broken), undefined);
});
