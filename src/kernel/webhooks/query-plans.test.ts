// The query plans of every statement on deliveries: each uses an index, for any number of rows.
import type { Kernel } from '../kernel.ts';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { claim, type Due } from '../jobs/due-store.ts';
import type { Engine } from '../storage/engine.ts';
import { engineMigrations } from './fixture.ts';
import { IN_ORDER } from './policy.ts';
import {
  countDeliveries,
  findDelivery,
  findDeliveryBody,
  listDeliveries,
  summarizeDeliveries,
  updateDeliveryOwner,
} from './store-deliveries.ts';
import { enqueueDeliveries, redeliver } from './store-enqueue.ts';
import { listDue, listQueueMarks, markDelivered, resultStatements, settleHookQueue } from './store-queue.ts';
import { webhookWork } from './start-delivery.ts';
import { deletePendingDeliveries, deleteOldDeliveries } from './store-removal.ts';

const NOW = 1_000_000_000_000;
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
        const hook = { api: 'test', hookId: `hook-${index % HOOKS}` };
        return { ...hook, eventId: `event-${event}`, ownerId: `owner-${index % HOOKS}`, body: `${event}` };
      });
      await db.transaction().execute((tx) => enqueueDeliveries(tx, IN_ORDER, outgoing, NOW + start));
    }
    // Two thirds are delivered.
    await sql`update deliveries set state = 'delivered', due_at = null, finished_at = created_at where seq % 3 > 0`.execute(
      db,
    );
    await sql`insert into delivery_attempts select id, 1, created_at, 200, null, 5, '', null, null from deliveries`.execute(
      db,
    );
    await sql`insert into due (id, kind, payload, due_at, attempts, created_at)
      select id, 'other', '', due_at, 0, created_at from deliveries where due_at is not null`.execute(db);
    const [due] = await claim(
      engine,
      { kinds: [IN_ORDER.kind], owner: 'me', leaseMs: 1, limit: 1 },
      NOW + EVENTS,
    );
    const seen = recordStatements(engine);
    await useAll(due!);
    statements = [...seen.values()];
  });

  async function useAll(due: Due): Promise<void> {
    const { db } = engine;
    const hook = { api: 'test', hookId: 'hook-0' };
    const [picked, another] = await listDue(db, hook, { now: NOW + EVENTS, sending: ['x'] });
    const attempt = {
      number: 2,
      at: NOW,
      status: 200,
      error: null,
      duration_ms: 1,
      response: '',
      details: null,
      phases: null,
    };
    const result = { id: picked!.id, state: 'delivered' as const, dueAt: null, error: null, attempt };
    await engine.batch(resultStatements(db, [result], NOW));
    const done = { status: 200, error: null, durationMs: 1, response: '', isTimeout: false, isFinal: false };
    await db.transaction().execute((tx) => markDelivered(tx, another!, done, NOW));
    await listQueueMarks(db, [due.id]);
    await settleHookQueue(db, due, { hook: hook, payload: 'another', notBefore: 0 });
    await settleHookQueue(db, due, { hook: { ...hook, hookId: 'none' }, payload: due.payload, notBefore: 0 });
    const owner = { api: 'test', ownerId: 'owner-1' };
    for (const scope of [hook, owner, { api: 'test' }, {}]) {
      await listDeliveries(db, scope, { before: 900, limit: 10 });
      await listDeliveries(db, { ...scope, states: ['failed'] }, { limit: 10 });
    }
    for (const scope of [hook, owner]) {
      await listDeliveries(db, scope, { offset: 10, limit: 10, oldestFirst: true });
      await countDeliveries(db, scope);
    }
    const { number } = (await findDelivery(db, { id: picked!.id }))!;
    await findDeliveryBody(db, (await findDelivery(db, { ...hook, number }))!);
    await summarizeDeliveries(db, hook);
    await updateDeliveryOwner(db, 'test', 'owner-3', 'owner-4');
    await db.transaction().execute((tx) => redeliver(tx, IN_ORDER, picked!.id, NOW));
    await deletePendingDeliveries(engine, { ...hook, hookId: 'hook-1', until: NOW }, never);
    const { handlers = {} } = webhookWork({
      engine,
      clock: { now: () => NOW },
      settings: { retained: {} } as Kernel['settings'],
    });
    await handlers['webhook.drop']?.(
      { ...due, payload: JSON.stringify({ ...hook, hookId: 'hook-2' }) },
      never,
    );
    await deleteOldDeliveries(engine, NOW + 1, never);
  }

  test('every statement goes by an index', async () => {
    await sql.raw('analyze').execute(engine.db);
    // Inserts scan the rows they insert, and look up their keys.
    const others = statements.filter(({ sql: text }) => !/^\s*insert/.test(text));
    await assertPlans(engine, others, { atLeast: 13, scan: /SCAN |TEMP B-TREE|Seq Scan|Sort/ });
  });
});
