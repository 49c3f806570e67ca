// The query plans of all statements on events: they use indexes.
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { Metrics } from '../../kernel/observability/metrics.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertTestFlag, makeHome } from '../feature-flags/fixture.ts';
import { EventBuffer } from './event-buffer.ts';
import { listContextKindsOf } from './store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { evaluationRetention, payloadRetention } from './module.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 20_000 * DAY;
const ENVIRONMENTS = 12;

onEachEngine((testEngine) => {
  let engine: Engine;
  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    for (let index = 0; index < ENVIRONMENTS; index += 1) {
      await db
        .insertInto('flag_evaluations')
        .values(
          Array.from({ length: 200 }, (_, flag) => ({
            environment_id: `e${index}`,
            flag_key: `flag-${flag % 20}`,
            hour: NOW - flag * HOUR,
            variation: 0,
            version: 1,
            sdk: 'A/1',
            count: 1,
          })),
        )
        .execute();
      await db
        .insertInto('flag_event_payloads')
        .values(
          Array.from({ length: 200 }, (_, payload) => ({
            environment_id: `e${index}`,
            payload_id: `p${payload}`,
            received_at: NOW - payload * 1000,
          })),
        )
        .execute();
    }
    if (engine.kind === 'postgres') await sql`analyze`.execute(db);
  });

  test('no statement reads a whole table of events', async () => {
    const { db } = engine;
    const home = await makeHome(db, 'home');
    await insertTestFlag(db, home, 'flag-1');
    for (let index = 2; index < 80; index += 1) {
      const { id: flagId } = await insertTestFlag(db, home, `flag-${index}`);
      await db
        .insertInto('flag_context_kinds')
        .values(
          home.environments.flatMap(({ id: environmentId }) =>
            Array.from({ length: 20 }, (_, kind) => ({
              environment_id: environmentId,
              flag_id: flagId,
              kind: `k${kind}`,
              seen_at: NOW - (index * 20 + kind) * 1000,
            })),
          ),
        )
        .execute();
    }
    if (engine.kind === 'postgres') await sql`analyze flag_context_kinds`.execute(db);
    const kernel = {
      engine,
      db,
      clock: { now: () => NOW },
      settings: { retained: { evaluations: NOW } } as Kernel['settings'],
      metrics: new Metrics('0'),
      log: pino({ level: 'silent' }),
    };
    const seen = recordStatements(engine);
    const buffer = new EventBuffer(kernel);
    buffer.add({
      id: 'new',
      environmentId: home.environments[0]!.id,
      projectId: home.project.id,
      sender: 'server',
      sdk: 'A/1',
      receivedAt: NOW - 10 * DAY + HOUR,
      uses: new Map([
        [
          'flag-1',
          {
            lastDefault: '1',
            contextKinds: new Set(['user']),
            counts: [{ variation: 0, version: 1, count: 1 }],
          },
        ],
      ]),
    });
    await buffer.save();
    await listContextKindsOf(db, ['f'], ['e'], NOW);
    const { signal } = new AbortController();
    await payloadRetention(kernel).run(signal);
    await evaluationRetention(kernel).run(signal);
    const statements = [...seen.values()].filter(({ sql: text }) =>
      /flag_(evaluations|event_payloads|context_kinds)/.test(text),
    );
    await assertPlans(engine, statements, { atLeast: 12 });
  });
});
