// Reviews in the database: which of them decide, and who sees those that are pending.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertReviewRows } from './fixture.ts';
import type { Review, ReviewState } from './review.ts';
import { deleteReviewRequests, insertReviewRequests, listSomeRequested } from './store-requests.ts';
import { listReviewRequests } from '../pulls/store.ts';
import {
  countReviews,
  deleteReview,
  findPendingReview,
  findReview,
  insertReview,
  listLatestReviews,
  listReviews,
  updateReview,
  type ReviewDraft,
} from './store.ts';

const NOW = 1_800_000_000_000;
const ALL = { offset: 0, limit: 100 };

onEachEngine((testEngine) => {
  let engine: Engine;
  before(async () => {
    engine = await testEngine.openMigrated();
    await engine.db.transaction().execute((tx) => insertReviewRows(tx, [0, 1, 2], NOW));
    for (const table of ['reviews', 'requested_reviewers'] as const)
      await engine.db.deleteFrom(table).execute();
  });

  function draft(issueId: number, author: string | null, state: ReviewState): ReviewDraft {
    const submittedAt = state === 'PENDING' ? null : NOW;
    const name = author === null ? 'somebody elsewhere' : null;
    const times = { createdAt: NOW, submittedAt, updatedAt: NOW };
    return { issueId, author: { id: author, name }, state, body: 'x', commitId: 'a', ...times };
  }

  async function insert(issueId: number, author: string | null, state: ReviewState): Promise<Review> {
    return await engine.db.transaction().execute((tx) => insertReview(tx, draft(issueId, author, state)));
  }

  test('the newest review of each author decides; comments and pending ones do not', async () => {
    await insert(1, 'ada', 'APPROVED');
    const asked = await insert(1, 'bob', 'CHANGES_REQUESTED');
    const changed = await insert(1, 'ada', 'CHANGES_REQUESTED');
    await insert(1, 'ada', 'COMMENTED');
    await insert(1, 'bob', 'PENDING');
    await insert(1, null, 'APPROVED');
    await insert(2, 'ada', 'APPROVED');
    assert.deepEqual(await listLatestReviews(engine.db, 1), [asked, changed]);
    await engine.db
      .transaction()
      .execute((tx) => updateReview(tx, asked, { state: 'DISMISSED', updatedAt: NOW + 1 }));
    const [dismissed] = await listLatestReviews(engine.db, 1);
    assert.deepEqual(dismissed, { ...asked, state: 'DISMISSED', updatedAt: NOW + 1 });
    assert.deepEqual(await findReview(engine.db, asked.id), dismissed);
  });

  test('a pending review is listed for its author alone, and there is one of each', async () => {
    const pending = await insert(3, 'ada', 'PENDING');
    const commented = await insert(3, 'bob', 'COMMENTED');
    assert.deepEqual(await listReviews(engine.db, 3, ALL, 'ada'), [pending, commented]);
    assert.deepEqual(await listReviews(engine.db, 3, ALL, 'bob'), [commented]);
    assert.deepEqual(await listReviews(engine.db, 3, ALL), [commented]);
    assert.equal(await countReviews(engine.db, 3, 10, 'ada'), 2);
    assert.equal(await countReviews(engine.db, 3, 10, 'bob'), 1);
    assert.deepEqual(await findPendingReview(engine.db, 3, 'ada'), pending);
    await assert.rejects(insert(3, 'ada', 'PENDING'));
    await engine.db.transaction().execute((tx) => deleteReview(tx, pending.id));
    assert.equal(await findPendingReview(engine.db, 3, 'ada'), undefined);
  });

  test('reviewers are listed in the order in which they were requested', async () => {
    const ada = { kind: 'user', reviewer: 'ada' } as const;
    const team = { kind: 'team', reviewer: '7' } as const;
    const bob = { kind: 'user', reviewer: 'bob' } as const;
    await engine.db.transaction().execute(async (tx) => {
      await insertReviewRequests(tx, 1, [team, ada]);
      await insertReviewRequests(tx, 1, [bob]);
      await insertReviewRequests(tx, 2, [team]);
    });
    const requested = async () =>
      (await listReviewRequests(engine.db, [1])).map(({ issueId: _of, ...one }) => one);
    assert.deepEqual(await requested(), [team, ada, bob]);
    assert.deepEqual(await listSomeRequested(engine.db, team, { after: 0, limit: 10 }), [1, 2]);
    assert.deepEqual(await listSomeRequested(engine.db, team, { after: 1, limit: 10 }), [2]);
    await engine.db.transaction().execute((tx) => deleteReviewRequests(tx, 1, [team, ada]));
    assert.deepEqual(await requested(), [bob]);
  });
});
