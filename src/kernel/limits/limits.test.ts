// Rate limits: counted, read, refunded, and shared through the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Caller } from '../identity/caller.ts';
import { limitMigrations } from './store.ts';
import { retrySeconds, type Counter } from './window.ts';
import { Limits } from './limits.ts';
import type { Db } from '../storage/tables.ts';
import { deleteOldPeaks, listFullest, listPeaks } from './store-peaks.ts';

const ann: Caller = { kind: 'anonymous', address: '192.0.2.1', grants: [] };
const bob: Caller = { kind: 'anonymous', address: '192.0.2.2', grants: [] };
const eve = { kind: 'token', member: { id: 'eve' }, grants: [] } as unknown as Caller;
const HOUR = 60 * 60 * 1000;
const quotas = {
  'api.core': { anonymous: 3, known: 10, seconds: 60 },
  'api.route': { anonymous: 2, known: 10, seconds: 10 },
};
const open = () => new Limits({ enabled: true, quotas });
const NOON = Date.UTC(2026, 0, 1, 12);

test('a budget is spent call by call, and then refused without counting further', () => {
  const limits = open();
  const taken = [1, 2, 3].map(() => limits.take('api.core', ann, NOON)?.remaining);
  assert.deepEqual(taken, [2, 1, 0]);
  assert.equal(limits.take('api.core', ann, NOON), undefined);
  assert.deepEqual(limits.peek('api.core', ann, NOON), {
    limit: 3,
    used: 3,
    remaining: 0,
    resetAt: NOON + 60_000,
  });
});

test('callers and categories do not share a budget, and neither do scopes of one category', () => {
  const limits = open();
  limits.take('api.core', ann, NOON, 3);
  assert.equal(limits.take('api.core', bob, NOON)?.remaining, 2);
  assert.equal(limits.take('api.route:a', ann, NOON)?.remaining, 1);
  assert.equal(limits.take('api.route:b', ann, NOON)?.remaining, 1);
});

test('a window begins with the full second of its first use and ends on one', () => {
  const limits = open();
  const { resetAt } = limits.take('api.core', ann, NOON + 999)!;
  assert.equal(resetAt, NOON + 60_000);
  assert.equal(limits.take('api.core', ann, resetAt - 1)?.used, 2);
  assert.equal(limits.take('api.core', ann, resetAt)?.used, 1);
});

test('the seconds to wait are never more than the window has, and never none', () => {
  for (const late of [0, 1, 500, 999]) {
    const counter: Counter = open().take('api.core', ann, NOON + late)!;
    assert.equal(retrySeconds(counter, NOON + late), 60);
    assert.equal(retrySeconds(counter, counter.resetAt - 1), 1);
  }
});

test('a clock that is set back leaves no window longer than its length', () => {
  const limits = open();
  limits.take('api.core', ann, NOON, 2);
  const before = NOON - 3_600_000;
  const counter = limits.peek('api.core', ann, before);
  assert.deepEqual(counter, { limit: 3, used: 2, remaining: 1, resetAt: before + 60_000 });
  assert.equal(retrySeconds(counter, before), 60);
  assert.equal(limits.peek('api.core', ann, before + 60_000).used, 0);
});

test('reading counts nothing, and two readings are the same', () => {
  const limits = open();
  const first = limits.peek('api.core', ann, NOON);
  assert.deepEqual(limits.peek('api.core', ann, NOON + 500), first);
  assert.equal(first.used, 0);
});

test('a refund gives back, but never more than was spent', () => {
  const limits = open();
  limits.take('api.core', ann, NOON, 2);
  assert.equal(limits.refund('api.core', ann, NOON).used, 1);
  assert.equal(limits.refund('api.core', ann, NOON, 5).used, 0);
});

test('a shared budget counts the calls of all, in windows of exactly a second', () => {
  const limits = new Limits({
    enabled: true,
    quotas: { 'api.store': { anonymous: 2, known: 2, seconds: 1 } },
  });
  assert.equal(limits.take('api.store:x', 'everyone', NOON + 1)?.resetAt, NOON + 1001);
  assert.equal(limits.take('api.store:x', 'everyone', NOON + 900)?.remaining, 0);
  assert.equal(limits.take('api.store:x', 'everyone', NOON + 1000), undefined);
  assert.equal(limits.take('api.store:x', 'everyone', NOON + 1001)?.remaining, 1);
});

test('a cost above the remaining budget is refused entirely', () => {
  const limits = open();
  limits.take('api.core', ann, NOON, 2);
  assert.equal(limits.take('api.core', ann, NOON, 2), undefined);
  assert.equal(limits.peek('api.core', ann, NOON).remaining, 1);
});

