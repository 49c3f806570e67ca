// The pool of object readers: pipelining, eviction, its limit, and processes that die.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { eventually, inTime } from '../../../../test/eventually.ts';
import { Failure } from '../../../kernel/failure.ts';
import { addBlob, runIn, startGit, supportedGit, type TestGit } from '../fixture-repository.ts';
import type { GitProcess } from '../process/git-process.ts';
import type { ObjectAnswer } from './object-reader.ts';
import { ReaderPool, type PoolOptions } from './reader-pool.ts';
import type { GitRepository } from '../repository.ts';

const skip = (await supportedGit()) === undefined && 'git 2.38 or newer is not installed';
const ABSENT = '0'.repeat(40);
const LIMITS = { maxReaders: 4, idleMs: 600_000, timeoutMs: 600_000 };

let server: TestGit;
let repositories: GitRepository[];
let blob: string;
/** What the pools of the tests have started. */
const started: GitProcess[] = [];

before(async () => {
  server = await startGit();
  if (skip !== false) return;
  repositories = await Promise.all([1, 2, 3].map((number) => server.git.createRepository(number, 'main')));
  for (const repository of repositories) blob = await addBlob(repository, 'hello\n');
});
after(() => server.stop());

function openPool(options: Partial<PoolOptions> = {}): ReaderPool {
  const { program } = server.git.require();
  return new ReaderPool({
    ...LIMITS,
    async start(folder) {
      const process = await program.start(['cat-file', '--batch-command', '--buffer'], { folder });
      started.push(process);
      return process;
    },
    ...options,
  });
}

/** The pool ends its processes without waiting for them. */
async function closePool(pool: ReaderPool): Promise<void> {
  pool.close();
  await eventually(() => pool.size === 0 && server.git.require().program.processes === 0);
}

function contentOf(answer: ObjectAnswer): string {
  assert.ok(typeof answer === 'object' && answer.content !== undefined);
  return answer.content.toString();
}

const HELLO = 'hello\n';
const folderOf = (index: number) => repositories[index]!.folder;

test('a thousand reads are pipelined, and each gets its own answer', { skip }, async () => {
  const pool = openPool();
  const folder = folderOf(0);
  const contents = Array.from({ length: 1000 }, (_, index) => `${index}\n`.repeat(index % 50));
  const oids = contents.map((text) =>
    createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex'),
  );
  const lines = [...new Set(contents)].map((text) => `blob\ndata ${text.length}\n${text}\n`);
  await runIn(repositories[0]!, ['fast-import', '--quiet'], lines.join(''));
  const answers = await Promise.all(
    oids.flatMap((oid) => [
      pool.request(folder, 'contents', oid),
      pool.request(folder, 'info', oid),
      pool.request(folder, 'info', ABSENT),
    ]),
  );
  for (const [index, text] of contents.entries()) {
    const size = text.length;
    assert.deepEqual(answers[3 * index], {
      oid: oids[index],
      type: 'blob',
      size,
      content: Buffer.from(text),
    });
    assert.deepEqual(answers[3 * index + 1], { oid: oids[index], type: 'blob', size });
    assert.equal(answers[3 * index + 2], 'missing');
  }
  assert.equal(pool.size, 2);
  await closePool(pool);
});

test('an answer may come in any pieces', { skip }, async () => {
  const pool = openPool();
  const large = await addBlob(repositories[0]!, Buffer.alloc(900_000, 'line\n'));
  const [first, second, third] = await Promise.all(
    [large, blob, large].map((oid) => pool.request(folderOf(0), 'contents', oid)),
  );
  assert.equal(contentOf(first!), 'line\n'.repeat(180_000));
  assert.equal(contentOf(second!), HELLO);
  assert.equal(contentOf(third!).length, 900_000);
  await closePool(pool);
});

test('only names of objects are sent', { skip }, () => {
  const pool = openPool();
  for (const name of [
    'main',
    `${blob}\ninfo ${blob}`,
    'abc',
    `${blob}^{tree}`,
    `${blob}:x`,
    'HEAD',
    '',
    blob.toUpperCase(),
  ])
    assert.throws(() => pool.request(folderOf(0), 'info', name), name);
  assert.equal(pool.size, 0);
});

test('a reader without requests is ended, and the next request starts another', { skip }, async () => {
  const pool = openPool({ idleMs: 20 });
  for (let round = 0; round < 2; round += 1) {
    assert.equal(contentOf(await pool.request(folderOf(0), 'contents', blob)), HELLO);
    await eventually(() => pool.size === 0, 'the end of the idle reader');
  }
  await closePool(pool);
});

