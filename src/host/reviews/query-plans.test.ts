// The query plans for reviews: each goes by an index, for any number of reviews.
import { testPlans } from '../../../test/query-plans.ts';
import { insertReviewRows } from './fixture.ts';
import {
  deleteRequestsOfTeams,
  deleteReviewRequests,
  insertReviewRequests,
  listSomeRequested,
} from './store-requests.ts';
import {
  countReviews,
  deleteReview,
  findPendingReview,
  findReview,
  listLatestReviews,
  listReviews,
  listSomePending,
  listSubmittedReviews,
  updateReview,
} from './store.ts';

const NOW = 1_800_000_000_000;
const SLICE = { offset: 10, limit: 10 };
const AFTER = { after: 5, limit: 10 };

testPlans('every statement about reviews goes by an index', {
  rows: 2000,
  atLeast: 16,
  scan: /(?:SCAN|Seq Scan on) (?:reviews|requested_reviewers)\b/,
  insertRows: (tx, rows) => insertReviewRows(tx, rows, NOW),
  async execute(db) {
    const review = (await findReview(db, 1))!;
    await findPendingReview(db, 1, 'account-0');
    for (const accountId of [undefined, 'account-1']) {
      await listReviews(db, 1, SLICE, accountId);
      await countReviews(db, 1, 1000, accountId);
    }
    await listLatestReviews(db, 1);
    await listSubmittedReviews(db, [1, 2]);
    await listSomePending(db, 'account-1', AFTER);
    await listSomeRequested(db, { kind: 'team', reviewer: '7' }, AFTER);
    await db.transaction().execute(async (tx) => {
      await updateReview(tx, review, { body: 'y', updatedAt: NOW });
      await deleteReview(tx, 2);
      await insertReviewRequests(tx, 1, [{ kind: 'team', reviewer: '1' }]);
      await deleteReviewRequests(tx, 1, [{ kind: 'team', reviewer: '1' }]);
      await deleteRequestsOfTeams(tx, [1, 2]);
    });
  },
});
