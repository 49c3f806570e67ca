// The query plans for webhooks: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertEvents } from '../events/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { DEFAULT_REPOSITORY_SETTINGS } from '../repositories/repository.ts';
import { insertRepository } from '../repositories/store.ts';
import type { Hook } from './hook.ts';
import {
  countHooks,
  deleteHook,
  findHook,
  insertHook,
  lastResponseStatement,
  listActiveHooks,
  listBranchesAt,
  listHooks,
  updateHook,
} from './store.ts';
import { listEventsToDeliver } from '../events/store.ts';
import { advanceHookCursor, deleteHookCursor, findHookCursor } from './store-deliver-events.ts';

const NOW = 1_800_000_000_000;
const ROWS = 800;
const SLICE = { offset: 0, limit: 10 };
const owner: RepositoryOwner = { id: 'owner', number: 1, login: 'owner', type: 'User', isSiteAdmin: false };

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    const hooks: Hook[] = [];
    let number = 0;
    await db.transaction().execute(async (tx) => {
      const repository = await insertRepository(
        tx,
        owner,
        {
          name: 'demo',
          description: null,
          isPrivate: false,
          defaultBranch: 'main',
          settings: DEFAULT_REPOSITORY_SETTINGS,
          license: null,
        },
        NOW,
      );
      ({ number } = repository);
      await tx
        .insertInto('host_refs')
        .values(
          Array.from({ length: 500 }, (_, at) => ({
            repository_number: number,
            name: `refs/heads/b${at}`,
            oid: `${at}`,
          })),
        )
        .execute();
      for (let at = 0; at < ROWS; at += 1) {
        const target = at % 2 === 0 ? { repository: at % 200 } : { organization: `org-${at % 200}` };
        const config = {
          url: 'https://a.test',
          contentType: 'json' as const,
          insecureSsl: false,
          secret: null,
        };
        const fields = { target, targetNumber: at, isActive: true, events: ['push'], config };
        hooks.push(await insertHook(tx, fields, NOW));
        const found = { repository: { ...repository, number: at % 200 }, owner };
        const event = { name: 'star' as const, details: {} };
        const snapshot = at % 2 === 0 ? { repository: found, sender: owner } : { sender: owner };
        await insertEvents(tx, { events: [event], at: NOW, actorId: undefined, snapshot });
        await advanceHookCursor(tx, { repository: at }, { from: 0, to: at + 1 });
      }
    });
    await sql.raw('analyze').execute(db);
    const seen = recordStatements(engine);
    const [hook] = hooks;
    await findHook(db, hook!.number);
    for (const target of [{ repository: 4 }, { organization: 'org-3' }]) {
      await listHooks(db, target);
      await listHooks(db, target, SLICE);
      await countHooks(db, target);
      await listEventsToDeliver(db, target, 5, 10);
      await findHookCursor(db, target);
    }
    await listActiveHooks(db, 4, ['org-3', 'org-5']);
    await listBranchesAt(db, number, '7', 10);
    await db.executeQuery(
      lastResponseStatement(db, hook!.number, { code: 200, status: 'active', message: 'OK' }),
    );
    await db.transaction().execute(async (tx) => {
      await updateHook(tx, hook!, NOW);
      await advanceHookCursor(tx, { repository: 7 }, { from: 8, to: 9 });
      await deleteHookCursor(tx, { repository: 7 });
      await deleteHook(tx, hook!.number);
    });
    statements = [...seen.values()].filter(({ sql: text }) =>
      /"(host_hooks|host_hook_cursors|host_events|host_refs)"/.test(text),
    );
  });

  test('every statement about webhooks goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 15 });
  });
});
