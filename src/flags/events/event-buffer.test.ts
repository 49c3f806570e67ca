// The buffer of events: each payload is saved once, also when storage fails or another node has the same payload.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { pino } from 'pino';
import { onEachEngine } from '../../../test/engines.ts';
import { Failure } from '../../kernel/failure.ts';
import { Metrics } from '../../kernel/observability/metrics.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertTestFlag, makeHome, type Home } from '../feature-flags/fixture.ts';
import { EventBuffer, type BufferBounds } from './event-buffer.ts';
import type { EventPayload } from './payload.ts';

const NOW = 1_800_000_000_000;
const quiet = pino({ level: 'silent' });

onEachEngine((testEngine) => {
  let engine: Engine;
  let homes = 0;
  before(async () => {
    engine = await testEngine.openMigrated();
  });

  /** Each test has an environment of its own. */
  async function open(bounds?: BufferBounds) {
    homes += 1;
    const home: Home = await engine.db.transaction().execute(async (tx) => {
      const made = await makeHome(tx, `home-${homes}`);
      await insertTestFlag(tx, made, 'flag');
      return made;
    });
    const environmentId = home.environments[0]!.id;
    const metrics = new Metrics('0');
    const node = (on: Engine = engine) =>
      new EventBuffer({ engine: on, clock: { now: () => NOW }, log: quiet, metrics }, bounds);
    return {
      node,
      projectId: home.project.id,
      payload: (id: string, keys = ['flag']): EventPayload => ({
        id,
        environmentId,
        projectId: home.project.id,
        sender: 'server',
        sdk: 'A/1',
        receivedAt: NOW,
        uses: new Map(keys.map((key) => [key, { counts: [{ variation: 0, version: 1, count: 1 }] }])),
      }),
      counted: async () => {
        const rows = await engine.db
          .selectFrom('flag_evaluations')
          .select('count')
          .where('environment_id', '=', environmentId)
          .execute();
        return rows.reduce((sum, { count }) => sum + count, 0);
      },
      usage: async () => {
        const { last_requested_at, last_default } = await engine.db
          .selectFrom('flag_usage')
          .selectAll()
          .where('environment_id', '=', environmentId)
          .executeTakeFirstOrThrow();
        return `${(last_requested_at - NOW) / 1000} ${last_default}`;
      },
      metric: (outcome: string) => {
        const [, count = '0'] =
          new RegExp(`payloads_total\\{outcome="${outcome}"\\} (\\d+)`).exec(metrics.text()) ?? [];
        return Number(count);
      },
    };
  }

  type Work = Parameters<ReturnType<Engine['db']['transaction']>['execute']>[0];

  /** An engine that runs its transactions as told. */
  function engineWith(execute: (work: Work) => Promise<unknown>): Engine {
    const selectFrom = engine.db.selectFrom.bind(engine.db);
    return { ...engine, db: { transaction: () => ({ execute }), selectFrom } as unknown as Engine['db'] };
  }

  /** The first transactions fail, before or after they are committed. */
  function failing(errors: Error[], when: 'before' | 'after' = 'before'): Engine {
    return engineWith(async (work) => {
      const error = errors.shift();
      if (error !== undefined && when === 'before') throw error;
      await engine.db.transaction().execute(work);
      if (error !== undefined) throw error;
    });
  }

  const away = () => new Failure('unavailable', 'away');

  test('a payload that two nodes receive is counted once, and the others of both all', async () => {
    const { node, payload, counted, metric } = await open();
    const nodes = [node(), node(), node()];
    for (const [index, one] of nodes.entries()) {
      for (let round = 0; round < 50; round += 1) {
        one.add(payload(`both-${round}`));
        one.add(payload(`own-${index}-${round}`));
      }
    }
    await Promise.all(nodes.map((one) => one.save()));
    assert.equal(await counted(), 50 + 3 * 50);
    assert.equal(metric('duplicate'), 100);
  });

  test('a payload that a node has forgotten is still counted once', async () => {
    const { node, payload, counted } = await open({ maxSeen: 1 });
    const one = node();
    for (const id of ['a', 'b', 'a', 'c']) one.add(payload(id));
    await one.save();
    for (const id of ['a', 'b', 'a', 'c']) one.add(payload(id));
    await one.save();
    assert.equal(await counted(), 3);
  });

  test('while storage is away payloads wait, and none is counted twice', async () => {
    const { node, payload, counted, metric } = await open({ maxSeen: 1 });
    const one = node(failing([away(), away()]));
    one.add(payload('a'));
    one.add(payload('b'));
    await one.save();
    assert.equal(one.add(payload('a')), 'duplicate');
    one.add(payload('c'));
    await one.save();
    assert.equal(await counted(), 0);
    await one.save();
    assert.deepEqual([await counted(), metric('lost')], [3, 0]);
  });

  test('a commit whose answer was lost is not repeated', async () => {
    const { node, payload, counted, metric } = await open();
    const one = node(failing([away()], 'after'));
    one.add(payload('a'));
    one.add(payload('b'));
    await one.save();
    one.add(payload('c'));
    await one.save();
    assert.deepEqual([await counted(), metric('duplicate')], [3, 2]);
  });

  test('a flag that is deleted while its events are being saved does not hold back the others', async () => {
    const { node, payload, counted, metric, projectId } = await open();
    const one = node(
      engineWith(async (work) => {
        await engine.db.deleteFrom('flags').where('project_id', '=', projectId).execute();
        await engine.db.transaction().execute(work);
      }),
    );
    one.add(payload('a'));
    await one.save();
    assert.equal(await counted(), 0);
    await one.save();
    assert.deepEqual([await counted(), metric('lost')], [1, 0]);
  });

  test('the last request is saved once a minute, and with every other default', async () => {
    const { node, payload, usage } = await open();
    const one = node();
    const seen: unknown[] = [];
    for (const [seconds, lastDefault] of [
      [0, '1'],
      [30, '1'],
      [40, '2'],
      [99, undefined],
      [100, undefined],
      [0, '3'],
    ] as const) {
      const counts = [{ variation: 0, version: 1, count: 1 }];
      const use = { counts, ...(lastDefault !== undefined && { lastDefault }) };
      one.add({
        ...payload(`p${seen.length}`),
        receivedAt: NOW + seconds * 1000,
        uses: new Map([['flag', use]]),
      });
      await one.save();
      seen.push(await usage());
    }
    assert.deepEqual(seen, ['0 1', '0 1', '40 2', '40 2', '100 2', '100 3']);
  });

  test('payloads that cannot be saved do not hold back the next', async () => {
    const { node, payload, counted, metric } = await open();
    const one = node(failing([new Error('a bug')]));
    one.add(payload('a'));
    await one.save();
    one.add(payload('b'));
    await one.save();
    assert.deepEqual([await counted(), metric('lost')], [1, 1]);
  });

  test('an environment with too much waiting is refused, until it is saved', async () => {
    const { node, payload, counted } = await open({ maxWeight: 4 });
    const one = node();
    assert.equal(one.add(payload('a')), 'accepted');
    assert.equal(one.add(payload('b')), 'accepted');
    assert.equal(one.add(payload('c')), 'limited');
    assert.equal(one.add({ ...payload('a'), environmentId: 'another' }), 'accepted');
    await one.save();
    assert.equal(one.add(payload('c')), 'accepted');
    await one.save();
    assert.equal(await counted(), 3);
  });

  test('a last save tells how much is lost', async () => {
    const { node, payload, counted, metric } = await open();
    const one = node(failing([away()]));
    one.add(payload('a'));
    await one.close();
    assert.deepEqual([await counted(), metric('lost')], [0, 1]);
  });

  test('many payloads are saved in several transactions, completely', async () => {
    const { node, payload, counted } = await open();
    const one = node();
    const keys = Array.from({ length: 3000 }, (_, index) => `key-${index}`);
    for (let index = 0; index < 20; index += 1) one.add(payload(`p${index}`, ['flag', ...keys]));
    await one.save();
    assert.equal(await counted(), 20 * 3001);
  });
});
