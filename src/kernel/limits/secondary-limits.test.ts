// Secondary limits: counted for each caller, given back when a call ends, and bounded in memory.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { anonymousAt, type Caller, type KnownCaller } from '../identity/caller.ts';
import { SecondaryLimits, type SecondaryCost, type SecondaryRule } from './secondary-limits.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;

class FakeResponse extends EventEmitter {
  closed = false;

  end(): void {
    this.closed = true;
    this.emit('close');
  }
}

const quotas = {
  concurrent: 2,
  pointsPerMinute: { rest: 10, graphql: 3 },
  contentPerMinute: 2,
  contentPerHour: 3,
};
const open = (numbers = {}, isOn = true) => new SecondaryLimits(isOn, { ...quotas, ...numbers });
const read: SecondaryCost = { kind: 'rest', endpoint: 'users/get', points: 1, createsContent: false };
const change: SecondaryCost = { ...read, endpoint: 'users/update', points: 5 };
const creation: SecondaryCost = { ...read, endpoint: 'repos/create', createsContent: true };
const query: SecondaryCost = { ...read, kind: 'graphql', endpoint: 'graphql' };
const ann = anonymousAt('192.0.2.1');

function knownCaller(id: string, budget?: string): Caller {
  const member = { id } as KnownCaller['member'];
  return { kind: 'token', member, grants: [], ...(budget !== undefined && { budget: { id: budget } }) };
}

/** A call that ends at once. Returns the rule that forbids it. */
function call(
  limits: SecondaryLimits,
  who: Caller,
  cost: SecondaryCost,
  now = NOON,
): SecondaryRule | undefined {
  const response = new FakeResponse();
  const excess = limits.enter(who, cost, response, now);
  response.end();
  return excess?.rule;
}

test('so many calls at the same time, whatever they are, until one ends', () => {
  const limits = open();
  const [first, second, third] = [new FakeResponse(), new FakeResponse(), new FakeResponse()];
  assert.equal(limits.enter(ann, read, first, NOON), undefined);
  assert.equal(limits.enter(ann, query, second, NOON), undefined);
  assert.deepEqual(limits.enter(ann, read, third, NOON), { rule: 'concurrent', limit: 2, retryAt: NOON });
  third.end();
  assert.equal(limits.openCalls(ann, NOON), 2, 'a refused call holds nothing');
  assert.equal(call(limits, anonymousAt('192.0.2.2'), read), undefined);
  first.end();
  first.emit('close');
  assert.equal(limits.openCalls(ann, NOON), 1, 'a call ends once');
  assert.equal(call(limits, ann, read), undefined);
  second.end();
  assert.equal(limits.openCalls(ann, NOON), 0);
});

test('a client that went before it was admitted holds nothing', () => {
  const limits = open();
  const gone = new FakeResponse();
  gone.end();
  for (let index = 0; index < 5; index += 1) assert.equal(limits.enter(ann, read, gone, NOON), undefined);
  assert.equal(limits.openCalls(ann, NOON), 0);
});

test('points are counted for each endpoint and minute, and a refused call costs none', () => {
  const limits = open();
  assert.deepEqual(
    [1, 2, 3].map(() => call(limits, ann, change)),
    [undefined, undefined, 'points'],
  );
  assert.equal(call(limits, ann, read), undefined);
  assert.equal(call(limits, ann, { ...change, points: 0 }), undefined);
  const excess = limits.enter(ann, change, new FakeResponse(), NOON + 20_000);
  assert.deepEqual(excess, { rule: 'points', limit: 10, retryAt: NOON + MINUTE });
  assert.equal(call(limits, ann, change, NOON + MINUTE), undefined);
  assert.deepEqual(
    [1, 2, 3, 4].map(() => call(limits, ann, query)),
    [undefined, undefined, undefined, 'points'],
  );
});

test('no minute has more than its points, wherever it begins, and a refusal says when to come again', () => {
  const limits = open({ pointsPerMinute: { rest: 900 } });
  const taken: number[] = [];
  const ask = (now: number) => {
    const response = new FakeResponse();
    const excess = limits.enter(ann, read, response, now);
    response.end();
    if (excess === undefined) taken.push(now);
    return excess;
  };
  // Bursts at odd times, such as just before and just after a minute that began with the first call.
  for (let burst = 0; burst < 40; burst += 1)
    for (let at = 0; at < 450; at += 1) ask(NOON + burst * 7919 + (at % 7) * 311);
  taken.sort((a, b) => a - b);
  for (const [index, at] of taken.entries())
    assert.ok((taken[index + 900] ?? Infinity) - at >= MINUTE, `900 calls within a minute of ${at - NOON}`);
  const last = NOON + 39 * 7919;
  assert.ok(taken.length >= (900 * (last - NOON)) / (MINUTE * 1.25), `${taken.length} in ${last - NOON} ms`);
  const excess = ask(last);
  assert.ok(excess !== undefined && excess.retryAt > last && excess.retryAt <= last + MINUTE);
  assert.equal(ask(excess.retryAt), undefined);
});

test('what creates something in a minute slides, too', () => {
  const limits = open({ contentPerHour: 100, concurrent: 0 });
  const makes = (now: number) => limits.enter(ann, creation, new FakeResponse(), now)?.retryAt;
  assert.deepEqual([makes(NOON), makes(NOON + 50_000)], [undefined, undefined]);
  assert.equal(makes(NOON + 55_000), NOON + MINUTE);
  assert.deepEqual([makes(NOON + MINUTE), makes(NOON + MINUTE + 1)], [undefined, NOON + 50_000 + MINUTE]);
});

