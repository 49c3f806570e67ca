// The runner of tasks in a thread: bounds, errors, the order of tasks, and the end of the server.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../../test/eventually.ts';
import { Failure } from '../failure.ts';
import { TaskStopped } from './task-error.ts';
import { threadFile, ThreadRunner, type ThreadRunnerOptions } from './thread-runner.ts';

const FILE = threadFile('fixture-thread', import.meta.url);
const opened: { close(): Promise<void> }[] = [];
after(() => Promise.all(opened.map((one) => one.close())));

function openThreads(options: Partial<ThreadRunnerOptions> = {}): ThreadRunner<string, unknown, string> {
  const threads = new ThreadRunner<string, unknown, string>(FILE, {
    megabytes: 64,
    idleMs: 60_000,
    ...options,
  });
  opened.push(threads);
  return threads;
}

const stoppedFor = (reason: TaskStopped['reason']) => (error: unknown) =>
  error instanceof TaskStopped && error.reason === reason;
const isStopping = (error: unknown) => error instanceof Failure && /stopping/.test(error.message);

test('tasks share one thread, which is started by the first', async () => {
  const threads = openThreads();
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => threads.ask(() => 'count'))), [1, 2, 3]);
});

test('a thread ends with its task where none is kept', async () => {
  const threads = openThreads({ idleMs: 0 });
  assert.deepEqual([await threads.ask(() => 'count'), await threads.ask(() => 'count')], [1, 1]);
});

test('a task exchanges messages until it is closed, and bytes are transferred', async () => {
  const threads = openThreads();
  const echo = await threads.open(() => 'echo');
  for (const message of ['a', 'b']) echo.send(message);
  assert.deepEqual([await echo.receive(), await echo.receive()], ['a', 'b']);
  await echo.close();
  await eventually(async () => (await threads.ask(() => 'count')) === 1);
  const bytes = await threads.open(() => 'bytes');
  assert.deepEqual([await bytes.receive(), await bytes.receive()], [new Uint8Array(10).fill(7), 0]);
  await bytes.close();
});

test('a task that never ends is stopped by its CPU time, and the next one has a new thread', async () => {
  const threads = openThreads({ cpuMs: 100 });
  const spin = await threads.open(() => 'spin');
  assert.equal(await spin.receive(), 'begun');
  await assert.rejects(spin.receive(), stoppedFor('cpu'));
  await spin.close();
  assert.equal(await threads.ask(() => 'count'), 1);
});

test('the CPU time of earlier tasks does not count', async () => {
  const threads = openThreads({ cpuMs: 600 });
  for (let n = 0; n < 8; n += 1) assert.equal(await threads.ask(() => 'work'), 'done');
});

test('a task without memory or stack is stopped', async () => {
  const threads = openThreads({ megabytes: 16 });
  for (const task of ['recurse', 'fill'])
    await assert.rejects(
      threads.ask(() => task),
      stoppedFor('memory'),
    );
  assert.equal(await threads.ask(() => 'count'), 1);
});

test('a failure of a task comes whole, and its thread goes on', async () => {
  const threads = openThreads();
  await assert.rejects(
    threads.ask(() => 'refuse'),
    (error: Failure) => {
      assert.deepEqual([error.kind, error.message], ['invalid', 'It is wrong.']);
      assert.deepEqual(error.details, { code: 'wrong', fields: [{ field: 'a', message: 'b' }] });
      return error instanceof Failure;
    },
  );
  const echo = await threads.open(() => 'echo');
  echo.send('throw');
  await assert.rejects(echo.receive(), /An answer failed/);
  await echo.close();
  assert.notEqual(await threads.ask(() => 'count'), undefined);
});

test('an unexpected error of a task names its cause, and the next one has a new thread', async () => {
  const threads = openThreads();
  await assert.rejects(
    threads.ask(() => 'throw'),
    (error: TaskStopped) => {
      assert.deepEqual([error.reason, error.message], ['error', 'It is broken.']);
      return /fixture-thread/.test((error.cause as Error).stack!);
    },
  );
  assert.equal(await threads.ask(() => 'count'), 1);
});

