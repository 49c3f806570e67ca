// The query plans for webhooks and their dispatches: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements, wholeTableExcept } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { listDue } from '../../kernel/webhooks/store-queue.ts';
import { newFields, type ActorWebhook } from './model.ts';
import { insertDispatches } from './record-event.ts';
import {
  countActorWebhooks,
  countDispatch,
  countWebhooksOfRun,
  deleteWebhooksOfRun,
  deleteWebhooksOfTarget,
  endLastDispatch,
  findActorWebhook,
  findWebhookByKey,
  insertActorWebhooks,
  listActorWebhooks,
  listListening,
  reopenLastDispatch,
  updateWebhookOwner,
} from './store.ts';

const NOW = 1_800_000_000_000;
const ALL = { offset: 0, limit: 10 };

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    const webhooks: ActorWebhook[] = [];
    await db.transaction().execute(async (tx) => {
      for (let at = 0; at < 800; at += 1) {
        const webhook = {
          userId: `user-${at % 40}`,
          fields: newFields({ eventTypes: ['TEST'], requestUrl: 'https://a.test' }),
          target: { kind: 'actor' as const, id: `actor-${at % 200}` },
          parentRunId: null,
          isAdHoc: at % 3 === 0,
          idempotencyKey: `key-${at}`,
          maker: { initiator: { memberId: 'm' } },
        };
        webhooks.push(...(await insertActorWebhooks(tx, [webhook], NOW + at)));
      }
      const event = { type: 'TEST' as const, data: null, resource: {}, depth: 0 };
      for (const [at, webhook] of webhooks.entries())
        await insertDispatches(tx, [webhook], { ...event, userId: `user-${at}` }, NOW + at);
    });
    await sql.raw('analyze').execute(db);
    const seen = recordStatements(engine);
    const { id, userId } = webhooks[1]!;
    await findActorWebhook(db, id);
    await findWebhookByKey(db, userId, 'key-1');
    await listListening(db, userId, { actorId: 'actor-1', taskId: 'task', runId: 'run' });
    for (const desc of [false, true]) {
      await listActorWebhooks(db, { userId }, ALL, desc);
      await listActorWebhooks(db, { userId, targetId: 'actor-1' }, ALL, desc);
    }
    await countActorWebhooks(db, userId);
    await countWebhooksOfRun(db, 'run');
    const hook = { api: 'actors', hookId: id };
    const [due] = await listDue(db, hook, { now: NOW * 2, sending: [] });
    await db.executeQuery(countDispatch(db, id, due!.id));
    await db.executeQuery(endLastDispatch(db, { ...due!, hasSucceeded: true }, NOW));
    await db.transaction().execute(async (tx) => {
      await deleteWebhooksOfTarget(tx, 'actor-1');
      await deleteWebhooksOfRun(tx, 'run');
      await reopenLastDispatch(tx, id, due!.id);
      await updateWebhookOwner(tx, 'user-3', 'user-4');
    });
    statements = [...seen.values()].filter(({ sql: text }) => /"(actor_webhooks|deliver\w+|due)"/.test(text));
  });

  test('every statement about webhooks goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 13, scan: wholeTableExcept('tasks') });
  });
});
