// Due work on each engine: exactly one claimer, leases that expire, and the worker.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import type { TestEngine } from '../../../test/engines.ts';
import { eventually, inTime, PATIENCE_MS } from '../../../test/eventually.ts';
import { claim, dueMigrations, finish, heartbeat, retry, schedule, type Due } from './due-store.ts';
import { startWorker, type Worker, type WorkerSettings } from './due-worker.ts';
import type { Engine } from '../storage/engine.ts';

const CLAIMER = new URL('../../../test/claimer-process.ts', import.meta.url);

const work = (id: string, dueAt = 0): { id: string; kind: string; payload: string; dueAt: number } => {
  return { id, kind: 'test', payload: `payload of ${id}`, dueAt };
};

const take = (engine: Engine, owner: string, now: number, limit = 10): Promise<Due[]> =>
  claim(engine, { kinds: ['test'], owner, leaseMs: 1_000, limit }, now);

const idsOf = (rows: Due[]): string[] => rows.map(({ id }) => id).sort();

async function startClaimer(location: string, owner: string, end: 'finish' | 'hang'): Promise<ChildProcess> {
  const claimer = fork(CLAIMER, [location, owner, '1000', end]);
  await inTime(once(claimer, 'message'));
  return claimer;
}

onEachEngine((engine) => {
  test('work is claimed when it is due, oldest first, and not twice', async () => {
    const one = await engine.open(dueMigrations);
    for (const [id, dueAt] of [
      ['c', 30],
      ['a', 10],
      ['b', 20],
      ['later', 101],
    ] as const) {
      await schedule(one.db, work(id, dueAt), 5);
    }
    assert.deepEqual(idsOf(await take(one, 'me', 100, 2)), ['a', 'b']);
    const [row] = await take(one, 'me', 100);
    assert.deepEqual(
      { ...row, owner: row?.owner?.startsWith('me') },
      {
        id: 'c',
        kind: 'test',
        payload: 'payload of c',
        due_at: 1_100,
        owner: true,
        attempts: 1,
        last_error: null,
        created_at: 5,
      },
    );
    assert.deepEqual(await take(one, 'me', 100), []);
    assert.deepEqual(idsOf(await take(one, 'me', 101)), ['later']);
  });

  test('work of other kinds is left to others', async () => {
    const one = await engine.open(dueMigrations);
    await schedule(one.db, { ...work('a'), kind: 'other' }, 0);
    assert.deepEqual(await take(one, 'me', 100), []);
    assert.equal(
      (await claim(one, { kinds: ['test', 'other'], owner: 'me', leaseMs: 1, limit: 1 }, 100)).length,
      1,
    );
  });

  test('work is scheduled with its transaction or not at all', async () => {
    const one = await engine.open(dueMigrations);
    const undone = one.db.transaction().execute(async (tx) => {
      await schedule(tx, work('a'), 0);
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.deepEqual(await take(one, 'me', 100), []);
  });

  test('an id has one row, which is kept or moved', async () => {
    const one = await engine.open(dueMigrations);
    await schedule(one.db, work('a', 100), 0);
    await schedule(one.db, { ...work('a', 50), payload: 'ignored' }, 0);
    assert.deepEqual(await take(one, 'me', 99), []);
    await schedule(one.db, { ...work('a', 50), payload: 'new' }, 0, 'move');
    const rows = await take(one, 'me', 99);
    assert.deepEqual(
      rows.map(({ payload }) => payload),
      ['new'],
    );
  });

  test('a row that is due later can be advanced, but not one that is being worked on', async () => {
    const one = await engine.open(dueMigrations);
    await schedule(one.db, work('a', 100), 0);
    await schedule(one.db, work('a', 50), 0, 'advance');
    await schedule(one.db, work('a', 200), 0, 'advance');
    assert.deepEqual(await take(one, 'me', 49), []);
    const [due] = await take(one, 'me', 50);
    assert.ok(due);
    await schedule(one.db, work('a', 10), 0, 'advance');
    assert.deepEqual(await take(one, 'other', 60), [], 'the lease is as it was');
    assert.equal(await finish(one.db, due), true);
  });

  test('a lease that expires is taken over, and the old claimer can change nothing', async () => {
    const one = await engine.open(dueMigrations);
    await schedule(one.db, work('a'), 0);
    const [old] = await take(one, 'old', 100);
    assert.deepEqual(await take(one, 'new', 1_099), []);
    const [taken] = await take(one, 'new', 1_100);
    assert.ok(old && taken);
    assert.equal(taken.attempts, 2);
    assert.equal(await heartbeat(one.db, old, 1_000, 1_100), false);
    assert.equal(await retry(one.db, old, 0, 'late'), false);
    assert.equal(await finish(one.db, old), false);
    assert.equal(await finish(one.db, taken), true);
    assert.equal(await finish(one.db, taken), false);
  });

  test('work that ended its process more than once starts later each time, and is never given up', async (t) => {
    const one = await engine.open(dueMigrations);
    const clock = { time: 1000, now: () => clock.time };
    await schedule(one.db, { id: 'poison', kind: 'k', payload: '', dueAt: 0 }, 0);
    const started: number[] = [];
    const waits: number[] = [];
    const find = () => one.db.selectFrom('due').selectAll().executeTakeFirstOrThrow();
    for (let death = 1; death <= 6; death += 1) {
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const worker = await startWorker({
        engine: one,
        clock,
        random: () => 0,
        log: { warn() {}, error() {} },
        owner: `process ${death}`,
        graceMs: 1,
        handlers: {
          async k() {
            started.push(death);
            await isOver;
          },
        },
      });
      t.after(() => worker.stop());
      await eventually(async () => {
        if (started.includes(death)) return true;
        const { due_at: dueAt, owner } = await find();
        // It waits: time passes until it is due.
        if (owner === null && dueAt > clock.time) {
          waits.push(dueAt - clock.time);
          clock.time = dueAt;
          worker.poke();
        }
        return false;
      }, 'the start');
      await worker.stop('failure');
      end();
      clock.time = (await find()).due_at;
    }
    assert.deepEqual(started, [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(waits, [4000, 16_000, 64_000, 256_000]);
  });

  test('a second claim by the same owner on the same id is another claim', async () => {
    const one = await engine.open(dueMigrations);
    await schedule(one.db, work('a'), 0);
    const [old] = await take(one, 'me', 100);
    await schedule(one.db, work('a'), 0, 'move');
    const [anew] = await take(one, 'me', 100);
    assert.ok(old && anew);
    assert.equal(await finish(one.db, old), false);
    assert.equal(await finish(one.db, anew), true);
  });

  test('a heartbeat extends the lease, and a retry gives the work back with its error', async () => {
    const one = await engine.open(dueMigrations);
    await schedule(one.db, work('a'), 0);
    const [due] = await take(one, 'me', 100);
    assert.ok(due);
    assert.equal(await heartbeat(one.db, due, 1_000, 900), true);
    assert.deepEqual(await take(one, 'other', 1_899), []);
    assert.equal(await retry(one.db, due, 3_000, 'no luck'), true);
    assert.deepEqual(await take(one, 'other', 2_999), []);
    const [again] = await take(one, 'other', 3_000);
    assert.deepEqual([again?.attempts, again?.last_error], [2, 'no luck']);
  });

  test('of several processes, exactly one claims each piece of work', async (t) => {
    const location = await engine.database();
    const { db } = await engine.open(dueMigrations, location);
    const ids = Array.from({ length: 500 }, (_, i) => `work ${i}`);
    await db.transaction().execute(async (tx) => {
      for (const id of ids) await schedule(tx, work(id), 0);
    });
    const claimers = await Promise.all(
      ['p', 'q', 'r'].map((owner) => startClaimer(location, owner, 'finish')),
    );
    t.after(() => claimers.forEach((claimer) => claimer.kill()));
    const claimed: string[] = [];
    for (const claimer of claimers) claimer.on('message', (got: string[]) => claimed.push(...got));
    for (const claimer of claimers) claimer.send(100);
    const codes = await Promise.all(
      claimers.map(async (claimer) => (await inTime(once(claimer, 'exit')))[0] as number),
    );
    assert.deepEqual(codes, [0, 0, 0]);
    assert.deepEqual(claimed.sort(), ids.sort());
    assert.deepEqual(await db.selectFrom('due').selectAll().execute(), []);
  });

  test('the claims of a killed process are taken over when their leases expire', async () => {
    const location = await engine.database();
    const one = await engine.open(dueMigrations, location);
    for (const id of ['a', 'b', 'c']) await schedule(one.db, work(id), 0);
    const claimer = await startClaimer(location, 'doomed', 'hang');
    claimer.send(100);
    const [claimed] = (await inTime(once(claimer, 'message'))) as [string[]];
    assert.deepEqual(claimed.sort(), ['a', 'b', 'c']);
    claimer.kill('SIGKILL');
    await inTime(once(claimer, 'exit'));
    assert.deepEqual(await take(one, 'heir', 1_099), []);
    assert.deepEqual(idsOf(await take(one, 'heir', 1_100)), ['a', 'b', 'c']);
  });

  declareWorkerTests(engine);
});

/** A worker on an empty database whose clock the test sets. */
interface Bench {
  one: Engine;
  clock: { time: number; now(): number };
  /** Started workers are stopped after the test. */
  start(settings: Pick<WorkerSettings, 'handlers'> & Partial<WorkerSettings>): Promise<Worker>;
  row(id: string): Promise<Due | undefined>;
}

async function setUp(engine: TestEngine, t: TestContext): Promise<Bench> {
  const one = await engine.open(dueMigrations);
  const clock = { time: 1_000_000, now: () => clock.time };
  const log = { warn: () => {}, error: () => {} };
  return {
    one,
    clock,
    async start(settings) {
      const worker = await startWorker({
        engine: one,
        clock,
        log,
        random: () => 0,
        owner: 'worker',
        graceMs: 20,
        ...settings,
      });
      t.after(() => worker.stop());
      return worker;
    },
    row: (id) => one.db.selectFrom('due').selectAll().where('id', '=', id).executeTakeFirst(),
  };
}

function declareWorkerTests(engine: TestEngine): void {
  test('a worker handles due rows, and deletes them', async (t) => {
    const { one, clock, start, row } = await setUp(engine, t);
    const handled: string[] = [];
    await schedule(one.db, work('now', clock.time), clock.time);
    await schedule(one.db, work('later', clock.time + 60_000), clock.time);
    const worker = await start({ handlers: { test: async ({ payload }) => void handled.push(payload) } });
    await eventually(async () => (await row('now')) === undefined);
    assert.deepEqual(handled, ['payload of now']);
    clock.time += 60_000;
    worker.poke();
    await eventually(async () => (await row('later')) === undefined);
    assert.deepEqual(handled, ['payload of now', 'payload of later']);
  });

  test('a sleeping worker is woken by the commit of work', async (t) => {
    const { one, clock, start, row } = await setUp(engine, t);
    await start({ handlers: { test: async () => {} }, pollMs: 3_600_000 });
    await one.db.transaction().execute((tx) => schedule(tx, work('a', clock.time), clock.time));
    await eventually(async () => (await row('a')) === undefined);
  });

  test('work that fails is tried again, later each time', async (t) => {
    const { one, clock, start, row } = await setUp(engine, t);
    let random = 0;
    await schedule(one.db, work('a', clock.time), clock.time);
    const fail = async (): Promise<void> => {
      throw new Error('out of luck');
    };
    const worker = await start({ handlers: { test: fail }, random: () => random });
    const waits: number[] = [];
    for (const [attempts, chance] of [
      [1, 0],
      [2, 1],
      [3, 0],
    ] as const) {
      random = chance;
      worker.poke();
      await eventually(
        async () => (await row('a'))?.attempts === attempts && (await row('a'))?.owner === null,
      );
      const due = await row('a');
      assert.match(due?.last_error ?? '', /out of luck/);
      waits.push((due?.due_at ?? 0) - clock.time);
      clock.time = due?.due_at ?? 0;
    }
    assert.deepEqual(waits, [1_000, 1_000, 4_000]);
  });

  test('the lease is extended while the handler runs', async (t) => {
    const { one, clock, start, row } = await setUp(engine, t);
    const ending = Promise.withResolvers<void>();
    await schedule(one.db, work('a', clock.time), clock.time);
    await start({ handlers: { test: () => ending.promise }, leaseMs: 90 });
    await eventually(async () => (await row('a'))?.owner != null);
    clock.time += 80;
    await eventually(async () => (await row('a'))?.due_at === clock.time + 90);
    ending.resolve();
    await eventually(async () => (await row('a')) === undefined);
  });

  test('a handler whose row is moved is aborted, and the work runs again', async (t) => {
    const { one, clock, start, row } = await setUp(engine, t);
    const stopped = Promise.withResolvers<void>();
    let runs = 0;
    const handler = async (_: Due, signal: AbortSignal): Promise<void> => {
      runs += 1;
      if (runs > 1) return;
      signal.addEventListener('abort', () => stopped.resolve());
      await stopped.promise;
      signal.throwIfAborted();
    };
    await schedule(one.db, work('a', clock.time), clock.time);
    const worker = await start({ handlers: { test: handler }, leaseMs: 90 });
    await eventually(() => runs === 1);
    await schedule(one.db, work('a', clock.time), clock.time, 'move');
    await inTime(stopped.promise);
    worker.poke();
    await eventually(async () => (await row('a')) === undefined);
    assert.equal(runs, 2);
  });

  test('a handler may settle its work itself', async (t) => {
    const { one, clock, start, row } = await setUp(engine, t);
    const next = clock.time + 60_000;
    const settled: string[] = [];
    await schedule(one.db, work('once', clock.time), clock.time);
    await schedule(one.db, work('again', clock.time), clock.time);
    const worker = await start({
      graceMs: PATIENCE_MS,
      handlers: {
        test: async (due) => {
          if (due.id === 'again') await schedule(one.db, work('again', next), clock.time, 'move');
          else await one.db.transaction().execute(async (tx) => void (await finish(tx, due)));
          settled.push(due.id);
        },
      },
    });
    await eventually(() => settled.length === 2);
    // `stop` also waits for the worker's own writes after the handlers.
    await worker.stop();
    assert.equal(await row('once'), undefined);
    const { due_at, owner } = (await row('again')) ?? {};
    assert.deepEqual({ due_at, owner }, { due_at: next, owner: null });
  });

  test('a handler whose lease cannot be extended is aborted when the lease expires, and then changes nothing', async (t) => {
    const { one, clock, start, row } = await setUp(engine, t);
    const warnings: string[] = [];
    const log = { warn: (_: unknown, message?: string) => void warnings.push(message!), error: () => {} };
    const failedBeats = () => warnings.filter((message) => message === 'cannot extend a lease').length;
    const stopped = Promise.withResolvers<void>();
    t.after(() => stopped.resolve());
    let signal: AbortSignal | undefined;
    const handler = async (_: Due, given: AbortSignal): Promise<void> => {
      signal = given;
      await stopped.promise;
      throw new Error('stopped');
    };
    await schedule(one.db, work('a', clock.time), clock.time);
    const worker = await start({ handlers: { test: handler }, leaseMs: 30, log, graceMs: PATIENCE_MS });
    await eventually(() => signal !== undefined);
    await sql`alter table due rename to away`.execute(one.db);
    await eventually(() => failedBeats() > 0);
    assert.equal(signal?.aborted, false);
    clock.time += 30;
    const before = failedBeats();
    await eventually(() => signal?.aborted === true || failedBeats() > before + 1);
    assert.match(String(signal?.reason), /could not be extended/);
    // Otherwise the worker may take the work again, whose lease has expired.
    const stopping = worker.stop();
    await sql`alter table away rename to due`.execute(one.db);
    stopped.resolve();
    await stopping;
    const { owner, attempts, last_error } = (await row('a')) ?? {};
    assert.match(owner ?? '', /^worker/);
    assert.deepEqual({ attempts, last_error }, { attempts: 1, last_error: null });
    assert.ok(!warnings.includes('due work failed'));
  });

  test('no more handlers run at once than allowed, and all work is done', async (t) => {
    const { one, clock, start } = await setUp(engine, t);
    for (let i = 0; i < 30; i++) await schedule(one.db, work(`${i}`, clock.time), clock.time);
    let running = 0;
    let most = 0;
    const areFour = Promise.withResolvers<void>();
    const handler = async (): Promise<void> => {
      most = Math.max(most, ++running);
      if (running === 4) areFour.resolve();
      await areFour.promise;
      await new Promise((resolve) => setTimeout(resolve, 2));
      running -= 1;
    };
    await start({ handlers: { test: handler }, concurrency: 4 });
    await eventually(async () => (await one.db.selectFrom('due').select('id').execute()).length === 0);
    assert.equal(most, 4);
  });

  test('stopping lets handlers finish', async (t) => {
    const { one, clock, start, row } = await setUp(engine, t);
    const ending = Promise.withResolvers<void>();
    let isRunning = false;
    const handler = async (): Promise<void> => {
      isRunning = true;
      await ending.promise;
    };
    await schedule(one.db, work('a', clock.time), clock.time);
    const worker = await start({ handlers: { test: handler }, graceMs: PATIENCE_MS });
    await eventually(() => isRunning);
    const stopped = worker.stop();
    ending.resolve();
    await stopped;
    assert.equal(await row('a'), undefined);
  });

  test('stopping releases unfinished work', async (t) => {
    const { one, clock, start, row } = await setUp(engine, t);
    let isRunning = false;
    let aborted = false;
    const handler = async (_: Due, signal: AbortSignal): Promise<void> => {
      isRunning = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted = true;
    };
    await schedule(one.db, work('endless', clock.time), clock.time);
    const worker = await start({ handlers: { test: handler } });
    await eventually(() => isRunning);
    await worker.stop();
    const { owner, attempts, due_at } = (await row('endless')) ?? {};
    assert.deepEqual({ owner, attempts, due_at }, { owner: null, attempts: 0, due_at: clock.time });
    await eventually(() => aborted);
  });
}
