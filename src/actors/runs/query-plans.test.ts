// The query plans for runs and jobs: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { insertRunRow } from '../../../test/run-rows.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { listFinished, findLastKept, findNextActor, listFinishedJobs } from '../jobs/store-finished.ts';
import {
  claimJob,
  deleteJob,
  deleteWaitingJob,
  findFirstWaiting,
  findNextQueuedAt,
  findNextWaitingUser,
  insertJob,
  listControls,
  releaseExpired,
  releaseJobsOf,
  renewLeases,
  requestControl,
} from '../jobs/store.ts';
import { addRunCalls, deleteOldRunCalls, deleteRunCalls, listRunCalls } from './store-calls.ts';
import { addRunFlags, deleteOldRunFlags, deleteRunFlags, listRunFlags } from './store-flags.ts';
import { deleteRunSteps, insertRunStep, listRunSteps } from './store-steps.ts';
import { addCharge, findLastRun, findRun, findRunByToken, listRuns, lockUnfinished } from './store.ts';

const NOW = 1_800_000_000_000;
const SUMS = { calls: 1, refused: 0, failed: 0, firstAt: NOW, lastAt: NOW, lastStatus: 200 };
const CALLED = new Map(
  Array.from({ length: 8 }, (_, at) => [`${at}`, { api: 'actors', operation: `o${at}`, ...SUMS }]),
);

const READ = new Map(
  Array.from({ length: 8 }, (_, at) => [
    `${at}`,
    {
      environmentId: 'e',
      flagKey: `flag-${at}`,
      variation: 0,
      version: 1,
      value: null,
      reason: null,
      reads: 1,
      firstAt: NOW,
      lastAt: NOW,
    },
  ]),
);

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    const calls = new Map<string, typeof CALLED>();
    await db.transaction().execute(async (tx) => {
      for (let at = 0; at < 800; at += 1) {
        const kernel = { db: tx, clock: { now: () => NOW + at } } as unknown as Kernel;
        const id = await insertRunRow(kernel, {
          userId: `user-${at % 20}`,
          ...(at % 5 > 0 && { finishedAt: NOW + at + 1 }),
        });
        const job = { id, kind: 'run' as const, userId: `user-${at % 20}`, memoryMbytes: 128 };
        await insertJob(tx, job, NOW + at);
        for (let n = 0; n < 5; n += 1) await insertRunStep(tx, id, 'message', NOW + n);
        calls.set(id, CALLED);
        if (at % 2 === 0) await claimJob(tx, id, `node-${at % 3}/1.${at}`, NOW + at);
      }
      // Of the others, each has an Actor of its own.
      await tx
        .updateTable('runs')
        .set({ actor_id: sql`id`, token_hash: sql`id` })
        .where('user_id', '<>', 'user-0')
        .execute();
    });
    await addRunCalls(db, calls);
    await addRunFlags(db, new Map([...calls.keys()].map((id) => [id, READ])), 0);
    await sql.raw('analyze').execute(db);
    const seen = recordStatements(engine);
    const [run] = (await listRuns(db, { userId: 'user-1' }, {}, { offset: 0, limit: 1 }, true)).items;
    const { id, actorId, userId } = run!;
    const slice = { offset: 0, limit: 10 };
    for (const scope of [{ userId }, { actorId, userId }, { taskId: 'task' }]) {
      for (const desc of [false, true]) await listRuns(db, scope, {}, slice, desc);
      await findLastRun(db, scope, { statuses: ['SUCCEEDED'] });
      await findLastRun(db, scope, { origin: 'API' });
    }
    await listRuns(db, { userId }, { statuses: ['FAILED'], startedAfter: NOW }, slice, true);
    await findRun(db, id);
    await findRunByToken(db, id);
    await listFinished(db, 'run', [id]);
    await db.transaction().execute(async (tx) => {
      await lockUnfinished(tx, userId);
      await addCharge(tx, id, 'key', NOW);
      await insertRunStep(tx, id, 'message', NOW);
      await listRunSteps(tx, id);
      await deleteRunSteps(tx, id);
      await deleteWaitingJob(tx, id);
      await requestControl(tx, id, 'abort');
    });
    await addRunCalls(db, new Map([[id, CALLED]]));
    await listRunCalls(db, id);
    await deleteRunCalls(db, id);
    await deleteOldRunCalls(db, NOW + 1, AbortSignal.timeout(60_000));
    await addRunFlags(db, new Map([[id, READ]]), 0);
    await listRunFlags(db, id);
    await deleteRunFlags(db, id);
    await deleteOldRunFlags(db, NOW + 1, AbortSignal.timeout(60_000));
    await findNextActor(db, 'runs', undefined);
    await findNextActor(db, 'runs', { userId, actorId });
    await findLastKept(db, 'runs', { userId, actorId }, 10);
    for (const from of [undefined, { id: '', startedAt: 0 }]) {
      const span = { after: from, before: { id, startedAt: NOW }, finishedBefore: NOW };
      await listFinishedJobs(db, 'runs', { userId, actorId }, span, 10);
    }
    await findNextWaitingUser(db, 'user-1');
    await findFirstWaiting(
      db,
      'user-1',
      { kinds: ['build', 'run'], memoryMbytes: 4096, node: 'node-1' },
      NOW + 5000,
    );
    await findNextQueuedAt(db, NOW);
    await listControls(db, ['node-0/1.0']);
    await renewLeases(db, ['node-0/1.0'], NOW);
    await deleteJob(db, { id, owner: 'node-0/1.0' });
    await releaseJobsOf(db, 'node-2', NOW);
    await releaseExpired(db, NOW + 10);
    statements = [...seen.values()].filter(({ sql: text }) =>
      /"(runs|jobs|run_counts|run_charges|run_steps|run_calls|run_flags)"/.test(text),
    );
  });

  test('every statement about runs and jobs goes by an index', async () => {
    await assertPlans(engine, statements, {
      atLeast: 35,
      // The rows that a statement brings along are no table.
      scan: /SCAN (?!CONSTANT|\d+-ROW VALUES)|Seq Scan on (?!run_charges|run_counts)/,
    });
  });
});
