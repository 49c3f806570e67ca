// The pool of runs in standby mode, with programs that are always ready: how requests are spread, queued and refused.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { eventually } from '../../../test/eventually.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Run } from '../runs/model.ts';
import { WebServer } from '../runs/web-server.ts';
import { poolSettingsOf, type PoolSettings } from './model.ts';
import { StandbyPool, type PoolContext } from './pool.ts';

const clock = { at: 0, now: () => clock.at };
const program = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
before(async () => {
  program.listen(0, '127.0.0.1');
  await once(program, 'listening');
});
after(() => program.close());

const SETTINGS = poolSettingsOf({
  desiredRequestsPerActorRun: 2,
  maxRequestsPerActorRun: 3,
  idleTimeoutSecs: 60,
});
const never = new AbortController().signal;

function setUp(settings: PoolSettings = SETTINGS, changes: Partial<PoolContext> = {}) {
  const { promise: isReady, resolve: onReady } = Promise.withResolvers<unknown>();
  const context = {
    clock,
    log: pino({ enabled: false }),
    readyMs: 300_000,
    maxWaiting: 10,
    onReady,
    ...changes,
  };
  const pool = new StandbyPool(context, settings);
  const started: string[] = [];
  const start = () => {
    started.push(`run-${started.length + 1}`);
    return Promise.resolve(started.at(-1)!);
  };
  const acquire = (signal = never) => pool.acquire(settings, start, signal);
  const open = (id: string) => {
    const { port } = program.address() as AddressInfo;
    const server = new WebServer({ id } as Run, {
      address: { port },
      secret: 'secret',
      isGenuine: () => Promise.resolve(true),
    });
    pool.opened(server);
    return server;
  };
  return { pool, started, acquire, open, isReady };
}

const isFailure = (code: string | undefined, kind: string) => (error: unknown) =>
  error instanceof Failure && error.kind === kind && error.details.code === code;

test('runs are started for the desired number, and each takes up to the most', async () => {
  const { started, acquire, open } = setUp();
  const waiting = Array.from({ length: 5 }, () => acquire());
  assert.deepEqual(started, ['run-1', 'run-2', 'run-3']);
  const servers = started.map(open);
  const given = await Promise.all(waiting);
  assert.equal(given.length, 5);
  for (const { requests } of servers) assert.ok(requests <= 3);
  assert.equal(
    servers.reduce((sum, { requests }) => sum + requests, 0),
    5,
  );
  await acquire();
  assert.equal(started.length, 3);
});

test('a request goes to the fullest run below the desired number, and to none that is not ready', async () => {
  const { acquire, open } = setUp();
  const first = open('run-1');
  const waiting = acquire();
  assert.equal(first.requests, 0, 'it has not answered yet');
  assert.equal(await waiting, first);
  const second = open('run-2');
  await eventually(() => second.isReady);
  assert.equal(await acquire(), first, 'the other one may become idle');
  assert.equal(await acquire(), second);
  assert.equal(await acquire(), second);
  assert.deepEqual([first.requests, second.requests], [2, 2]);
});

test('a request waits for room where no more runs can be started, in the order of coming', async () => {
  const settings = poolSettingsOf({ desiredRequestsPerActorRun: 1, maxRequestsPerActorRun: 1 });
  const { pool, acquire, open } = setUp(settings);
  const first = acquire();
  const server = open('run-1');
  assert.equal(await first, server);
  const refuse = () => Promise.reject(new Failure('over-quota', 'No more.'));
  const order: number[] = [];
  const others = [1, 2].map(async (index) => {
    const one = await pool.acquire(settings, refuse, never);
    order.push(index);
    one.leave();
  });
  server.leave();
  await Promise.all(others);
  assert.deepEqual(order, [1, 2]);
  assert.equal(server.requests, 0);
});

test('without any run, the reason why none can be started is the answer', async () => {
  const { pool } = setUp();
  const refuse = () => Promise.reject(new Failure('over-quota', 'No more.', { code: 'a-limit' }));
  await assert.rejects(pool.acquire(SETTINGS, refuse, never), isFailure('a-limit', 'over-quota'));
});

test('no more than so many wait, and those whose client leaves do not', async () => {
  const { acquire, pool } = setUp(SETTINGS, { maxWaiting: 2 });
  const gone = new AbortController();
  const first = acquire(gone.signal);
  void acquire().catch(() => {});
  await assert.rejects(acquire(), isFailure(undefined, 'exhausted'));
  gone.abort();
  await assert.rejects(first);
  const third = acquire();
  pool.expire(clock.now() + 299_999);
  assert.equal(pool.isEmpty, false);
  pool.expire(clock.now() + 300_000);
  await assert.rejects(third, isFailure('web-server-timed-out', 'timeout'));
});

test('an idle run retires, and a busy one or one that just answered does not', async () => {
  const { acquire, open, isReady } = setUp();
  const waiting = acquire();
  const server = open('run-1');
  await waiting;
  await isReady;
  clock.at += 61_000;
  assert.equal(server.retire(), undefined);
  server.leave();
  clock.at += 59_999;
  assert.equal(server.retire(), undefined);
  clock.at += 1;
  assert.equal(server.retire()?.isSuccess, true);
  const next = acquire();
  assert.equal(server.requests, 0, 'a retired run gets no requests');
  void next.catch(() => {});
});

test('a run that ends before it answers fails what waits; one that had answered is replaced', async () => {
  const early = setUp();
  const failed = early.acquire();
  await Promise.resolve();
  early.pool.ended('run-1', 'FAILED');
  await assert.rejects(failed, isFailure('web-server-not-available', 'invalid'));

  const settings = poolSettingsOf({ desiredRequestsPerActorRun: 1, maxRequestsPerActorRun: 1 });
  const late = setUp(settings);
  const first = late.acquire();
  const server = late.open('run-1');
  await first;
  server.end();
  late.pool.closed(server);
  late.pool.ended('run-1', 'FAILED');
  const second = late.acquire();
  assert.deepEqual(late.started, ['run-1', 'run-2']);
  late.open('run-2');
  assert.equal((await second).run.id, 'run-2');
});