test('calls that are counted out of order do not begin anew', () => {
  const limits = open({ pointsPerMinute: { rest: 2 } });
  assert.equal(call(limits, ann, read, NOON + 100), undefined);
  assert.equal(call(limits, ann, read, NOON), undefined);
  assert.equal(call(limits, ann, read, NOON + 50), 'points');
});

test('what creates something is limited by the minute and by the hour', () => {
  const limits = open();
  const made = (now: number) => call(limits, ann, creation, now);
  assert.deepEqual([made(NOON), made(NOON), made(NOON)], [undefined, undefined, 'content']);
  assert.equal(call(limits, ann, read), undefined);
  assert.deepEqual([made(NOON + MINUTE), made(NOON + MINUTE)], [undefined, 'content']);
  const excess = limits.enter(ann, creation, new FakeResponse(), NOON + 30 * MINUTE);
  assert.deepEqual(excess, { rule: 'content', limit: 3, retryAt: NOON + 60 * MINUTE });
  assert.equal(made(NOON + 60 * MINUTE), undefined);
});

test('a clock that is set back does not lengthen a window', () => {
  const limits = open({ pointsPerMinute: { rest: 1 } });
  call(limits, ann, read, NOON);
  assert.equal(call(limits, ann, read, NOON - 24 * 60 * MINUTE), undefined);
});

test('a member, a program and a network have each their own', () => {
  const limits = open({ pointsPerMinute: { rest: 1 } });
  const callers = [
    knownCaller('m'),
    knownCaller('m', 'installation/1'),
    knownCaller('m', 'installation/2'),
    ann,
    anonymousAt('2001:db8::1'),
  ];
  for (const caller of callers) assert.equal(call(limits, caller, read), undefined);
  for (const caller of callers) assert.equal(call(limits, caller, read), 'points');
  assert.equal(call(limits, anonymousAt('2001:db8::2'), read), 'points', 'the same /64');
});

test('0 is no limit, and with nothing but zeros or with limits off nothing is counted', () => {
  const none = {
    concurrent: 0,
    pointsPerMinute: { rest: 0, graphql: 0 },
    contentPerMinute: 0,
    contentPerHour: 0,
  };
  const limits = open({ ...none, contentPerHour: 1000 });
  for (let index = 0; index < 100; index += 1) {
    assert.equal(limits.enter(ann, creation, new FakeResponse(), NOON), undefined);
  }
  assert.deepEqual([limits.enabled, open(none).enabled, open({}, false).enabled], [true, false, false]);
});

test('any number of addresses take bounded memory, and displace neither members nor open calls', () => {
  const limits = open({ pointsPerMinute: { rest: 1 } });
  const member = knownCaller('m');
  const held = new FakeResponse();
  call(limits, member, read);
  limits.enter(ann, read, held, NOON);
  for (let index = 0; index < 120_000; index += 1) {
    const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    call(limits, anonymousAt(address), read);
  }
  assert.ok(limits.size <= 50_010, `${limits.size}`);
  assert.equal(call(limits, member, read), 'points');
  assert.equal(limits.openCalls(ann, NOON), 1);
  held.end();
  assert.equal(limits.openCalls(ann, NOON), 0);
  // Those of the flood are forgotten after two hours, when others come.
  for (const hours of [1, 2])
    call(limits, anonymousAt(`172.16.0.${hours}`), read, NOON + hours * 60 * MINUTE);
  assert.equal(limits.size, 3);
});

test('any number of endpoints takes bounded memory: above it, those of a caller share their points', () => {
  const limits = new SecondaryLimits(true, { ...quotas, pointsPerMinute: { rest: 3 } }, 100);
  const address = (index: number) => anonymousAt(`10.0.${index >> 8}.${index & 255}`);
  const endpoint = (index: number): SecondaryCost => ({ ...read, endpoint: `e/${index}` });
  const flood = (now: number) => {
    for (let who = 0; who < 50; who += 1)
      for (let at = 0; at < 40; at += 1) call(limits, address(who), endpoint(at), now);
  };
  flood(NOON);
  assert.equal(limits.counters, 148, '100, and a shared one for each of the 48 others');
  assert.equal(call(limits, address(0), endpoint(0)), undefined, 'the first have counters of their own');
  const late = anonymousAt('192.0.2.9');
  const points = [1, 2, 3, 4].map((at) => call(limits, late, endpoint(at)));
  assert.deepEqual(points, [undefined, undefined, undefined, 'points']);
  assert.equal(call(limits, knownCaller('m'), endpoint(1)), undefined);
  // What has ended takes no room in the next minute, also of callers who have gone.
  const later = NOON + MINUTE;
  for (const at of [1, 2, 3, 4]) assert.equal(call(limits, late, endpoint(at), later), undefined);
  assert.ok(limits.counters < 20, `${limits.counters}`);
  // A generation that is forgotten gives back its counters.
  for (let hour = 1; hour <= 3; hour += 1) call(limits, late, read, NOON + hour * 61 * MINUTE);
  assert.ok(limits.counters <= 2, `${limits.counters}`);
});