test('a thread that dies fails its tasks after all that they have sent', async () => {
  const threads = openThreads({ maxAtOnce: 2 });
  const other = await threads.open(() => 'echo');
  const crash = await threads.open(() => 'crash');
  await assert.rejects(other.receive(), stoppedFor('exit'));
  assert.equal(await crash.receive(), 'begun');
  await assert.rejects(crash.receive(), /Nobody catches it/);
  await Promise.all([other.close(), crash.close()]);
  await assert.rejects(
    threads.ask(() => 'exit'),
    stoppedFor('exit'),
  );
  assert.equal(await threads.ask(() => 'count'), 1);
});

test('a task that cannot be made or sent fails alone', async () => {
  const threads = openThreads();
  const broken = () => {
    throw new Failure('conflict', 'It was refused meanwhile.');
  };
  await assert.rejects(threads.ask(broken), /refused meanwhile/);
  await assert.rejects(
    threads.ask(() => (() => {}) as unknown as string),
    /could not be cloned/,
  );
  assert.equal(await threads.ask(() => 'count'), 1);
});

test('a thread that cannot start fails the tasks that wait for it', async () => {
  const threads = new ThreadRunner(threadFile('absent-thread', import.meta.url), {
    megabytes: 64,
    idleMs: 0,
  });
  await assert.rejects(
    threads.ask(() => 'count'),
    stoppedFor('exit'),
  );
  await threads.close();
});

test('an aborted task is left, whether it runs or waits', async () => {
  const threads = openThreads();
  const abort = new AbortController();
  const running = await threads.open(() => 'wait', abort);
  const waiting = threads.ask(() => 'count', abort);
  assert.equal(await running.receive(), 'begun');
  abort.abort(new Error('left'));
  await assert.rejects(running.receive(), /left/);
  await assert.rejects(waiting, /left/);
  await running.close();
  assert.equal(await threads.ask(() => 'count'), 1);
});

test('too many waiting tasks are refused, and owners take turns', async () => {
  const threads = openThreads({ maxWaiting: 3, maxWaitingEach: 2, refusal: 'Come back.', retryAfterSecs: 7 });
  const first = await threads.open(() => 'echo', { owner: 'mallory' });
  const order: string[] = [];
  const ask = (owner: string) => threads.ask(() => (order.push(owner), 'count'), { owner });
  const all = Promise.allSettled(['mallory', 'mallory', 'mallory', 'ada', 'bob'].map(ask));
  await first.close();
  const refused = (await all).flatMap((one) => (one.status === 'rejected' ? [one.reason as Failure] : []));
  assert.deepEqual(order, ['mallory', 'ada', 'mallory']);
  assert.deepEqual(
    refused.map(({ kind, message, details }) => [kind, message, details.headers]),
    Array.from({ length: 2 }, () => ['unavailable', 'Come back.', { 'retry-after': '7' }]),
  );
});

test('tasks that run or wait when the server stops fail, and so do later ones', async () => {
  const threads = openThreads();
  const running = await threads.open(() => 'spin');
  const waiting = threads.ask(() => 'count');
  assert.equal(await running.receive(), 'begun');
  await Promise.all([threads.close(), assert.rejects(running.receive(), isStopping)]);
  await running.close();
  await assert.rejects(waiting, isStopping);
  await assert.rejects(
    threads.ask(() => 'count'),
    isStopping,
  );
});

test('a task whose thread is starting when the server stops fails', async () => {
  const threads = openThreads();
  const starting = assert.rejects(
    threads.ask(() => 'count'),
    isStopping,
  );
  await Promise.resolve();
  await threads.close();
  await starting;
});

test('a thread sees nothing of the environment of the server', async () => {
  assert.deepEqual(await openThreads().ask(() => 'environment'), {});
});
