// Tests of the slots that callers share: who gets one, who waits, and who is refused.
import assert from 'node:assert/strict';
import { setImmediate as tick } from 'node:timers/promises';
import { test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import { FairSlots, type SlotHolder } from './fair-slots.ts';

const anonymous = (network: string): SlotHolder => ({ caller: network, network, isAnonymous: true });
const member = (caller: string, network = caller): SlotHolder => ({ caller, network, isAnonymous: false });

function open({ max = 4, maxWaiting = 100 } = {}) {
  const clock = { now: 0 };
  const slots = new FairSlots({ max, maxWaiting, waitMs: 60_000, what: 'transfers', now: () => clock.now });
  const granted: string[] = [];
  const leaving = new AbortController();
  const ask = (holder: SlotHolder) => {
    const asked = slots.acquire(holder, leaving.signal);
    asked.then(
      () => granted.push(holder.caller),
      () => {},
    );
    return asked;
  };
  return { clock, slots, granted, ask, leaving };
}

test('one caller has half of the slots, and one network leaves a quarter', async () => {
  const { slots, ask, leaving } = open();
  for (let count = 0; count < 5; count += 1) void ask(member('ada', `n${count}`));
  assert.deepEqual([slots.used, slots.waiting], [2, 3]);
  leaving.abort();
  const other = open();
  for (const name of ['ada', 'ben', 'cy', 'dan']) void other.ask(member(name, 'office'));
  assert.deepEqual([other.slots.used, other.slots.waiting], [3, 1]);
  await other.ask(member('eve'));
  other.leaving.abort();
  await tick();
  assert.deepEqual([slots.waiting, other.slots.waiting], [0, 0]);
});

test('callers without a credential leave a quarter to those with one', async () => {
  const { slots, ask, leaving } = open();
  for (let count = 0; count < 6; count += 1) void ask(anonymous(`192.0.2.${count}`));
  assert.deepEqual([slots.used, slots.waiting], [3, 3]);
  await ask(member('ada'));
  assert.equal(slots.used, 4);
  leaving.abort();
});

test('a single slot is for everybody', async () => {
  const { ask } = open({ max: 1 });
  (await ask(anonymous('192.0.2.1')))();
  (await ask(member('ada')))();
});

test('many waiting calls of one caller do not delay another', async () => {
  const { granted, ask, leaving } = open({ max: 2 });
  const release = await ask(member('ada'));
  const releaseOther = await ask(member('cy'));
  for (let count = 0; count < 50; count += 1) void ask(member('ada'));
  void ask(member('ben'));
  await tick();
  releaseOther();
  await tick();
  assert.deepEqual(granted, ['ada', 'cy', 'ben']);
  release();
  await tick();
  assert.deepEqual(granted.slice(3), ['ada']);
  leaving.abort();
});

test('who has had slots for longer comes later', async () => {
  const { clock, granted, ask, leaving } = open({ max: 1 });
  const hog = await ask(anonymous('192.0.2.1'));
  clock.now += 20_000;
  hog();
  const release = await ask(member('ada'));
  void ask(anonymous('192.0.2.1'));
  void ask(anonymous('192.0.2.2'));
  await tick();
  release();
  await tick();
  assert.equal(granted.at(-1), '192.0.2.2');
  leaving.abort();
});

test('in a full queue the caller with the most calls loses one to a caller with fewer', async () => {
  const { slots, ask, leaving } = open({ max: 1, maxWaiting: 3 });
  await ask(member('ada'));
  const waiting = [1, 2, 3].map(() => ask(member('ada')));
  const isBusy = (error: unknown) =>
    error instanceof Failure &&
    error.kind === 'unavailable' &&
    /^Too many transfers are going on at this server, and 3 more wait\. Try again in \d+ seconds\.$/.test(
      error.message,
    );
  await assert.rejects(ask(member('ada')), isBusy);
  assert.throws(() => slots.check(member('ada')), isBusy);
  slots.check(member('ben'));
  void ask(member('ben'));
  await assert.rejects(waiting[2]!, isBusy);
  assert.equal(slots.waiting, 3);
  leaving.abort();
  await Promise.allSettled(waiting);
});

test('in a full queue of callers with one call each a newcomer displaces nobody', async () => {
  const { slots, ask, leaving } = open({ max: 1, maxWaiting: 3 });
  await ask(member('ada'));
  const waiting = ['ben', 'cy', 'dan'].map((name) => ask(member(name)));
  await assert.rejects(ask(member('eve')), Failure);
  assert.equal(slots.waiting, 3);
  leaving.abort();
  await Promise.allSettled(waiting);
});

test('a slot that is given back twice is free once', async () => {
  const { slots, ask, leaving } = open();
  const release = await ask(member('ada'));
  await ask(member('ben'));
  release();
  release();
  assert.equal(slots.used, 1);
  leaving.abort();
});

test('a slot is claimed by those who have fewer than its holder, and who could take it', async () => {
  const { slots, ask, leaving } = open();
  for (const caller of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) await ask(anonymous(caller));
  void ask(anonymous('192.0.2.2'));
  void ask(anonymous('192.0.2.3'));
  const claimantsOf = (holder: SlotHolder) => [...slots.claimants(holder)].map(({ caller }) => caller);
  assert.deepEqual(claimantsOf(anonymous('192.0.2.1')), ['192.0.2.2', '192.0.2.3']);
  assert.deepEqual(claimantsOf(anonymous('192.0.2.2')), ['192.0.2.3']);
  // Callers without a credential could not take the slot of a member.
  await ask(member('ada'));
  assert.deepEqual(claimantsOf(member('ada')), []);
  leaving.abort();
});
