// The query plans of every statement on deliveries: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { claim, type Due } from '../jobs/due-store.ts';
import type { Engine } from '../storage/engine.ts';
import { enqueueDeliveries, findWebhookDelivery, listDeliveries, redeliver } from './store-deliveries.ts';
import { DELIVER } from './store-queues.ts';
import { engineMigrations } from './fixture.ts';
import { listDue, recordResults, settleHookQueue } from './store-hook-queue.ts';
import { webhookWork } from './removal-work.ts';
import { deletePendingDeliveries, deleteOldDeliveries } from './store-removal.ts';

const NOW = 1_000_000_000_000;
const DAY = 24 * 60 * 60 * 1000;
const EVENTS = 4_000;
/** Each event goes to five of them. */
const HOOKS = 50;
const never = new AbortController().signal;

onEachEngine(({ open }) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await open(engineMigrations);
    const { db } = engine;
    for (let start = 0; start < EVENTS; start += 500) {
      const outgoing = Array.from({ length: 500 * 5 }, (_, index) => {
        const event = start + Math.floor(index / 5);
        return { api: 'test', hookId: `hook-${index % HOOKS}`, eventId: `event-${event}`, body: `${event}` };
      });
      await db.transaction().execute((tx) => enqueueDeliveries(tx, outgoing, NOW + start));
    }
    // Two thirds are delivered.
    await sql`update deliveries set state = 'delivered', due_at = null, finished_at = created_at where seq % 3 > 0`.execute(
      db,
    );
    await sql`insert into delivery_attempts select id, 1, created_at, 200, null, 5, '', null from deliveries`.execute(
      db,
    );
    await sql`insert into due (id, kind, payload, due_at, attempts, created_at)
      select id, 'other', '', due_at, 0, created_at from deliveries where due_at is not null`.execute(db);
    const [due] = await claim(engine, { kinds: [DELIVER], owner: 'me', leaseMs: 1, limit: 1 }, NOW + EVENTS);
    const seen = recordStatements(engine);
    await useAll(due!);
    statements = [...seen.values()];
  });

  async function useAll(due: Due): Promise<void> {
    const { db } = engine;
    const hook = { api: 'test', hookId: 'hook-0' };
    const [picked] = await listDue(db, hook, NOW + EVENTS, 32);
    const attempt = {
      number: 2,
      at: NOW,
      status: 200,
      error: null,
      duration_ms: 1,
      response: '',
      details: null,
    };
    await recordResults(
      engine,
      [{ id: picked!.id, state: 'delivered', dueAt: null, error: null, attempt }],
      NOW,
    );
    await settleHookQueue(db, due, { hook: hook, payload: 'another', notBefore: 0 });
    await settleHookQueue(db, due, { hook: { ...hook, hookId: 'none' }, payload: due.payload, notBefore: 0 });
    await listDeliveries(db, hook, { offset: 10, limit: 10 });
    await findWebhookDelivery(db, picked!.id);
    await db.transaction().execute((tx) => redeliver(tx, picked!.id, NOW));
    await deletePendingDeliveries(engine, { ...hook, hookId: 'hook-1' }, never);
    const { handlers = {} } = webhookWork({ engine, clock: { now: () => NOW } });
    await handlers['webhook.drop']?.(
      { ...due, payload: JSON.stringify({ ...hook, hookId: 'hook-2' }) },
      never,
    );
    await deleteOldDeliveries(engine, NOW + 7 * DAY + 1, never);
  }

  test('every statement goes by an index', async () => {
    await sql.raw('analyze').execute(engine.db);
    // Inserts scan the rows they insert, and look up their keys.
    const others = statements.filter(({ sql: text }) => !/^\s*insert/.test(text));
    await assertPlans(engine, others, { atLeast: 13, scan: /SCAN |TEMP B-TREE|Seq Scan|Sort/ });
  });
});
