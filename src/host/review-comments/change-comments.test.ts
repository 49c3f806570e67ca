// Comments on lines are written, published, changed and deleted: counts, threads, timelines and events, on each engine.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { EventDetails } from '../events/model.ts';
import type { OpenedIssues } from '../issues/access.ts';
import { createIssue, editIssue } from '../issues/change-issue.ts';
import { ISSUE_DRAFT, newIssueRepository, NOW, runChange } from '../issues/fixture.ts';
import type { Issue } from '../issues/issue.ts';
import { findPull, insertPull } from '../pulls/store.ts';
import { insertReview } from '../reviews/store.ts';
import {
  addReviewComments,
  editReviewComment,
  publishReviewComments,
  removePendingComments,
  removeReviewComment,
} from './change-comments.ts';
import { createReviewComment, replyToComment } from './create-comment.ts';
import type { PlacedComment, ReviewComment } from './review-comment.ts';
import { findReviewComment } from './store.ts';

const ADA = { id: 'ada', name: null };
const HEAD = 'a'.repeat(40);
const placedAt = (line: number): PlacedComment => ({
  path: 'a.txt',
  body: `On ${line}`,
  subjectType: 'line',
  side: 'RIGHT',
  line,
  startSide: null,
  startLine: null,
  position: line,
  diffHunk: '@@ -1 +1 @@\n+x',
  commitId: HEAD,
});

