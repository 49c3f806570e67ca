// Rules for branches are asked about merges: with the reviews, checks, owners and conversations of the pull request.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../test/engines.ts';
import {
  afterGitTests as after,
  beforeGitTests as before,
  gitTest as test,
} from '../../../test/git-tests.ts';
import { expectAnswer, gatherCrew, NO_REQUIREMENTS, type Crew } from '../../../test/host-crew.ts';
import type { HostPerson } from '../../../test/host-people.ts';
import type { Json, TestServer } from '../../../test/server.ts';
import { startServerOn } from '../../../test/suites.ts';
import { addCommit, type TestFiles } from '../git/fixture-repository.ts';
import type { GitRepository } from '../git/repository.ts';
import { updateRefs } from '../git/refs/update-refs.ts';
import { findIssue } from '../issues/store.ts';
import type { Pull } from '../pulls/pull.ts';
import { findPull, updateHeadPusher } from '../pulls/store.ts';
import { recordPushes } from '../pushes/record-pushes.ts';
import { findRepositoryNamed, type FoundRepository } from '../repositories/access.ts';
import type { RepositoryRole } from '../repositories/repository.ts';
import type { ReviewState } from '../reviews/review.ts';
import { insertReview, listReviews } from '../reviews/store.ts';
import { findMergeViolations } from './check-merge.ts';
import { mayDismiss } from './may-dismiss.ts';
import { readMergeableState } from './mergeable-state.ts';

const FILES = { 'README.md': 'x' };
/** On a line, and pending. */
function commentRow({ repository }: FoundRepository, issueId: number, reviewId: number, threadId: number) {
  return {
    issue_id: issueId,
    repository_number: repository.number,
    review_id: reviewId,
    thread_id: threadId,
    in_reply_to: null,
    author_id: null,
    author_name: 'somebody',
    body: 'x',
    reactions: '{}',
    path: 'a',
    subject_type: 'line',
    diff_hunk: '@@ -0,0 +1 @@',
    side: 'RIGHT',
    line: 1,
    start_side: null,
    start_line: null,
    position: 1,
    original_line: 1,
    original_start_line: null,
    original_position: 1,
    commit_id: 'a',
    original_commit_id: 'a',
    is_pending: 1,
    created_at: 1,
    updated_at: 1,
  };
}

