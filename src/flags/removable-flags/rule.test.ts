// When a flag is ready to be removed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeRemoval, onlyServed, readyToRemoveSince, SETTLED_MS, type RemovalFacts } from './rule.ts';

const NOW = 1_800_000_000_000;
const LONG_AGO = NOW - 2 * SETTLED_MS;

const ready: RemovalFacts = {
  isTemporary: true,
  createdAt: LONG_AGO,
  modifiedAt: NOW - SETTLED_MS,
  lastRequestedAt: NOW,
  deciding: [
    { name: 'Production', served: 0 },
    { name: 'Europe', served: 0 },
  ],
  hasDependents: false,
  isPlanned: false,
};

const isReady = (facts: Partial<RemovalFacts>) =>
  readyToRemoveSince({ ...ready, ...facts }, NOW) !== undefined;

describe('a temporary flag', () => {
  test('is ready thirty days after its last change', () => {
    assert.equal(readyToRemoveSince(ready, NOW), NOW - SETTLED_MS);
    assert.ok(!isReady({ modifiedAt: NOW - SETTLED_MS + 1 }));
    assert.ok(!isReady({ createdAt: NOW - 1 }));
  });
  test('is not ready while critical environments serve different variations, or several', () => {
    assert.ok(
      !isReady({
        deciding: [
          { name: 'P', served: 0 },
          { name: 'E', served: 1 },
        ],
      }),
    );
    assert.ok(!isReady({ deciding: [{ name: 'P', served: undefined }] }));
    assert.ok(!isReady({ deciding: [] }));
  });
  test('is not ready while another needs it, or a change is planned', () => {
    assert.ok(!isReady({ hasDependents: true }));
    assert.ok(!isReady({ isPlanned: true }));
  });
});

test('a permanent flag is ready when no SDK has asked for it for thirty days', () => {
  assert.ok(!isReady({ isTemporary: false }));
  assert.ok(isReady({ isTemporary: false, lastRequestedAt: NOW - SETTLED_MS }));
  assert.ok(isReady({ isTemporary: false, lastRequestedAt: undefined }));
});

test('the reason names what is served, where and for how long', () => {
  const since = NOW - SETTLED_MS;
  assert.equal(
    describeRemoval(ready, since, 'true', NOW),
    'Everybody in Production, Europe has been served true for 30 days, and no other flag depends on it.',
  );
  const permanent = { ...ready, isTemporary: false };
  assert.match(describeRemoval(permanent, since, 'true', NOW), /^No SDK has asked for it for 30 days/);
});

describe('the only variation that is served', () => {
  const none = { rules: 0, nullRules: 0, targets: 0, contextTargets: 0 };
  const of = (isOn: boolean, variations: object, prerequisites = 0) =>
    onlyServed(isOn, { prerequisites, variations: variations as never });

  test('is the off variation while the flag is off', () => {
    assert.equal(of(false, { 0: { ...none, isFallthrough: true }, 1: { ...none, isOff: true } }), 1);
    assert.equal(of(false, { 0: { ...none, isFallthrough: true } }), -1);
  });
  test('is that of the default rule where nothing else serves another', () => {
    assert.equal(of(true, { 0: { ...none, isFallthrough: true }, 1: { ...none, isOff: true } }), 0);
    assert.equal(of(true, { 0: { ...none, isFallthrough: true, rules: 3 }, 1: { ...none, isOff: true } }), 0);
    assert.equal(of(true, { 1: { ...none, rollout: 100_000 }, 0: { ...none, rollout: 0 } }), 1);
  });
  test('is none where rules, targets, rollouts or prerequisites decide', () => {
    assert.equal(of(true, { 0: { ...none, isFallthrough: true }, 1: { ...none, rules: 1 } }), undefined);
    assert.equal(of(true, { 0: { ...none, isFallthrough: true }, 1: { ...none, targets: 1 } }), undefined);
    assert.equal(of(true, { 0: { ...none, rollout: 50_000 }, 1: { ...none, rollout: 50_000 } }), undefined);
    assert.equal(of(true, { 0: { ...none, isFallthrough: true } }, 1), undefined);
  });
});
