// How long payload ids and evaluations are kept.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { makeHome } from '../feature-flags/fixture.ts';
import { evaluationRetention, payloadRetention } from './module.ts';
import type { FlagEvaluationRow } from './tables.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Noon. */
const NOW = 20_000 * DAY + 12 * HOUR;
const signal = new AbortController().signal;

onEachEngine((testEngine) => {
  let engine: Engine;
  before(async () => {
    engine = await testEngine.openMigrated();
  });
  const kernel = () => ({
    db: engine.db,
    clock: { now: () => NOW },
    settings: { retained: { evaluations: 60 * DAY } } as Kernel['settings'],
  });

  test('ids of payloads are kept for a quarter of an hour', async () => {
    const rows = Array.from({ length: 12_000 }, (_, index) => ({
      environment_id: 'e',
      payload_id: `p${index}`,
      // Many of the same time, and some that stay.
      received_at: NOW - (index < 5 ? 14 : 16 + (index % 2)) * MINUTE,
    }));
    for (let start = 0; start < rows.length; start += 1000)
      await engine.db
        .insertInto('flag_event_payloads')
        .values(rows.slice(start, start + 1000))
        .execute();
    await payloadRetention(kernel()).run(signal);
    const left = await engine.db.selectFrom('flag_event_payloads').select('payload_id').execute();
    assert.deepEqual(left.map(({ payload_id }) => payload_id).sort(), ['p0', 'p1', 'p2', 'p3', 'p4']);
  });

  test('evaluations are kept per hour for two days, per day for sixty, and not without their environment', async () => {
    const { environments } = await makeHome(engine.db, 'kept');
    const [one, two] = environments.map(({ id }) => id) as [string, string];
    const today = NOW - 12 * HOUR;
    const row = (environment: string, hour: number, count: number, more = {}): FlagEvaluationRow => ({
      environment_id: environment,
      flag_key: 'f',
      hour,
      variation: 0,
      version: 1,
      sdk: 'A/1',
      count,
      ...more,
    });
    await engine.db
      .insertInto('flag_evaluations')
      .values([
        row(one, today - 61 * DAY, 1),
        row(one, today - 60 * DAY, 2),
        row(one, today - 3 * DAY, 10),
        row(one, today - 3 * DAY + HOUR, 20),
        row(one, today - 3 * DAY + 23 * HOUR, 30),
        row(one, today - 3 * DAY + 5 * HOUR, 40, { variation: 1 }),
        row(one, today - 2 * DAY, 50),
        row(one, today - 2 * DAY + HOUR, 60),
        row(one, today + HOUR, 70),
        row(two, today - 3 * DAY + HOUR, 80),
        row('deleted', today, 90),
        row('deleted', today - DAY, 90),
      ])
      .execute();
    for (let round = 0; round < 2; round += 1) {
      await evaluationRetention(kernel()).run(signal);
      const rows = await engine.db.selectFrom('flag_evaluations').selectAll().execute();
      const shown = rows.map(
        ({ environment_id, hour, variation, count }) =>
          `${environment_id === one ? 'one' : 'two'} ${(hour - today) / HOUR} ${variation}: ${count}`,
      );
      assert.deepEqual(
        shown.sort(),
        [
          'one -1440 0: 2',
          'one -72 0: 60',
          'one -72 1: 40',
          'one -48 0: 50',
          'one -47 0: 60',
          'one 1 0: 70',
          'two -72 0: 80',
        ].sort(),
      );
    }
  });
});
