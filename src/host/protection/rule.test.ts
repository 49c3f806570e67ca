// What rules for branches say about changes: the pure part.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PullFacts, Verdict } from './pull-rule.ts';
import {
  DEFAULT_REVIEWS,
  DEFAULT_RULE,
  enforcementLevel,
  findViolations,
  type BranchRule,
  type ChangeFacts,
  type ReviewRule,
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

const verdict = (reviewerId: string, fields: Partial<Verdict> = {}): Verdict => ({
  reviewerId,
  isApproval: true,
  isOfHead: true,
  ...fields,
});

/** A pull request that ada and bob have approved, and that bob has pushed. */
const PULL: PullFacts = {
  isBehind: () => Promise.resolve(false),
  verdicts: () => Promise.resolve([verdict('ada'), verdict('bob')]),
  lastPusherId: () => Promise.resolve('bob'),
  missingOwners: () => Promise.resolve(undefined),
  hasOpenConversations: () => Promise.resolve(false),
};

async function messages(
  rule: Partial<BranchRule>,
  pull: Partial<PullFacts> = {},
  facts: Partial<ChangeFacts> = {},
): Promise<string[]> {
  const whole = { ...FACTS, pull: { ...PULL, ...pull }, ...facts };
  return (await findViolations({ ...DEFAULT_RULE, ...rule }, whole)).map(({ message }) => message);
}

const given = (...verdicts: Verdict[]) => ({ verdicts: () => Promise.resolve(verdicts) });
const reviewed = (fields: Partial<ReviewRule>) => ({ reviews: { ...DEFAULT_REVIEWS, ...fields } });
const REQUESTED = 'Changes have been requested by a reviewer with write access.';
const LAST_PUSH = 'New changes require approval from someone other than the last pusher.';

test('a merge needs as many approvals as the rule says, and nobody who asks for changes', async () => {
  assert.deepEqual(await messages(reviewed({ requiredApprovingReviewCount: 2 })), []);
  assert.deepEqual(await messages(reviewed({ requiredApprovingReviewCount: 3 })), [
    'At least 3 approving reviews are required by reviewers with write access.',
  ]);
  assert.deepEqual(await messages(reviewed({}), given()), [
    'At least 1 approving review is required by reviewers with write access.',
  ]);
  const split = given(verdict('ada'), verdict('bob', { isApproval: false }));
  assert.deepEqual(await messages(reviewed({}), split), [REQUESTED]);
  assert.deepEqual(await messages(reviewed({ requiredApprovingReviewCount: 0 }), split), []);
});

test('the last push is approved by somebody else, for the commit that it brought', async () => {
  const rule = reviewed({ requiredApprovingReviewCount: 0, requireLastPushApproval: true });
  assert.deepEqual(await messages(rule), []);
  assert.deepEqual(await messages(rule, given(verdict('bob'))), [LAST_PUSH]);
  assert.deepEqual(await messages(rule, given(verdict('ada', { isOfHead: false }))), [LAST_PUSH]);
  const unknown = { lastPusherId: () => Promise.resolve(null) };
  assert.deepEqual(await messages(rule, { ...given(verdict('ada')), ...unknown }), [LAST_PUSH]);
  assert.deepEqual(await messages(rule, unknown), []);
});

test('owners of changed files who have not approved are named', async () => {
  const rule = reviewed({ requireCodeOwnerReviews: true });
  const missing = (...names: string[]) => messages(rule, { missingOwners: () => Promise.resolve(names) });
  const waiting = 'Waiting on code owner review';
  assert.deepEqual(await messages(rule), []);
  assert.deepEqual(await missing('crew/docs'), [`${waiting} from crew/docs.`]);
  assert.deepEqual(await missing('a', 'b', 'c'), [`${waiting} from a, b and/or c.`]);
  const many = ['a', 'b', 'c', 'd', 'e', 'f'];
  assert.deepEqual(await missing(...many), [`${waiting} from a, b, c, d, e and/or others.`]);
  assert.deepEqual(await missing(), [`${waiting}.`]);
});

test('a merge into a branch with strict checks needs a head that has the newest commit of the base', async () => {
  const behind = { isBehind: () => Promise.resolve(true) };
  assert.deepEqual(await messages({ statusChecks: checks }, behind), []);
  const strict = { ...checks, strict: true };
  assert.deepEqual(await messages({ statusChecks: strict }), []);
  assert.deepEqual(await messages({ statusChecks: strict }, behind), [
    'The head branch is not up to date with the base branch.',
  ]);
});

test('conversations are to be resolved where the rule says so', async () => {
  const talking = { hasOpenConversations: () => Promise.resolve(true) };
  assert.deepEqual(await messages({}, talking), []);
  assert.deepEqual(await messages({ requiredConversationResolution: true }, talking), [
    'All comments must be resolved.',
  ]);
});

test('who may bypass pull requests needs no reviews, and everything else', async () => {
  const rule = { ...reviewed({ allowsBypass: true }), requiredConversationResolution: true };
  const facts = { ...given(), hasOpenConversations: () => Promise.resolve(true) };
  assert.deepEqual(await messages(rule, facts, named('bypass')), ['All comments must be resolved.']);
  assert.deepEqual(await messages(rule, facts, { isAdmin: true }), []);
});

test('nothing is read about a pull request that no rule asks for', async () => {
  const unasked = () => assert.fail('asked');
  const facts = {
    isBehind: unasked,
    verdicts: unasked,
    lastPusherId: unasked,
    missingOwners: unasked,
    hasOpenConversations: unasked,
  };
  assert.deepEqual(await messages(reviewed({ requiredApprovingReviewCount: 0 }), facts), []);
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