test('over the limit the least recently used idle reader gives way', { skip }, async () => {
  const pool = openPool({ maxReaders: 2 });
  const begun = started.length;
  for (const index of [0, 1, 0, 2]) await pool.request(folderOf(index), 'info', blob);
  assert.equal(started.length - begun, 3);
  // The reader of the first repository was used later than that of the second, and lives.
  await pool.request(folderOf(0), 'info', blob);
  assert.equal(started.length - begun, 3);
  assert.equal(pool.size, 2);
  await closePool(pool);
});

test('with one reader for three busy repositories every request is answered in turn', { skip }, async () => {
  const pool = openPool({ maxReaders: 1 });
  const begun = started.length;
  const requests = Array.from({ length: 60 }, (_, index) =>
    pool.request(folderOf(index % 3), 'contents', blob),
  );
  const answers = await inTime(Promise.all(requests));
  assert.ok(answers.every((answer) => contentOf(answer) === HELLO));
  assert.ok(started.length - begun >= 3);
  await closePool(pool);
});

test('a request that waits too long for a reader is refused', { skip }, async () => {
  let begin = () => {};
  const held = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { program } = server.git.require();
  const pool = openPool({
    maxReaders: 1,
    timeoutMs: 50,
    async start(folder) {
      await held;
      return await program.start(['cat-file', '--batch-command', '--buffer'], { folder });
    },
  });
  const first = pool.request(folderOf(0), 'info', blob);
  const lateFirst = assert.rejects(first, isUnavailable);
  await assert.rejects(pool.request(folderOf(1), 'info', blob), isUnavailable);
  begin();
  await lateFirst;
  await closePool(pool);
});

test('when a reader is killed its requests are answered by another', { skip }, async () => {
  const pool = openPool();
  await pool.request(folderOf(0), 'info', blob);
  const requests = Array.from({ length: 100 }, () => pool.request(folderOf(0), 'contents', blob));
  started.at(-1)!.kill();
  const answers = await inTime(Promise.all(requests));
  assert.ok(answers.every((answer) => contentOf(answer) === HELLO));
  await closePool(pool);
});

/** Answers at once that every object is missing, but never anything about `silent` or after it. */
function fakeProcess(silent: string): GitProcess {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const { promise: exited, resolve } = Promise.withResolvers<Awaited<GitProcess['exited']>>();
  let isSilent = false;
  stdin.on('data', (chunk: Buffer) => {
    for (const [, name] of chunk.toString().matchAll(/^info (.*)$/gm)) {
      isSilent ||= name === silent;
      if (!isSilent) stdout.write(`${name} missing\n`);
    }
  });
  const kill = () => resolve({ exitCode: null, signal: 'SIGKILL', stderr: '' });
  return { pid: 0, stdin, stdout, exited, kill, end: kill };
}

test('a request that gets no answer in time is refused alone', async () => {
  const pool = new ReaderPool({ ...LIMITS, timeoutMs: 500, start: async () => fakeProcess(ABSENT) });
  const other = 'a'.repeat(40);
  const requests = [other, ABSENT, other, other].map((name) => pool.request('/nowhere', 'info', name));
  const settled = await inTime(Promise.allSettled(requests));
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  pool.close();
});

test('output that is no answer ends the process, and is refused', async () => {
  const lines = [
    '',
    'missing',
    `${ABSENT} blob`,
    `${ABSENT} blob -1`,
    `${ABSENT} blob 99999999999`,
    'x'.repeat(300),
  ];
  for (const line of lines) {
    let processes = 0;
    const pool = new ReaderPool({
      ...LIMITS,
      async start() {
        processes += 1;
        const fake = fakeProcess(ABSENT);
        (fake.stdout as PassThrough).write(`${line}\n`);
        return fake;
      },
    });
    await assert.rejects(inTime(pool.request('/nowhere', 'contents', ABSENT)), isUnavailable, line);
    assert.equal(processes, 2);
    pool.close();
  }
});

test('a folder that is no repository is an error after a few attempts', { skip }, async () => {
  const pool = openPool();
  const begun = started.length;
  const requests = Array.from({ length: 50 }, () => pool.request(server.folder, 'info', blob));
  const settled = await inTime(Promise.allSettled(requests));
  assert.ok(settled.every((result) => result.status === 'rejected' && isUnavailable(result.reason)));
  assert.ok(started.length - begun <= 20, `${started.length - begun} processes`);
  await closePool(pool);
});

test('a closed pool refuses what waits and what comes, and leaves no process', { skip }, async () => {
  const pool = openPool({ maxReaders: 1 });
  const requests = [0, 1, 2].map((index) => pool.request(folderOf(index), 'info', blob));
  const settled = Promise.allSettled(requests);
  await closePool(pool);
  assert.ok(
    (await inTime(settled)).every((result) => result.status === 'rejected' && isUnavailable(result.reason)),
  );
  await assert.rejects(pool.request(folderOf(0), 'info', blob), isUnavailable);
  assert.equal(server.git.require().program.processes, 0);
});

function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'unavailable';
}
