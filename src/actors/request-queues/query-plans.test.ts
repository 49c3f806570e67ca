// The query plans of every statement on queues: each uses an index for any size of the queue, and none sorts it.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { requestQueueMigrations } from '../migrations/request-queues.ts';
import { recordClient, insertQueue, findQueues, findQueueWithUsage, countQueueUse } from './store.ts';
import { lockHead, extendLock, releaseAllLocks, releaseLock } from './store-locks.ts';
import { requestIdOf, toRequestEntry } from './request.ts';
import { purgeQueue, insertRequests, upsertRequest, deleteRequests } from './store-writes.ts';
import { findRequest, listRequests, listHead } from './store-reads.ts';
import { openQueues } from './queues.ts';

const ROWS = 20_000;
const NOW = 1_000_000;

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.open(requestQueueMigrations);
    const { db } = engine;
    const queues = openQueues(engine);
    // Many small queues and two large ones, so that the statistics of the many do not decide the plan for all.
    await Promise.all(
      Array.from({ length: 500 }, async (_, queue) => {
        await insertQueue(db, `queue-${queue}`, NOW);
        if (queue > 10)
          await insertRequests(queues, `queue-${queue}`, [toRequestEntry({ uniqueKey: 'k' }, false)], NOW);
      }),
    );
    for (let start = 0; start < ROWS; start += 500) {
      const entries = Array.from({ length: 500 }, (_, index) => {
        const handled = (start + index) % 2 === 0 ? { handledAt: '2026-01-01T00:00:00Z' } : {};
        return toRequestEntry({ uniqueKey: `k${start + index}`, ...handled }, false);
      });
      await insertRequests(queues, `queue-${(start / 500) % 2}`, entries, NOW);
    }
    const seen = recordStatements(engine);
    await useAll(engine, 'queue-0');
    statements = [...seen.values()];
  });

  async function useAll(on: Engine, queueId: string): Promise<void> {
    const { db } = on;
    const queues = openQueues(on);
    const entry = toRequestEntry({ uniqueKey: 'k1' }, false);
    await insertRequests(queues, queueId, [entry, toRequestEntry({ uniqueKey: 'new' }, true)], NOW);
    await insertRequests(
      queues,
      queueId,
      [toRequestEntry({ uniqueKey: 'done', handledAt: '2026-01-01T00:00:00Z' }, true)],
      NOW,
    );
    await upsertRequest(queues, queueId, entry, NOW);
    await deleteRequests(queues, queueId, [requestIdOf('new')], NOW);
    await lockHead(on, queueId, { limit: 25, client: 'me', until: NOW + 5, now: NOW });
    await lockHead(on, 'queue-7', { limit: 25, client: 'me', until: NOW + 5, now: NOW });
    const holder = { queueId, id: requestIdOf('k1'), client: 'me', now: NOW };
    for (const forefront of [true, false]) {
      await extendLock(on, holder, { until: NOW + 5, forefront }).catch(() => {});
    }
    await releaseLock(on, holder, false);
    await releaseAllLocks(on, queueId, 'me', NOW);
    await recordClient(queues, queueId, 'me');
    await findRequest(queues, queueId, requestIdOf('k1'));
    await findQueues(db, [queueId]);
    await findQueueWithUsage(queues, queueId);
    countQueueUse(queues, queueId, { reads: 1 });
    await findQueueWithUsage(queues, queueId);
    await listHead(on, queueId, 100, NOW);
    const after = { afterOrder: 5 };
    for (const filter of [['locked'], ['pending'], ['locked', 'pending']] as const) {
      await listRequests(on, queueId, { limit: 100, filter }, NOW);
      await listRequests(on, queueId, { limit: 100, after, filter }, NOW);
    }
    await listRequests(on, queueId, { limit: 100 }, NOW);
    await listRequests(on, queueId, { limit: 100, after: { afterId: 'a' } }, NOW);
    await purgeQueue(on, 'queue-9', AbortSignal.timeout(60_000));
  }

  /** SQLite scans only parameters and intermediate results. */
  const scan = /SCAN (?!g\b|jsonb?_each\b|c\b|sized\b|\(subquery)|TEMP B-TREE|Seq Scan|Sort/;

  function check(plan: string, text: string): void {
    // Only statements that go through a queue in the order of ids may use its index without an id.
    if (/order by "id"/.test(text)) return;
    for (const [, condition] of plan.matchAll(/(?:using|on) queue_requests_pkey.*\n\s+Index Cond: (.*)/g)) {
      assert.match(condition!, /\bid\b/, `${text}\n\n${plan}`);
    }
  }

  test('every statement goes by an index before anything is known of the sizes', async () => {
    await assertPlans(engine, statements, { atLeast: 20, scan, check });
  });

  test('every statement goes by an index when the sizes are known', async () => {
    await sql.raw('analyze').execute(engine.db);
    await assertPlans(engine, statements, { atLeast: 20, scan, check });
  });
});
