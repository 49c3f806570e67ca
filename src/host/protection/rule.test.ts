// What rules for branches say about changes: the pure part.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DEFAULT_REVIEWS,
  DEFAULT_RULE,
  enforcementLevel,
  findViolations,
  type BranchRule,
  type ChangeFacts,
} from './rule.ts';

/** A harmless update by somebody whom the rule does not name. */
const FACTS: ChangeFacts = {
  kind: 'update',
  isAdmin: false,
  purposes: () => Promise.resolve(new Set<string>()),
  isForced: () => Promise.resolve(false),
  hasNewCommits: () => Promise.resolve(true),
  hasNewMerges: () => Promise.resolve(false),
  openChecks: () => Promise.resolve([]),
};

async function codes(rule: Partial<BranchRule>, facts: Partial<ChangeFacts> = {}): Promise<string[]> {
  const violations = await findViolations({ ...DEFAULT_RULE, ...rule }, { ...FACTS, ...facts });
  return violations.map(({ code }) => code);
}

const named = (purpose: string) => ({ purposes: () => Promise.resolve(new Set([purpose])) });
const forced = { isForced: () => Promise.resolve(true) };
const checks = { strict: false, checks: [{ context: 'ci', appId: null }] };
const open = { openChecks: () => Promise.resolve([{ context: 'ci', state: 'expected' as const }]) };

test('a rule without requirements refuses force pushes and deletions, to administrators too', async () => {
  assert.deepEqual(await codes({}), []);
  assert.deepEqual(await codes({}, { kind: 'create' }), []);
  for (const isAdmin of [false, true]) {
    assert.deepEqual(await codes({}, { isAdmin, ...forced }), ['force']);
    assert.deepEqual(await codes({}, { isAdmin, kind: 'delete' }), ['deletion']);
  }
  assert.deepEqual(await codes({ allowForcePushes: true }, forced), []);
  assert.deepEqual(await codes({ allowDeletions: true }, { kind: 'delete' }), []);
});

const REQUIREMENTS: [code: string, rule: Partial<BranchRule>, facts?: Partial<ChangeFacts>][] = [
  ['reviews', { reviews: DEFAULT_REVIEWS }],
  ['reviews', { reviews: { ...DEFAULT_REVIEWS, allowsBypass: true } }, named('push')],
  ['checks', { statusChecks: checks }, open],
  ['merges', { requiredLinearHistory: true }, { hasNewMerges: () => Promise.resolve(true) }],
  ['signatures', { requiredSignatures: true }],
  ['restricted', { isRestricted: true }],
  ['restricted', { isRestricted: true }, named('bypass')],
  ['restricted', { isRestricted: true, blockCreations: true }, { kind: 'create' }],
  ['restricted', { isRestricted: true, allowDeletions: true }, { kind: 'delete' }],
  ['locked', { lockBranch: true }],
  ['locked', { lockBranch: true }, { kind: 'create' }],
  ['locked', { lockBranch: true, allowDeletions: true }, { kind: 'delete' }],
];

test('each requirement holds for others than administrators, and for them where it is enforced', async () => {
  for (const [code, rule, facts = {}] of REQUIREMENTS) {
    const description = `${code} ${JSON.stringify(rule)}`;
    assert.deepEqual(await codes(rule, facts), [code], description);
    assert.deepEqual(await codes(rule, { ...facts, isAdmin: true }), [], description);
    assert.deepEqual(
      await codes({ ...rule, enforceAdmins: true }, { ...facts, isAdmin: true }),
      [code],
      description,
    );
  }
});

const FREE: [rule: Partial<BranchRule>, facts?: Partial<ChangeFacts>][] = [
  [{ reviews: { ...DEFAULT_REVIEWS, allowsBypass: true } }, named('bypass')],
  [
    { reviews: DEFAULT_REVIEWS, statusChecks: checks, requiredSignatures: true },
    { kind: 'create', ...open },
  ],
  [{ reviews: DEFAULT_REVIEWS, allowDeletions: true }, { kind: 'delete' }],
  [{ statusChecks: checks }],
  [{ requiredLinearHistory: true }],
  [{ requiredSignatures: true }, { hasNewCommits: () => Promise.resolve(false) }],
  [{ isRestricted: true }, named('push')],
  [{ isRestricted: true }, { kind: 'create' }],
  [{ blockCreations: true }, { kind: 'create' }],
];

test('those who are named, and changes that a requirement is not about, pass', async () => {
  for (const [rule, facts] of FREE) assert.deepEqual(await codes(rule, facts), [], JSON.stringify(rule));
});

test('an allowance to bypass that has ended names nobody', async () => {
  assert.deepEqual(await codes({ reviews: DEFAULT_REVIEWS }, named('bypass')), ['reviews']);
});

test('all that is wrong is said at once', async () => {
  const rule = { reviews: DEFAULT_REVIEWS, statusChecks: checks, isRestricted: true };
  assert.deepEqual(await codes(rule, { ...forced, ...open }), ['force', 'restricted', 'reviews', 'checks']);
});

test('answers that no requirement needs are not asked for', async () => {
  const unasked = () => assert.fail('asked');
  const facts = { purposes: unasked, isForced: unasked, hasNewCommits: unasked, hasNewMerges: unasked };
  assert.deepEqual(await codes({ allowForcePushes: true }, facts), []);
});

test('a setting is off, for all but administrators, or for everyone', () => {
  assert.equal(enforcementLevel(false, DEFAULT_RULE), 'off');
  assert.equal(enforcementLevel(true, DEFAULT_RULE), 'non_admins');
  assert.equal(enforcementLevel(true, { ...DEFAULT_RULE, enforceAdmins: true }), 'everyone');
});
