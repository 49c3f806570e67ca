// The review status that reviews add up to, and when a request may be applied.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultApprovalSettings } from '../environments/approval-settings.ts';
import {
  type ApprovalRequest,
  type ApprovalReview,
  addReview,
  editRequest,
  laterOf,
  readResourceId,
  requireApplicable,
  reviewStatusOf,
  whyNotApproved,
} from './model.ts';

const settings = defaultApprovalSettings();

function review(kind: ApprovalReview['kind'], memberId: string, serviceTokenId?: string): ApprovalReview {
  return { id: 'r', kind, at: 1, by: { memberId, ...(serviceTokenId !== undefined && { serviceTokenId }) } };
}

const request: ApprovalRequest = {
  id: 'a',
  projectId: 'p',
  flagId: 'f',
  environmentId: 'e',
  requestor: { memberId: 'asker' },
  description: 'why',
  plan: { instructions: [] },
  reviews: [],
  reviewStatus: 'pending',
  status: 'pending',
  notifyMemberIds: [],
  notifyTeamKeys: [],
  conflicts: [],
  version: 1,
  createdAt: 1,
};

describe('reviews', () => {
  const cases: [string, ApprovalReview[], number, ApprovalRequest['reviewStatus'], boolean][] = [
    ['none', [], 1, 'pending', false],
    ['one of one', [review('approve', 'a')], 1, 'approved', true],
    ['one of two', [review('approve', 'a')], 2, 'pending', false],
    ['the same person twice', [review('approve', 'a'), review('approve', 'a', 'bot')], 2, 'pending', false],
    ['two of two', [review('approve', 'a'), review('approve', 'b')], 2, 'approved', true],
    ['a comment', [review('comment', 'a')], 1, 'pending', false],
    ['one for, one against', [review('approve', 'a'), review('decline', 'b')], 1, 'declined', true],
    ['a change of mind', [review('decline', 'a'), review('approve', 'a')], 1, 'approved', true],
    ['approval taken back', [review('approve', 'a'), review('decline', 'a')], 1, 'declined', false],
    ['a comment after', [review('approve', 'a'), review('comment', 'a')], 1, 'approved', true],
  ];
  for (const [name, reviews, minNumApprovals, status, isEnough] of cases)
    test(name, () => {
      const asked = { ...settings, minNumApprovals };
      assert.equal(reviewStatusOf(reviews, asked), status);
      assert.equal(whyNotApproved({ reviews }, asked) === undefined, isEnough);
    });

  test('one against is too much where declined changes cannot be applied', () => {
    const reviews = [review('approve', 'a'), review('decline', 'b')];
    assert.match(whyNotApproved({ reviews }, { ...settings, canApplyDeclinedChanges: false })!, /declined/);
  });

  test("the maker of a service token does not approve the token's request", () => {
    const mine = { ...request, requestor: { memberId: 'maker', serviceTokenId: 'bot' } };
    assert.throws(() => addReview(mine, review('approve', 'maker'), settings), { kind: 'forbidden' });
    assert.throws(() => addReview(mine, review('decline', 'maker', 'bot'), settings), { kind: 'forbidden' });
    assert.equal(addReview(mine, review('comment', 'maker'), settings).reviews.length, 1);
  });

  test('requestors review their own requests where the environment lets them', () => {
    const own = { ...settings, canReviewOwnRequest: true };
    assert.equal(addReview(request, review('approve', 'asker'), own).reviewStatus, 'approved');
    assert.throws(() => addReview(request, review('approve', 'asker'), settings), { kind: 'forbidden' });
  });

  test('a request has a hundred reviews at most', () => {
    const reviews = Array.from({ length: 99 }, () => review('comment', 'a'));
    const full = addReview({ ...request, reviews }, review('comment', 'a'), settings);
    assert.equal(full.reviews.length, 100);
    assert.throws(() => addReview(full, review('comment', 'a'), settings), { kind: 'invalid' });
  });

  test('what is settled is not judged again', () => {
    for (const status of ['completed', 'failed'] as const)
      assert.throws(() => addReview({ ...request, status }, review('approve', 'a'), settings), {
        kind: 'invalid',
      });
  });
});

test('a request is applied once, but may be tried again after it has failed', () => {
  const approved = { ...request, reviews: [review('approve', 'a')] };
  requireApplicable(approved, settings);
  requireApplicable({ ...approved, status: 'failed' }, settings);
  for (const status of ['completed', 'scheduled'] as const)
    assert.throws(() => requireApplicable({ ...approved, status }, settings), { kind: 'invalid' });
  assert.throws(() => requireApplicable(request, settings), { kind: 'invalid' });
});

test('a time that has passed is not waited for', () => {
  assert.equal(laterOf(request, 5), undefined);
  assert.equal(laterOf({ ...request, executionAt: 5 }, 5), undefined);
  assert.equal(laterOf({ ...request, executionAt: 6 }, 5), 6);
});

test('a resource is a flag in an environment', () => {
  assert.deepEqual(readResourceId('proj/a:env/b:flag/c'), {
    projectKey: 'a',
    environmentKey: 'b',
    flagKey: 'c',
  });
  for (const text of ['', 'flag/c', 'proj/a:flag/c', 'proj/a:env/*:flag/c', 'proj/a:env/b:segment/c'])
    assert.throws(() => readResourceId(text), { kind: 'invalid' });
});

test('an edit that changes nothing gives the same request back', () => {
  assert.equal(editRequest(request, [{ kind: 'updateDescription', value: 'why' }]), request);
  const edited = editRequest(request, [{ kind: 'addReviewers', notifyTeamKeys: ['t', 't'] }]);
  assert.deepEqual([edited.notifyTeamKeys, edited.version], [['t'], 2]);
  const many = Array.from({ length: 6 }, (_, index) => `m${index}`);
  const more = many.map((id) => `${id}x`);
  assert.throws(
    () =>
      editRequest(request, [
        { kind: 'addReviewers', notifyMemberIds: many },
        { kind: 'addReviewers', notifyMemberIds: more },
      ]),
    { kind: 'invalid' },
  );
});

test('ten members and ten teams are asked at most', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
  const ask = (members: number, teams: number) =>
    editRequest({ ...request, notifyMemberIds: ['n0'], notifyTeamKeys: ['n0'] }, [
      { kind: 'addReviewers', notifyMemberIds: names(members), notifyTeamKeys: names(teams) },
    ]);
  const { notifyMemberIds, notifyTeamKeys } = ask(10, 10);
  assert.deepEqual([notifyMemberIds.length, notifyTeamKeys.length], [10, 10]);
  const more = { kind: 'addReviewers', notifyMemberIds: ['n10'] };
  assert.throws(() => editRequest(ask(10, 1), [more]), { kind: 'invalid' });
  const team = { kind: 'addReviewers', notifyTeamKeys: ['n10'] };
  assert.throws(() => editRequest(ask(1, 10), [team]), { kind: 'invalid' });
});
