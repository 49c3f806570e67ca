// Tests of the rate limits of very many callers without a credential.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Caller } from '../identity/caller.ts';
import { limitMigrations } from './store.ts';
import { Limits } from './limits.ts';
import type { Db } from '../storage/tables.ts';

const quotas = {
  'api.core': { anonymous: 60, known: 100, seconds: 3600 },
  'api.route': { anonymous: 5, known: 10, seconds: 60 },
};
const NOON = Date.UTC(2026, 0, 1, 12);
const MAX = 4000;
const open = (maxNetworks = MAX) => new Limits({ enabled: true, quotas, maxNetworks });
const at = (address: string): Caller => ({ kind: 'anonymous', address, grants: [] });
/** One of the /64 networks of a /32: of a /48 of its own, or of one /48. */
const inOne32 = (index: number) => at(`2001:db8:${index.toString(16)}:1::1`);
const inOne48 = (index: number) => at(`2001:db8:1:${index.toString(16)}::1`);
const take = (limits: Limits, caller: Caller) => limits.take('api.core', caller, NOON);

for (const [width, inside] of [
  ['/32', inOne32],
  ['/48', inOne48],
] as const) {
  test(`an attacker with a whole ${width} takes bounded memory, and shares a budget with its neighbours`, () => {
    const limits = open();
    for (let index = 0; index < MAX * 10; index += 1) take(limits, inside(index));
    assert.ok(limits.networks <= MAX / 2 + 2, `${limits.networks}`);
    assert.equal(take(limits, inside(MAX * 15)), undefined, 'a network that was never seen before');
    assert.equal(take(limits, inside(3))?.used, 2, 'one that has its own goes on with it');
  });
}

test('callers outside of a crowded network have budgets of their own, whenever they come', () => {
  const limits = open();
  take(limits, at('192.0.2.7'));
  for (let index = 0; index < MAX * 5; index += 1) take(limits, inOne32(index));
  assert.equal(take(limits, at('192.0.2.7'))?.used, 2);
  for (const address of ['203.0.113.9', '203.0.113.10', '2001:db9::1', '2001:dba::1'])
    assert.equal(take(limits, at(address))?.used, 1, address);
});

test('the narrowest crowded network shares a budget, not the wider ones around it', () => {
  // Fewer than make a /32 crowded.
  const limits = open(1000);
  for (let index = 0; index < 1000; index += 1) take(limits, inOne48(index));
  assert.equal(take(limits, inOne48(2000)), undefined);
  assert.equal(take(limits, inOne32(7))?.used, 1, 'its neighbour in the same /32');
});

test('callers with a credential are never counted together', () => {
  const limits = open(10);
  const member = (id: string) => ({ kind: 'session', member: { id } }) as unknown as Caller;
  for (let index = 0; index < 500; index += 1) assert.equal(take(limits, member(`m${index}`))?.used, 1);
  for (let index = 0; index < 500; index += 1) take(limits, inOne32(index));
  assert.equal(take(limits, member('m7'))?.used, 2);
  assert.equal(take(limits, member('another'))?.used, 1);
});

test('the bound holds for addresses from everywhere', () => {
  const limits = open(100);
  for (let index = 0; index < 5000; index += 1) {
    take(limits, at(`${(index % 223) + 1}.${(index * 7) % 256}.${(index * 31) % 256}.1`));
    take(limits, at(`20${(index % 50) + 10}:${index.toString(16)}::1`));
  }
  assert.ok(limits.networks <= 200 + 223 + 50, `${limits.networks}`);
});

test('the bound is that of all categories together', () => {
  const limits = open();
  for (let index = 0; index < MAX * 2; index += 1)
    limits.take(`api.route:${index % 9}`, inOne32(index), NOON);
  assert.ok(limits.networks <= MAX / 2 + 9, `${limits.networks}`);
});

onEachEngine((engine) => {
  let now = NOON;
  const openOn = (db: Db) =>
    new Limits({
      enabled: true,
      quotas,
      maxNetworks: 200,
      store: { db, clock: { now: () => now }, isShared: true },
    });

  test('a shared budget survives a restart and holds on other nodes, until its window has ended', async () => {
    const { db } = await engine.open(limitMigrations);
    now = NOON;
    const [one, two] = [openOn(db), openOn(db)];
    for (let index = 0; index < 500; index += 1) one.take('api.core', inOne48(index), now);
    await one.sync();
    await two.sync();
    const restarted = openOn(db);
    await restarted.load();
    for (const node of [one, two, restarted]) {
      assert.equal(node.take('api.core', inOne48(700), now), undefined);
      assert.ok(node.networks <= 200);
    }
    now = NOON + 3_600_000;
    await one.sync();
    assert.equal(one.networks, 0);
    for (const index of [1, 700]) assert.equal(one.take('api.core', inOne48(index), now)?.used, 1);
  });
});
