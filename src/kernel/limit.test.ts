// Budgets: counted, read, refunded, and shared through the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../test/engines.ts';
import type { Caller } from './identity/caller.ts';
import { limitMigrations } from './limit-store.ts';
import { Limits, retrySeconds, type Counter } from './limit.ts';

const ann: Caller = { kind: 'anonymous', address: '192.0.2.1', grants: [] };
const bob: Caller = { kind: 'anonymous', address: '192.0.2.2', grants: [] };
const allowances = {
  'api.core': { anonymous: 3, known: 10, seconds: 60 },
  'api.route': { anonymous: 2, known: 10, seconds: 10 },
};
const open = () => new Limits({ enabled: true, allowances });
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

test('what everyone shares is spent together, in windows of exactly a second', () => {
  const limits = new Limits({
    enabled: true,
    allowances: { 'api.store': { anonymous: 2, known: 2, seconds: 1 } },
  });
  assert.equal(limits.take('api.store:x', 'everyone', NOON + 1)?.resetAt, NOON + 1001);
  assert.equal(limits.take('api.store:x', 'everyone', NOON + 900)?.remaining, 0);
  assert.equal(limits.take('api.store:x', 'everyone', NOON + 1000), undefined);
  assert.equal(limits.take('api.store:x', 'everyone', NOON + 1001)?.remaining, 1);
});

test('a cost above what is left is refused whole', () => {
  const limits = open();
  limits.take('api.core', ann, NOON, 2);
  assert.equal(limits.take('api.core', ann, NOON, 2), undefined);
  assert.equal(limits.peek('api.core', ann, NOON).remaining, 1);
});

onEachEngine((engine) => {
  test('a budget survives a restart', async () => {
    const { db } = await engine.open(limitMigrations);
    const before = open();
    before.take('api.core', ann, NOON, 2);
    await before.save(db, NOON);
    const after = open();
    await after.load(db, NOON + 1000);
    assert.equal(after.peek('api.core', ann, NOON + 1000).used, 2);
    assert.equal(after.peek('api.core', bob, NOON + 1000).used, 0);
  });

  test('two nodes see the sum of what both have counted', async () => {
    const { db } = await engine.open(limitMigrations);
    const [one, two] = [open(), open()];
    one.take('api.core', ann, NOON, 2);
    two.take('api.core', ann, NOON);
    await two.sync(db, NOON);
    await one.sync(db, NOON);
    assert.equal(one.take('api.core', ann, NOON), undefined);
    assert.equal(two.peek('api.core', ann, NOON).used, 1);
    await two.sync(db, NOON + 1000);
    assert.equal(two.take('api.core', ann, NOON), undefined);
  });

  test('calls that are counted while the budget is being saved are not lost', async () => {
    const { db } = await engine.open(limitMigrations);
    const limits = open();
    limits.take('api.core', ann, NOON);
    const saving = limits.save(db, NOON);
    limits.take('api.core', ann, NOON);
    await saving;
    assert.equal(limits.peek('api.core', ann, NOON).used, 2);
    await limits.save(db, NOON);
    const other = open();
    await other.load(db, NOON);
    assert.equal(other.peek('api.core', ann, NOON).used, 2);
  });

  test('a window that is opened while the last one is being read is not lost', async () => {
    const { db } = await engine.open(limitMigrations);
    const limits = open();
    limits.take('api.core', ann, NOON, 3);
    const saving = limits.sync(db, NOON);
    const later = NOON + 3_600_000;
    limits.take('api.core', ann, later);
    await saving;
    assert.equal(limits.peek('api.core', ann, later).used, 1);
  });

  test('a window that is past starts anew in the database too, and is forgotten', async () => {
    const { db } = await engine.open(limitMigrations);
    const limits = open();
    limits.take('api.core', ann, NOON, 3);
    await limits.save(db, NOON);
    const later = NOON + 3_600_000;
    limits.take('api.core', ann, later);
    await limits.save(db, later);
    const other = open();
    await other.load(db, later);
    assert.equal(other.peek('api.core', ann, later).used, 1);
    await limits.save(db, later + 3_600_000);
    const rows = await db.selectFrom('limit_windows').selectAll().execute();
    assert.deepEqual(rows, []);
  });
});