const TOO_FEW = 'At least 1 approving review is required by reviewers with write access.';
const REQUESTED = 'Changes have been requested by a reviewer with write access.';

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  /** For tests of reviews and of the branch. */
  let plain: Place;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    crew = await gatherCrew(server);
    plain = await openPlace('plain', { ...FILES, a: 'a' });
  });
  after(() => server.stop());

  const kernel = () => server.app.kernel;
  const callerOf = async ({ member }: HostPerson) =>
    (await kernel().identity.callerOfAccount(kernel().db, member.id, kernel().clock.now()))!;

  interface Place {
    path: string;
    found: FoundRepository;
    git: GitRepository;
    issueId: number;
    /** The commit that the base has. */
    base: string;
  }

  /** With a pull request of cleo, from `topic` into `main`. */
  async function openPlace(name: string, changed: TestFiles, files: TestFiles = FILES): Promise<Place> {
    const { path, head } = await crew.repository(name);
    const params = { owner: 'crew', repo: name };
    const found = (await findRepositoryNamed(kernel(), { params, now: Date.now() }))!;
    const git = kernel().services.git.repository(found.repository.number);
    const base = await addCommit(git, files, { branch: 'main', parents: [head] });
    await updateRefs(git, [{ name: 'refs/heads/topic', from: undefined, to: base }]);
    await addCommit(git, changed, { branch: 'topic', parents: [base] });
    await recordPushes(kernel(), found.repository.number);
    const sent = { title: 'Change', head: 'topic', base: 'main' };
    const { number } = await expectAnswer(201, crew.cleo.post(`${path}/pulls`, sent));
    const { id } = (await findIssue(kernel().db, found.repository.number, number as number))!;
    return { path, found, git, issueId: id, base };
  }

  /** The plain one, without a rule and without reviews. */
  async function cleared(): Promise<Place> {
    await kernel().db.deleteFrom('reviews').where('issue_id', '=', plain.issueId).execute();
    await crew.ada.delete(`${plain.path}/branches/main/protection`);
    return plain;
  }

  const protect = ({ path }: Place, rule: Json) =>
    expectAnswer(200, crew.ada.put(`${path}/branches/main/protection`, { ...NO_REQUIREMENTS, ...rule }));

  interface Merger {
    person?: HostPerson;
    role?: RepositoryRole;
    hasMerges?: boolean;
  }

  async function reasons(
    { found, git, issueId }: Place,
    { person = crew.cleo, role = 'write', hasMerges = true }: Merger = {},
  ): Promise<string[]> {
    const { db } = kernel();
    const pull = (await findPull(db, issueId))!;
    const issue = (await findIssue(db, found.repository.number, pull.number))!;
    const from = (await git.readRef('refs/heads/main'))!;
    const merge = { issue, pull, from, hasMerges };
    const caller = await callerOf(person);
    const violations = await findMergeViolations(kernel(), found, { caller, role }, merge, git);
    return violations.map(({ message }) => message);
  }

  async function review(
    { issueId }: Place,
    { member }: HostPerson,
    state: ReviewState,
    commitId?: string,
  ): Promise<void> {
    const { db } = kernel();
    const { headSha } = (await findPull(db, issueId))!;
    const author = { id: member.id, name: null };
    const times = { createdAt: 1, submittedAt: 1, updatedAt: 1 };
    await insertReview(db, { issueId, author, state, body: '', commitId: commitId ?? headSha, ...times });
  }

  test('approvals count that are the last word of somebody who may write', async () => {
    const place = await cleared();
    assert.deepEqual(await reasons(place), []);
    await protect(place, { required_pull_request_reviews: {} });
    await review(place, crew.eve, 'APPROVED');
    await review(place, crew.eve, 'CHANGES_REQUESTED');
    await review(place, crew.cleo, 'APPROVED');
    assert.deepEqual(await reasons(place), [TOO_FEW]);
    await review(place, crew.bob, 'APPROVED', place.base);
    assert.deepEqual(await reasons(place), []);
    await review(place, crew.bob, 'COMMENTED');
    assert.deepEqual(await reasons(place), []);
    await review(place, crew.bob, 'CHANGES_REQUESTED');
    assert.deepEqual(await reasons(place), [REQUESTED, TOO_FEW]);
    assert.deepEqual(await reasons(place, { person: crew.ada, role: 'admin' }), []);
    await review(place, crew.ada, 'APPROVED');
    assert.deepEqual(await reasons(place), [REQUESTED]);
    await review(place, crew.bob, 'DISMISSED');
    assert.deepEqual(await reasons(place), []);
    await review(place, crew.ada, 'DISMISSED');
    assert.deepEqual(await reasons(place), [TOO_FEW]);
    await protect(place, {
      required_pull_request_reviews: { bypass_pull_request_allowances: { users: ['cleo'] } },
    });
    assert.deepEqual(await reasons(place), []);
    assert.deepEqual(await reasons(place, { person: crew.bob }), [TOO_FEW]);
  });

  test('the approval of an administrator of the server counts, as they may write', async () => {
    const place = await cleared();
    await protect(place, { required_pull_request_reviews: {} });
    const { db } = kernel();
    await db.updateTable('members').set({ role: 'admin' }).where('id', '=', crew.eve.member.id).execute();
    await review(place, crew.eve, 'APPROVED');
    assert.deepEqual(await reasons(place), []);
    await db.updateTable('members').set({ role: 'writer' }).where('id', '=', crew.eve.member.id).execute();
    assert.deepEqual(await reasons(place), [TOO_FEW]);
  });

  test('the last push needs an approval of its commit by another than its pusher', async () => {
    const place = await cleared();
    await protect(place, {
      required_pull_request_reviews: { required_approving_review_count: 1, require_last_push_approval: true },
    });
    const open = 'New changes require approval from someone other than the last pusher.';
    await review(place, crew.bob, 'APPROVED', place.base);
    assert.deepEqual(await reasons(place), [open]);
    await review(place, crew.bob, 'APPROVED');
    assert.deepEqual(await reasons(place), []);
    await updateHeadPusher(kernel().db, place.issueId, crew.bob.member.id);
    assert.deepEqual(await reasons(place), [open]);
    await review(place, crew.ada, 'APPROVED');
    assert.deepEqual(await reasons(place), []);
  });

  test('checks are those of the head, which has the base where they are strict', async () => {
    const place = await openPlace('checked', { ...FILES, a: 'a' });
    const { path, git, base } = place;
    await protect(place, { required_status_checks: { strict: true, contexts: ['ci'] } });
    assert.deepEqual(await reasons(place), ['Required status check "ci" is expected.']);
    const { headSha } = (await findPull(kernel().db, place.issueId))!;
    const sent = { state: 'success', context: 'ci' };
    await expectAnswer(201, crew.cleo.post(`${path}/statuses/${headSha}`, sent));
    assert.deepEqual(await reasons(place), []);
    await addCommit(git, { ...FILES, b: 'b' }, { branch: 'main', parents: [base] });
    assert.deepEqual(await reasons(place), ['The head branch is not up to date with the base branch.']);
    await protect(place, { required_status_checks: { strict: false, contexts: ['ci'] } });
    assert.deepEqual(await reasons(place), []);
  });

  test('each changed file needs an owner of the last line that matches it', async () => {
    const owners = [
      '* @ada',
      '/docs/ @Bob',
      '/teams/ @crew/Pushers @ghost',
      '/mail/ ada@example.com',
      '/nobody/ @ghost @crew/none @other/pushers nobody@example.com @eve',
      '/free/',
    ].join('\n');
    const files = { ...FILES, CODEOWNERS: owners };
    const rule = { require_code_owner_reviews: true, required_approving_review_count: 0 };
    const place = await openPlace('owned', { ...files, 'teams/a': 'a', 'docs/new.md': 'x' }, files);
    await protect(place, { required_pull_request_reviews: rule });
    const waiting = 'Waiting on code owner review from';
    assert.deepEqual(await reasons(place), [`${waiting} Bob and/or crew/Pushers.`]);
    // Who creates a team is in it.
    await review(place, crew.ada, 'APPROVED');
    assert.deepEqual(await reasons(place), [`${waiting} Bob.`]);
    await review(place, crew.bob, 'APPROVED');
    assert.deepEqual(await reasons(place), []);
    const free = { ...files, 'nobody/a': 'a', 'free/b': 'b' };
    const other = await openPlace('unowned', { ...free, 'mail/x': 'x' }, files);
    await protect(other, { required_pull_request_reviews: rule });
    assert.deepEqual(await reasons(other), [`${waiting} ada@example.com.`]);
    await review(other, crew.ada, 'APPROVED');
    assert.deepEqual(await reasons(other), []);
  });

  test('a file that moves needs owners of both places, by the base alone', async () => {
    const files = { ...FILES, CODEOWNERS: '/docs/ @bob\n/src/ @ada', 'docs/a.md': 'moved' };
    const head = { ...FILES, CODEOWNERS: '* @cleo', 'src/a.md': 'moved' };
    const place = await openPlace('moved', head, files);
    await protect(place, { required_pull_request_reviews: { require_code_owner_reviews: true } });
    assert.deepEqual(await reasons(place), [TOO_FEW, 'Waiting on code owner review from bob and/or ada.']);
  });

  test('conversations that others see are to be resolved', async () => {
    const place = await cleared();
    await protect(place, { required_conversation_resolution: true });
    const { db } = kernel();
    await review(place, crew.bob, 'COMMENTED');
    const { issueId, found } = place;
    const { id: reviewId } = (await listReviews(db, issueId, { offset: 0, limit: 1 }))[0]!;
    const thread = await db
      .insertInto('review_threads')
      .values({ issue_id: issueId, is_resolved: 0, resolved_by_id: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    assert.deepEqual(await reasons(place), []);
    await db
      .insertInto('review_comments')
      .values(commentRow(found, issueId, reviewId, thread.id))
      .execute();
    assert.deepEqual(await reasons(place), []);
    await db
      .updateTable('review_comments')
      .set({ is_pending: 0 })
      .where('thread_id', '=', thread.id)
      .execute();
    assert.deepEqual(await reasons(place), ['All comments must be resolved.']);
    await db.updateTable('review_threads').set({ is_resolved: 1 }).where('id', '=', thread.id).execute();
    assert.deepEqual(await reasons(place), []);
  });

  test('a merge into a locked or restricted branch, or with a merge commit, is refused by its rule', async () => {
    const place = await cleared();
    await protect(place, { lock_branch: true });
    assert.deepEqual(await reasons(place), ['Cannot change this locked branch']);
    await protect(place, { restrictions: { users: ['cleo'], teams: [] } });
    assert.deepEqual(await reasons(place), []);
    assert.deepEqual(await reasons(place, { person: crew.bob }), [
      "You're not authorized to push to this branch.",
    ]);
    await protect(place, { required_linear_history: true });
    assert.deepEqual(await reasons(place), ['This branch must not contain merge commits.']);
    assert.deepEqual(await reasons(place, { hasMerges: false }), []);
    await protect(place, { required_linear_history: true, enforce_admins: true });
    assert.equal((await reasons(place, { person: crew.ada, role: 'admin' })).length, 1);
  });

  test('the state of a pull request is that for everybody who may push', async () => {
    const place = await cleared();
    const { db } = kernel();
    const known = { mergeable: true, checkedBase: place.base };
    const state = async (fields: Partial<Pull> = {}, isOpen = true) => {
      const pull = { ...(await findPull(db, place.issueId))!, ...known, ...fields };
      const issue = (await findIssue(db, place.found.repository.number, pull.number))!;
      const shown = { issue: isOpen ? issue : { ...issue, state: 'closed' as const }, pull };
      return await readMergeableState(kernel(), place.found, shown);
    };
    assert.equal(await state(), 'clean');
    assert.equal(await state({ mergeable: null }), 'unknown');
    const { headSha } = (await findPull(db, place.issueId))!;
    const report = (sent: Json) =>
      expectAnswer(201, crew.cleo.post(`${place.path}/statuses/${headSha}`, sent));
    await report({ state: 'failure', context: 'lint' });
    assert.equal(await state(), 'unstable');
    await report({ state: 'success', context: 'lint' });
    assert.equal(await state(), 'clean');
    await report({ state: 'pending', context: 'slow' });
    await protect(place, { restrictions: { users: ['bob'], teams: [] } });
    assert.equal(await state(), 'unstable');
    await protect(place, { required_linear_history: true });
    assert.equal(await state(), 'unstable');
    await protect(place, { required_status_checks: { strict: true, contexts: [] } });
    assert.equal(await state({ checkedBase: headSha }), 'unstable');
    assert.equal(await state({ checkedBase: headSha, headSha: place.base }), 'behind');
    await protect(place, { required_pull_request_reviews: {} });
    assert.equal(await state(), 'blocked');
    assert.equal(await state({}, false), 'clean');
    assert.equal(await state({ isDraft: true }), 'draft');
    assert.equal(await state({ mergeable: false }), 'dirty');
    await review(place, crew.bob, 'APPROVED');
    assert.equal(await state(), 'unstable');
  });

  test('reviews are dismissed by those who may write, or by those alone whom the rule names', async () => {
    const place = await cleared();
    const may = async (person: HostPerson, role: RepositoryRole) =>
      await mayDismiss(kernel().db, place.found, { caller: await callerOf(person), role }, 'main');
    assert.equal(await may(crew.bob, 'write'), true);
    assert.equal(await may(crew.bob, 'triage'), false);
    await protect(place, {
      required_pull_request_reviews: { dismissal_restrictions: { users: ['cleo'], teams: [] } },
    });
    assert.equal(await may(crew.bob, 'write'), false);
    assert.equal(await may(crew.cleo, 'write'), true);
    assert.equal(await may(crew.ada, 'admin'), true);
  });
});