onEachEngine((testEngine) => {
  let engine: Engine;
  let opened: OpenedIssues;
  let made = 0;

  before(async () => {
    engine = await testEngine.openMigrated();
    opened = { ...(await newIssueRepository(engine, 1)), role: 'write' };
  });

  async function newPull(): Promise<Issue> {
    made += 1;
    const issue = await runChange(engine, (tx) => createIssue(tx, opened, { ...ISSUE_DRAFT, isPull: true }));
    const { number: repositoryNumber } = opened.repository;
    await insertPull(engine.db, {
      issueId: issue.id,
      repositoryNumber,
      number: issue.number,
      baseRef: 'main',
      baseSha: 'b'.repeat(40),
      headRepositoryNumber: repositoryNumber,
      headOwnerId: 'ada',
      headRef: `topic-${made}`,
      headSha: HEAD,
      isDraft: false,
      mayMaintainerModify: false,
      mergeable: null,
      rebaseable: null,
      checkedBase: null,
      testMergeSha: null,
      mergedAt: null,
      mergedById: null,
      mergeCommitSha: null,
      commitCount: 1,
      additions: 1,
      deletions: 0,
      changedFiles: 1,
      reviewCommentCount: 0,
    });
    return issue;
  }

  const write = (issue: Issue, line = 1, now = NOW) =>
    runChange(
      engine,
      (tx) => createReviewComment(tx, opened, issue.id, { author: ADA, placed: placedAt(line) }),
      now,
    );
  const reply = (comment: ReviewComment, body = 'So') =>
    runChange(engine, (tx) => replyToComment(tx, opened, comment, { author: ADA, body }));
  const remove = (comment: ReviewComment) =>
    runChange(engine, (tx) => removeReviewComment(tx, opened, comment));
  const countOf = async ({ id }: Issue) => (await findPull(engine.db, id))!.reviewCommentCount;
  const timelineOf = async ({ id }: Issue) =>
    await engine.db
      .selectFrom('issue_events')
      .select(['event', 'subject_id'])
      .where('issue_id', '=', id)
      .orderBy('id')
      .execute();

  async function pendingReview({ id: issueId }: Issue) {
    const draft = { issueId, author: ADA, state: 'PENDING', body: '', commitId: HEAD } as const;
    const times = { createdAt: NOW, submittedAt: null, updatedAt: NOW };
    return await insertReview(engine.db, { ...draft, ...times });
  }

  test('eight comments and replies that are written at once are all counted, and so are those deleted', async () => {
    const issue = await newPull();
    const first = await write(issue);
    const written = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? write(issue, index + 1) : reply(first))),
    );
    assert.equal(await countOf(issue), 9);
    await Promise.all(written.slice(0, 5).map((one) => remove(one)));
    assert.equal(await countOf(issue), 4);
    const ends = await Promise.allSettled([first, first].map((one) => remove(one)));
    assert.deepEqual(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.equal(await countOf(issue), 3);
  });

  test('a thread lives as long as it has a comment, in the timeline too', async () => {
    const issue = await newPull();
    const first = await write(issue);
    const second = await reply(first);
    assert.deepEqual([second.threadId, second.inReplyTo], [first.threadId, first.id]);
    const third = await reply(second);
    assert.equal(third.inReplyTo, first.id);
    const lines = async () => (await timelineOf(issue)).filter(({ event }) => event === 'line-commented');
    assert.deepEqual(await lines(), [{ event: 'line-commented', subject_id: first.threadId }]);
    await remove(first);
    await remove(third);
    assert.equal((await lines()).length, 1);
    await remove(second);
    assert.deepEqual(await lines(), []);
    const threads = await engine.db
      .selectFrom('review_threads')
      .select('id')
      .where('id', '=', first.threadId)
      .execute();
    assert.deepEqual(threads, []);
  });

  test('comments of a pending review are counted and recorded when it is submitted', async () => {
    const issue = await newPull();
    const review = await pendingReview(issue);
    const comments = await runChange(engine, (tx) =>
      addReviewComments(tx, opened, issue, review, [placedAt(1), placedAt(2)]),
    );
    assert.deepEqual(
      comments.map(({ line, isPending }) => [line, isPending]),
      [
        [1, true],
        [2, true],
      ],
    );
    assert.equal(await countOf(issue), 0);
    assert.deepEqual(await timelineOf(issue), []);
    // Another does not find it.
    await assert.rejects(reply(comments[0]!), { kind: 'not-found' });
    await runChange(engine, (tx) => publishReviewComments(tx, opened, issue, review), NOW + 1000);
    assert.equal(await countOf(issue), 2);
    const events = (await timelineOf(issue)).map(({ event }) => event);
    assert.deepEqual(events, ['line-commented', 'line-commented']);
    const published = await findReviewComment(engine.db, issue.repositoryNumber, comments[0]!.id);
    assert.deepEqual([published?.isPending, published?.updatedAt], [false, NOW + 1000]);
  });

  test('comments of a pending review that is deleted leave nothing', async () => {
    const issue = await newPull();
    const review = await pendingReview(issue);
    await runChange(engine, (tx) => addReviewComments(tx, opened, issue, review, [placedAt(1)]));
    await runChange(engine, (tx) => removePendingComments(tx, review));
    for (const table of ['review_comments', 'review_threads'] as const) {
      const rows = await engine.db.selectFrom(table).select('id').where('issue_id', '=', issue.id).execute();
      assert.deepEqual(rows, []);
    }
  });

  test('a locked conversation goes on for those who may write', async () => {
    const issue = await newPull();
    const comment = await write(issue);
    await runChange(engine, (tx) => editIssue(tx, opened, issue.id, { lock: { reason: null } }));
    const reader = { ...opened, role: 'read' as const };
    const draft = { author: ADA, placed: placedAt(1) };
    await assert.rejects(
      runChange(engine, (tx) => createReviewComment(tx, reader, issue.id, draft)),
      { kind: 'denied' },
    );
    await assert.rejects(
      runChange(engine, (tx) => editReviewComment(tx, reader, comment, 'x')),
      { kind: 'denied' },
    );
    await write(issue);
  });

  test('each change is an event with the pull request and the comment as they are then', async () => {
    const issue = await newPull();
    const comment = await write(issue, 1, NOW + 1000);
    await runChange(engine, (tx) => editReviewComment(tx, opened, comment, comment.body), NOW + 1500);
    await runChange(engine, (tx) => editReviewComment(tx, opened, comment, 'Second'), NOW + 2000);
    await runChange(engine, (tx) => removeReviewComment(tx, opened, comment), NOW + 3000);
    const rows = await engine.db
      .selectFrom('host_events')
      .select(['action', 'details'])
      .where('repository_number', '=', opened.repository.number)
      .where('name', '=', 'pull_request_review_comment')
      .orderBy('number', 'desc')
      .limit(3)
      .execute();
    const recorded = rows.toReversed().map(({ action, details }) => {
      const {
        pull,
        comment: one,
        changes,
      } = JSON.parse(details) as EventDetails['pull_request_review_comment'];
      return [action, pull.pull.reviewCommentCount, one.comment.body, changes];
    });
    assert.deepEqual(recorded, [
      ['created', 1, 'On 1', undefined],
      ['edited', 1, 'Second', { body: { from: 'On 1' } }],
      ['deleted', 0, 'Second', undefined],
    ]);
  });
});