/** A clock that a test sets. */
class SetClock {
  at = NOON;
  now(): number {
    return this.at;
  }
}

onEachEngine((engine) => {
  /** A process on a database that it shares with others. */
  const openOn = (db: Db, clock = new SetClock(), isShared = true) =>
    new Limits({ enabled: true, quotas, store: { db, clock, isShared } });
  const rowsOf = (db: Db) => db.selectFrom('limit_windows').selectAll().execute();

  test('a budget survives a restart', async () => {
    const { db } = await engine.open(limitMigrations);
    const before = openOn(db);
    before.take('api.core', ann, NOON, 2);
    await before.sync();
    const after = openOn(db);
    await after.load();
    assert.equal(after.peek('api.core', ann, NOON).used, 2);
    assert.equal(after.peek('api.core', bob, NOON).used, 0);
  });

  test('two nodes see the sum of their usage, also a node that has only read', async () => {
    const { db } = await engine.open(limitMigrations);
    const [one, two, looker] = [openOn(db), openOn(db), openOn(db)];
    looker.peek('api.core', ann, NOON);
    one.take('api.core', ann, NOON, 2);
    two.take('api.core', ann, NOON);
    await two.sync();
    await one.sync();
    assert.equal(one.take('api.core', ann, NOON), undefined);
    assert.equal(two.peek('api.core', ann, NOON).used, 1);
    for (const node of [two, looker]) {
      await node.sync();
      assert.equal(node.take('api.core', ann, NOON), undefined);
    }
  });

  test('calls that are counted while the budget is being saved are not lost', async () => {
    const { db } = await engine.open(limitMigrations);
    const limits = openOn(db);
    limits.take('api.core', ann, NOON);
    const saving = limits.sync();
    limits.take('api.core', ann, NOON);
    await saving;
    assert.equal(limits.peek('api.core', ann, NOON).used, 2);
    await limits.sync();
    const other = openOn(db);
    await other.load();
    assert.equal(other.peek('api.core', ann, NOON).used, 2);
  });

  test('a window that is opened while the last one is being read is not lost', async () => {
    const { db } = await engine.open(limitMigrations);
    const clock = new SetClock();
    const limits = openOn(db, clock);
    limits.take('api.core', ann, NOON, 3);
    const saving = limits.sync();
    clock.at = NOON + 3_600_000;
    limits.take('api.core', ann, clock.at);
    await saving;
    assert.equal(limits.peek('api.core', ann, clock.at).used, 1);
  });

  test('a window that is past starts anew in the database too, and is forgotten', async () => {
    const { db } = await engine.open(limitMigrations);
    const clock = new SetClock();
    const limits = openOn(db, clock);
    limits.take('api.core', ann, NOON, 3);
    await limits.sync();
    clock.at = NOON + 3_600_000;
    limits.take('api.core', ann, clock.at);
    await limits.sync();
    const other = openOn(db, clock);
    await other.load();
    assert.equal(other.peek('api.core', ann, clock.at).used, 1);
    clock.at += 3_600_000;
    await limits.sync();
    assert.deepEqual(await rowsOf(db), []);
  });

  test('windows that a wrong clock saved end within their length once it is right, on every node', async () => {
    const { db } = await engine.open(limitMigrations);
    const clock = new SetClock();
    const wrong = openOn(db, clock);
    clock.at = NOON + 10 * 365 * 86_400_000;
    wrong.take('api.core', ann, clock.at, 3);
    wrong.take('api.core', bob, clock.at, 1);
    await wrong.sync();
    clock.at = NOON;
    const restarted = openOn(db, clock);
    await restarted.load();
    for (const node of [wrong, restarted]) {
      assert.equal(node.peek('api.core', ann, NOON).resetAt, NOON + 60_000);
      await node.sync();
    }
    for (const row of await rowsOf(db)) assert.ok(row.reset_at <= NOON + 60_000, row.who);
    clock.at = NOON + 60_000;
    for (const node of [wrong, restarted]) {
      await node.sync();
      assert.equal(node.take('api.core', ann, clock.at)?.used, 1);
    }
  });

  test("two nodes never grant more than the quota and an interval's worth for each", async () => {
    const { db } = await engine.open(limitMigrations);
    const many = { 'api.core': { anonymous: 60, known: 60, seconds: 60 } };
    const nodes = [0, 1].map(
      () =>
        new Limits({
          enabled: true,
          quotas: many,
          store: { db, clock: new SetClock(), isShared: true },
        }),
    );
    let granted = 0;
    for (let round = 0; round < 20; round += 1) {
      const consumptions = nodes.flatMap((node) =>
        Array.from({ length: 4 }, async () => node.consume('api.core', ann, NOON)),
      );
      granted += (await Promise.all(consumptions)).filter((counter) => counter !== undefined).length;
      if (round % 5 === 4) for (const node of nodes) await node.sync();
    }
    assert.ok(granted >= 60 && granted <= 62, `${granted}`);
  });

  test('one node grants exactly the quota, whatever waits for the database', async () => {
    const { db } = await engine.open(limitMigrations);
    const limits = openOn(db);
    const consumptions = Array.from({ length: 8 }, () => limits.consume('api.core', ann, NOON));
    assert.equal(consumptions.filter((consumption) => consumption instanceof Promise).length, 7);
    const counters = await Promise.all(consumptions.map(async (consumption) => consumption));
    assert.deepEqual(
      counters.map((counter) => counter !== undefined),
      [true, true, true, false, false, false, false, false],
    );
    await limits.sync();
    assert.deepEqual(
      (await rowsOf(db)).map(({ used }) => used),
      [3],
      'what was refused is given back',
    );
  });

  test('a consumption that does not fit leaves room for one that does', async () => {
    const { db } = await engine.open(limitMigrations);
    const [one, two] = [openOn(db), openOn(db)];
    assert.equal((await one.consume('api.core', ann, NOON, 2))?.used, 2);
    const [large, small] = await Promise.all([
      two.consume('api.core', ann, NOON, 2),
      two.consume('api.core', ann, NOON, 1),
    ]);
    assert.deepEqual([large, small !== undefined], [undefined, true]);
    await two.sync();
    assert.deepEqual(
      (await rowsOf(db)).map(({ used }) => used),
      [3],
    );
  });

  test('a consumption that waits while its window ends is counted in the next', async () => {
    const { db } = await engine.open(limitMigrations);
    const clock = new SetClock();
    const limits = openOn(db, clock);
    limits.take('api.core', ann, NOON, 2);
    const consumption = limits.consume('api.core', ann, NOON);
    assert.ok(consumption instanceof Promise);
    clock.at = NOON + 60_000;
    assert.deepEqual(await consumption, { limit: 3, used: 1, remaining: 2, resetAt: NOON + 120_000 });
  });

  test('if the database does not answer a consumption fails, and no usage is lost', async () => {
    const { db } = await engine.open(limitMigrations);
    const limits = openOn(db);
    limits.take('api.core', ann, NOON, 2);
    await db.schema.alterTable('limit_windows').renameTo('gone').execute();
    await assert.rejects(async () => limits.consume('api.core', ann, NOON));
    await assert.rejects(limits.sync());
    await db.schema.alterTable('gone').renameTo('limit_windows').execute();
    await limits.sync();
    assert.deepEqual(
      (await rowsOf(db)).map(({ used }) => used),
      [2],
    );
  });

  test('without other nodes no consumption waits', async () => {
    const { db } = await engine.open(limitMigrations);
    const alone = openOn(db, new SetClock(), false);
    const consumptions = [1, 2, 3, 4].map(() => alone.consume('api.core', ann, NOON));
    assert.deepEqual(
      consumptions.map((counter) => (counter as Counter | undefined)?.used),
      [1, 2, 3, undefined],
    );
  });

  test('the fullest window of a member in an hour is kept, refused calls included, for a day', async () => {
    const { db } = await engine.open(limitMigrations);
    const clock = new SetClock();
    const [one, two] = [openOn(db, clock, false), openOn(db, clock, false)];
    const spend = (limits: Limits, calls: number, category = 'api.route') => {
      for (let call = 0; call < calls; call += 1) limits.take(category, eve, clock.at);
    };
    spend(one, 4);
    one.take('api.route', ann, NOON);
    spend(one, 3, 'api.route:a');
    clock.at = NOON + 20_000;
    spend(one, 12);
    spend(two, 5);
    await one.sync();
    clock.at = NOON + 40_000;
    spend(one, 1);
    // The window of the other is followed by no other, and has ended all the same.
    clock.at = NOON + HOUR;
    await two.sync();
    await one.sync();
    assert.deepEqual(await listPeaks(db, ['eve'], NOON), [
      { who: 'eve', category: 'api.route', hour: NOON, most: 12 },
    ]);
    assert.deepEqual(await listFullest(db, NOON, 10), ['eve'], 'networks have none');
    await deleteOldPeaks(db, NOON + 24 * HOUR);
    assert.equal((await listPeaks(db, ['eve'], 0)).length, 1);
    await deleteOldPeaks(db, NOON + 26 * HOUR);
    assert.deepEqual(await listPeaks(db, ['eve'], 0), []);
  });
});
