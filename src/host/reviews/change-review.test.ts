// Reviews are submitted and dismissed: rows, requests, timelines and events, on each engine.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { OpenedIssues } from '../issues/access.ts';
import { NOW, runChange } from '../issues/fixture.ts';
import { subscribedBy } from '../issues/lists/facets.ts';
import type { Issue } from '../issues/issue.ts';
import { listIssueIds } from '../issues/lists/store-facets.ts';
import { findIssue } from '../issues/store.ts';
import { listReviewRequests } from '../pulls/store.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { requestReviewers } from './change-requests.ts';
import { createReview, dismissReviews, type NewReview } from './change-review.ts';
import { insertReviewRows } from './fixture.ts';
import { listLatestReviews } from './store.ts';

const OWNER = { id: 'owner-0', number: 1, login: 'owner-0', type: 'User', isSiteAdmin: false } as const;

onEachEngine((testEngine) => {
  let engine: Engine;
  let opened: OpenedIssues;
  let issue: Issue;

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await db.transaction().execute((tx) => insertReviewRows(tx, [0], NOW));
    for (const table of ['reviews', 'requested_reviewers'] as const) await db.deleteFrom(table).execute();
    const repository = (await findRepositoryByNumber(db, 1))!;
    opened = { repository, owner: OWNER, role: 'write' };
    issue = (await findIssue(db, 1, 1))!;
  });

  const timeline = () =>
    engine.db.selectFrom('issue_events').select(['event', 'details']).orderBy('id').execute();

  function review(author: string, event: NewReview['event']): NewReview {
    return { author: { id: author, name: null }, body: 'Words', commitId: 'head', event, comments: [] };
  }

  test('a review that is submitted ends its request, and subscribes its author', async () => {
    const bob = { kind: 'user', reviewer: 'bob' } as const;
    const cleo = { kind: 'user', reviewer: 'cleo' } as const;
    await runChange(engine, (tx) => requestReviewers(tx, opened, issue.id, [bob, cleo, bob]));
    await runChange(engine, (tx) => createReview(tx, opened, issue.id, review('cleo', undefined)));
    await runChange(engine, (tx) => createReview(tx, opened, issue.id, review('bob', 'APPROVE')), NOW + 5);
    assert.deepEqual(await listReviewRequests(engine.db, [issue.id]), [{ issueId: issue.id, ...cleo }]);
    const filter = { facets: [subscribedBy('bob')], states: ['open'] as const };
    const order = { sort: 'created', desc: false } as const;
    const { ids } = await listIssueIds(engine.db, filter, order, { offset: 0, limit: 10 });
    assert.deepEqual(ids, [issue.id]);
    assert.equal((await findIssue(engine.db, 1, 1))!.updatedAt, NOW + 5);
    assert.deepEqual(
      (await timeline()).map(({ event }) => event),
      ['review_requested', 'review_requested', 'reviewed'],
    );
  });

  test('many reviews are dismissed at once, by a push for instance, each with its event', async () => {
    await runChange(engine, (tx) => createReview(tx, opened, issue.id, review('dan', 'REQUEST_CHANGES')));
    const present = await listLatestReviews(engine.db, issue.id);
    const dismissal = { message: null, commitId: 'pushed' };
    const dismissed = await runChange(engine, (tx) => dismissReviews(tx, opened, issue, present, dismissal));
    assert.deepEqual(
      dismissed.map(({ state, author }) => [state, author.id]),
      [
        ['DISMISSED', 'bob'],
        ['DISMISSED', 'dan'],
      ],
    );
    assert.deepEqual(await listLatestReviews(engine.db, issue.id), dismissed);
    const details = (await timeline()).flatMap(({ event, details: text }) =>
      event === 'review_dismissed' ? (JSON.parse(text) as object) : [],
    );
    assert.deepEqual(
      details,
      ['approved', 'changes_requested'].map((state, index) => ({
        dismissed_review: {
          state,
          review_id: present[index]!.id,
          dismissal_message: null,
          dismissal_commit_id: 'pushed',
        },
      })),
    );
    const rows = await engine.db
      .selectFrom('host_events')
      .select(['name', 'action'])
      .orderBy('number')
      .execute();
    const events = rows.map(({ name, action }) => `${name}.${action}`);
    assert.deepEqual(events.slice(-2), Array(2).fill('pull_request_review.dismissed'));
    assert.deepEqual(await runChange(engine, (tx) => dismissReviews(tx, opened, issue, [], dismissal)), []);
  });
});
