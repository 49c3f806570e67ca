// Jobs on each engine: a fair queue, leases that one node holds, controls, and the worker.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually, inTime } from '../../../test/eventually.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { jobMigrations } from '../migrations/jobs.ts';
import { startJobWorker, type JobWorker, type JobWorkerSettings } from './job-worker.ts';
import { LeaseLost, ServerStopping, type Job, type JobControl, type JobHandler, countDeaths } from './job.ts';
import type * as JobStore from './store.ts';
import {
  claimJob,
  clearControl,
  deleteJob,
  deleteWaitingJob,
  findFirstWaiting,
  forgiveDeath,
  holdsJob,
  insertJob,
  JOBS,
  releaseJobsOf,
  requestControl,
} from './store.ts';

const silent = { warn() {}, error() {} } as unknown as JobWorkerSettings['log'];

const NO_JOB: Job = { id: '', kind: 'run', userId: '', memoryMbytes: 0, owner: '', claims: 0, deaths: 0 };

onEachEngine((kind) => {
  async function insert(engine: Engine, id: string, userId = 'ann', memoryMbytes = 128): Promise<void> {
    await engine.db
      .transaction()
      .execute((tx) => insertJob(tx, { id, kind: 'run', userId, memoryMbytes }, systemClock.now()));
  }

  async function dispatch(
    context: TestContext,
    engine: Engine,
    run: JobHandler,
    more: Partial<JobWorkerSettings> = {},
  ): Promise<JobWorker> {
    const worker = await startJobWorker({
      engine,
      clock: systemClock,
      log: silent,
      handlers: { run },
      node: 'node',
      memoryMbytes: 1024,
      slots: 2,
      ...more,
    });
    context.after(() => worker.stop());
    return worker;
  }

  const control = (engine: Engine, id: string, command: JobControl) =>
    engine.db.transaction().execute((tx) => requestControl(tx, id, command));
  const rows = (engine: Engine) => engine.db.selectFrom('jobs').selectAll().orderBy('id').execute();
  const untilAborted = (signal: AbortSignal) =>
    new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

  test('accounts take turns, and each account is served in the order of its calls', async (context) => {
    const engine = await kind.open(jobMigrations);
    for (const id of ['a1', 'a2', 'a3', 'a4']) await insert(engine, id, 'ann');
    await insert(engine, 'b1', 'bob');
    await insert(engine, 'c1', 'cid');
    const order: string[] = [];
    await dispatch(
      context,
      engine,
      async (job) => {
        order.push(job.id);
        await deleteJob(engine.db, job);
      },
      { slots: 1 },
    );
    await eventually(() => order.length === 6);
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'a3', 'a4']);
    await eventually(async () => (await rows(engine)).length === 0);
  });

  test('what does not fit into the memory of the node waits, and smaller jobs go first', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a-large', 'ann', 800);
    await insert(engine, 'b-large', 'bob', 800);
    await insert(engine, 'c-small', 'cid', 200);
    const begun: string[] = [];
    const gates = new Map<string, () => void>();
    await dispatch(
      context,
      engine,
      async (job) => {
        begun.push(job.id);
        await new Promise<void>((resolve) => gates.set(job.id, resolve));
        await deleteJob(engine.db, job);
      },
      { slots: 10 },
    );
    await eventually(() => begun.length === 2);
    assert.deepEqual(begun, ['a-large', 'c-small']);
    gates.get('a-large')!();
    await eventually(() => begun.length === 3);
    gates.get('b-large')!();
    gates.get('c-small')!();
  });

  test('a job that has waited long for memory is not overtaken any more by jobs of any account', async (context) => {
    const engine = await kind.open(jobMigrations);
    let ahead = 0;
    let looks = 0;
    const begun: string[] = [];
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    context.after(() => open());
    await insert(engine, 'b-first', 'bob', 600);
    await dispatch(
      context,
      engine,
      async (job) => {
        begun.push(job.id);
        if (job.id === 'b-first') await opened;
        await deleteJob(engine.db, job);
      },
      { slots: 10, clock: { now: () => systemClock.now() + ahead }, hasRoom: () => (looks += 1) > 0 },
    );
    await eventually(() => begun.length === 1);
    await insert(engine, 'b-large', 'bob', 1000);
    for (const id of ['a-1', 'a-2', 'a-3']) {
      await insert(engine, id, 'ann', 200);
      await eventually(() => begun.includes(id), 'a smaller job, which goes first');
    }
    ahead += 60_000;
    // A search that began before is over.
    const before = looks;
    await engine.notify(JOBS);
    await eventually(() => looks > before, 'another search');
    for (const user of ['ann', 'cid', 'dan']) await insert(engine, `${user}-small`, user, 200);
    await engine.notify(JOBS);
    open();
    await eventually(async () => (await rows(engine)).length === 0);
    assert.deepEqual(begun.slice(0, 5), ['b-first', 'a-1', 'a-2', 'a-3', 'b-large']);
  });

  test('a job that is too large for this node does not hold up the others of its account', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a-huge', 'ann', 5000);
    await insert(engine, 'b-small', 'ann', 100);
    const begun: string[] = [];
    await dispatch(context, engine, async (job) => {
      begun.push(job.id);
      await deleteJob(engine.db, job);
    });
    await eventually(async () => (await rows(engine)).length === 1);
    assert.deepEqual([begun, (await rows(engine))[0]!.id], [['b-small'], 'a-huge']);
  });

  test('a node that gets a job again waits for its own earlier handler of it', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    const events: string[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    await dispatch(
      context,
      engine,
      async (job, { signal }) => {
        events.push(`begin ${job.claims}`);
        if (job.claims === 1) {
          await engine.db.updateTable('jobs').set({ owner: null, lease_until: null }).execute();
          await untilAborted(signal);
          await ended;
        }
        events.push(`end ${job.claims}`);
        await deleteJob(engine.db, job);
      },
      // A sixth of the lease is the interval in which the node notices; the lease itself must not end on a busy machine.
      { leaseMs: 6000, pollMs: 20 },
    );
    await eventually(async () => (await rows(engine))[0]!.claims === 2);
    end();
    await eventually(async () => (await rows(engine)).length === 0);
    assert.deepEqual(events, ['begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  test('two nodes never execute the same job', async (context) => {
    const engine = await kind.open(jobMigrations);
    const ids = Array.from({ length: 40 }, (_, index) => `job-${String(index).padStart(2, '0')}`);
    for (const id of ids) await insert(engine, id);
    const done: string[] = [];
    const handler: JobHandler = async (job) => {
      done.push(job.id);
      assert.ok(await deleteJob(engine.db, job));
    };
    await dispatch(context, engine, handler, { node: 'one', slots: 8 });
    await dispatch(context, engine, handler, { node: 'two', slots: 8 });
    await eventually(() => done.length === ids.length);
    assert.deepEqual(done.toSorted(), ids);
  });

  test('a handler hears what callers want, also what they wanted before it listened', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    await control(engine, 'a', 'reboot');
    const received: JobControl[] = [];
    let executed: Job | undefined;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    await dispatch(context, engine, async (job, { onControl }) => {
      executed = job;
      onControl((command) => received.push(command));
      await ended;
      await deleteJob(engine.db, job);
    });
    await eventually(() => received.length === 1);
    await clearControl(engine.db, executed!, 'reboot');
    await control(engine, 'a', 'reboot');
    await eventually(() => received.length === 2);
    await control(engine, 'a', 'abort-gracefully');
    await eventually(() => received.length === 3);
    await control(engine, 'a', 'reboot');
    await control(engine, 'a', 'abort');
    await eventually(() => received.length === 4);
    assert.deepEqual(received, ['reboot', 'reboot', 'abort-gracefully', 'abort']);
    assert.equal(await engine.db.transaction().execute((tx) => deleteWaitingJob(tx, 'a')), false);
    end();
    await eventually(async () => (await rows(engine)).length === 0);
  });

  test('a command is cleared by its owner, and not after another has replaced it', async () => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    const { job } = (await claimJob(engine.db, 'a', 'node/1', systemClock.now() + 3_600_000))!;
    const wanted = async () => (await rows(engine))[0]!.control?.split('#')[0];
    await control(engine, 'a', 'reboot');
    await clearControl(engine.db, { id: 'a', owner: 'node/0' }, 'reboot');
    assert.equal(await wanted(), 'reboot');
    await control(engine, 'a', 'abort');
    await clearControl(engine.db, job, 'reboot');
    assert.equal(await wanted(), 'abort');
    const first = (await rows(engine))[0]!.control;
    for (const later of ['abort', 'abort-gracefully', 'reboot'] as const) await control(engine, 'a', later);
    assert.equal((await rows(engine))[0]!.control, first, 'an abort is wanted for once');
    await clearControl(engine.db, job, 'abort');
    assert.equal(await wanted(), undefined);
  });

  test('a job that is to start later is not there before', async () => {
    const engine = await kind.open(jobMigrations);
    const due = systemClock.now() + 1000;
    const job = { id: 'a', kind: 'run', userId: 'ann', memoryMbytes: 128 } as const;
    await engine.db.transaction().execute((tx) => insertJob(tx, job, due));
    const room = { kinds: ['run'], memoryMbytes: 128, node: 'node' } as const;
    const waitingAt = async (now: number) => (await findFirstWaiting(engine.db, 'ann', room, now))?.id;
    assert.deepEqual([await waitingAt(due - 1), await waitingAt(due)], [undefined, 'a']);
  });

  test('commands of the same kind from two servers are both received', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    // Another instance of the module is what another server has, which may have the same process id, as in containers.
    const other = (await import(`${import.meta.dirname}/store.ts?other`)) as typeof JobStore;
    const own = (await import(`${import.meta.dirname}/store.ts?own`)) as typeof JobStore;
    const received: JobControl[] = [];
    let executed: Job | undefined;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    await dispatch(context, engine, async (job, { onControl }) => {
      executed = job;
      onControl((command) => received.push(command));
      await ended;
      await deleteJob(engine.db, job);
    });
    for (const [index, store] of [own, other].entries()) {
      await engine.db.transaction().execute((tx) => store.requestControl(tx, 'a', 'reboot'));
      await eventually(() => received.length === index + 1);
      await clearControl(engine.db, executed!, 'reboot');
    }
    end();
  });

  test('a job whose handler throws is executed again', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    const claims: number[] = [];
    await dispatch(context, engine, async (job) => {
      claims.push(job.claims);
      if (claims.length === 1) throw new Error('once');
      await deleteJob(engine.db, job);
    });
    await eventually(() => claims.length === 2);
    assert.deepEqual(claims, [1, 2]);
  });

  test('a node that stops gives its jobs back, and the next one goes on', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    const reasons: unknown[] = [];
    const first = await dispatch(context, engine, async (_job, { signal }) => {
      reasons.push(await untilAborted(signal));
    });
    await eventually(async () => (await rows(engine))[0]!.owner !== null);
    await first.stop();
    assert.ok(reasons[0] instanceof ServerStopping);
    assert.deepEqual(
      (await rows(engine)).map(({ id, owner, claims }) => ({ id, owner, claims })),
      [{ id: 'a', owner: null, claims: 1 }],
    );
    const { promise, resolve } = Promise.withResolvers<number>();
    await dispatch(
      context,
      engine,
      async (job) => {
        resolve(job.claims);
        await deleteJob(engine.db, job);
      },
      { node: 'other' },
    );
    assert.equal(await inTime(promise), 2);
  });

  test('a handler hears what callers want while its node stops', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    const { promise: isStarted, resolve: start } = Promise.withResolvers<void>();
    const worker = await dispatch(context, engine, async (_job, { signal, onControl }) => {
      const received = new Promise<JobControl>((resolve) => onControl(resolve));
      start();
      await untilAborted(signal);
      await control(engine, 'a', 'reboot');
      assert.equal(await received, 'reboot');
    });
    await inTime(isStarted);
    await worker.stop();
    // Given back by the handler's end, not left when the node's patience ended.
    assert.equal((await rows(engine))[0]!.owner, null);
  });

  test('the jobs of a crashed node go on after its restart at once, and elsewhere when their leases end', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    await insert(engine, 'b', 'bob');
    const owned = { lease_until: systemClock.now() + 3_600_000, claims: 1 };
    await engine.db
      .updateTable('jobs')
      .set({ ...owned, owner: 'node/1.1' })
      .where('id', '=', 'a')
      .execute();
    await engine.db
      .updateTable('jobs')
      .set({ owner: 'node2/1.1', lease_until: systemClock.now() - 1, claims: 1 })
      .where('id', '=', 'b')
      .execute();
    const done: string[] = [];
    await dispatch(
      context,
      engine,
      async (job) => {
        done.push(`${job.id} ${job.claims}`);
        await deleteJob(engine.db, job);
      },
      { leaseMs: 6000 },
    );
    await eventually(() => done.length === 2);
    assert.deepEqual(done, ['a 2', 'b 2']);
  });

  test('a node gives back the jobs of its own name, and none of names that begin alike', async () => {
    const engine = await kind.open(jobMigrations);
    const owners = ['a/1', 'nod/1', 'node-2/1', 'node/1', 'node/2', 'node0/1', 'node2/1', 'z/1'];
    for (const owner of owners) {
      await insert(engine, owner);
      await claimJob(engine.db, owner, owner, systemClock.now() + 3_600_000);
    }
    await releaseJobsOf(engine.db, 'node', systemClock.now());
    const released = (await rows(engine)).filter(({ owner }) => owner === null).map(({ id }) => id);
    assert.deepEqual(released.sort(), ['node/1', 'node/2']);
  });

  test('a job whose process died starts later each time, and the fifth death within an hour is its last', async (context) => {
    const engine = await kind.open(jobMigrations);
    const clock = { time: 1_000_000, now: () => clock.time };
    await insert(engine, 'a');
    await engine.db.updateTable('jobs').set({ queued_at: 0 }).execute();
    const seen: number[] = [];
    const waits: number[] = [];
    const execute = async () => {
      const stops = new AbortController();
      const { promise: isStarted, resolve } = Promise.withResolvers<Job>();
      const worker = await dispatch(
        context,
        engine,
        async (job, { signal }) => {
          resolve(job);
          await Promise.race([untilAborted(signal), untilAborted(stops.signal)]);
        },
        { clock },
      );
      const job = await inTime(isStarted);
      seen.push(job.deaths);
      return worker;
    };
    for (let death = 1; death <= 5; death += 1) {
      const worker = await execute();
      // As after an error that nobody caught.
      await worker.stop('failure');
      const [row] = await rows(engine);
      assert.equal(row!.owner, null);
      waits.push(row!.queued_at - clock.time);
      clock.time = row!.queued_at;
    }
    const last = await execute();
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5]);
    assert.deepEqual(waits, [1000, 4000, 16_000, 64_000, 0]);
    await last.stop();
  });

  test('orderly stops do not count as deaths, nor do processes that were only cut off, nor deaths of the hour before', async (context) => {
    const engine = await kind.open(jobMigrations);
    const clock = { time: 10_000_000, now: () => clock.time };
    await insert(engine, 'a');
    const old = JSON.stringify([{ at: 1, owner: 'node/1.1' }]);
    const leave = async (more: { is_stopping?: number; deaths?: string | null } = {}) => {
      const claim = { owner: 'node/9.9', lease_until: 1, is_stopping: 0, deaths: null, ...more };
      await engine.db.updateTable('jobs').set(claim).execute();
      await releaseJobsOf(engine.db, 'node', clock.now());
      return (await rows(engine))[0]!;
    };
    const stopped = await leave({ is_stopping: 1, deaths: old });
    assert.deepEqual([stopped.queued_at, stopped.deaths], [clock.time, old]);
    assert.equal((await leave({ deaths: old })).queued_at, clock.time + 1000);
    assert.equal(countDeaths((await leave({ deaths: old })).deaths), 1);
    const died = await leave();
    await forgiveDeath(engine.db, { ...NO_JOB, id: 'a', owner: 'node/9.9' });
    assert.deepEqual([countDeaths(died.deaths), countDeaths((await rows(engine))[0]!.deaths)], [1, 0]);

    // One that outlives the patience of a node that stops.
    await engine.db.updateTable('jobs').set({ queued_at: 0 }).execute();
    const { promise: isStarted, resolve } = Promise.withResolvers<void>();
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const slow = async () => {
      resolve();
      await isOver;
    };
    const worker = await dispatch(context, engine, slow, { clock, graceMs: 1 });
    await inTime(isStarted);
    await worker.stop();
    assert.equal((await rows(engine))[0]!.is_stopping, 1);
    end();
  });

  test('the signal of a handler whose lease was taken is aborted, and it cannot end the job', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    const { promise, resolve } = Promise.withResolvers<[unknown, boolean, boolean]>();
    await dispatch(
      context,
      engine,
      async (job, { signal }) => {
        const aborted = untilAborted(signal);
        await engine.db.updateTable('jobs').set({ owner: 'thief/1.1' }).execute();
        const reason = await aborted;
        const holds = await engine.db.transaction().execute((tx) => holdsJob(tx, job));
        resolve([reason, holds, await deleteJob(engine.db, job)]);
      },
      { leaseMs: 600 },
    );
    const [reason, holds, deleted] = await inTime(promise);
    assert.ok(reason instanceof LeaseLost);
    assert.deepEqual([holds, deleted], [false, false]);
  });

  test('a node that cannot reach the database kills its jobs before their leases end', async (context) => {
    const engine = await kind.open(jobMigrations);
    await insert(engine, 'a');
    let isAway = false;
    const db = new Proxy(engine.db, {
      get(target, property) {
        if (isAway && property === 'updateTable') throw new Error('The database is away.');
        const value = Reflect.get(target, property, target) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const { promise, resolve } = Promise.withResolvers<unknown>();
    await dispatch(
      context,
      { ...engine, db },
      async (_job, { signal }) => {
        isAway = true;
        resolve(await untilAborted(signal));
        isAway = false;
      },
      { leaseMs: 600 },
    );
    assert.ok((await inTime(promise)) instanceof LeaseLost);
  });
});
