// The query plans for comments on lines and their threads: each goes by an index, for any number of comments.
import { testPlans } from '../../../test/query-plans.ts';
import { findReview } from '../reviews/store.ts';
import { insertReviewCommentRows } from './fixture.ts';
import {
  deleteEmptyThreads,
  findThread,
  listThreadComments,
  listThreads,
  measureThreadComments,
  updateThread,
} from './store-threads.ts';
import {
  addToReviewCommentCount,
  countReviewComments,
  deleteReviewComments,
  findReviewComment,
  insertReply,
  insertReviewComments,
  listCommentsOfReview,
  listPlacedComments,
  listReviewComments,
  listReviewCommentsById,
  publishComments,
  updatePlaces,
  updateReviewComment,
} from './store.ts';

const NOW = 1_800_000_000_000;
const SLICE = { offset: 10, limit: 10 };
const PLACE = { side: 'RIGHT', line: 1, startSide: null, startLine: null, position: 1 } as const;

testPlans('every statement about comments on lines goes by an index', {
  rows: 3000,
  atLeast: 30,
  scan: /(?:SCAN|Seq Scan on) (?:review_comments|review_threads|reviews|pulls|issues)\b/,
  insertRows: (tx, rows) => insertReviewCommentRows(tx, rows, NOW),
  async execute(db) {
    for (const place of [{ issueId: 1 }, { repositoryNumber: 1 }])
      for (const filter of [{ of: place }, { of: place, updatedSince: NOW }]) {
        await countReviewComments(db, filter, 1000);
        for (const sort of ['created', 'updated'] as const)
          for (const desc of [false, true]) await listReviewComments(db, filter, { sort, desc }, SLICE);
      }
    const comment = (await findReviewComment(db, 2, 2))!;
    await listReviewCommentsById(db, [1, 2]);
    await listCommentsOfReview(db, 1, SLICE);
    await listPlacedComments(db, 1, { after: 0, limit: 10 });
    for (const accountId of [undefined, 'account-1'])
      for (const isBackward of [false, true]) {
        await listThreads(db, 2, { after: 0, before: 100, limit: 10, isBackward }, accountId);
        const some = { after: 0, perThread: 10, isBackward, accountId };
        await listThreadComments(db, [1, 2], some);
        await measureThreadComments(db, [1, 2], some);
      }
    const thread = (await findThread(db, 2))!;
    const review = (await findReview(db, 3))!;
    await db.transaction().execute(async (tx) => {
      const issue = { id: 2, number: 1, repositoryNumber: 2 };
      const placed = {
        ...PLACE,
        path: 'a',
        body: 'x',
        subjectType: 'line',
        diffHunk: '@@',
        commitId: 'a',
      } as const;
      await insertReviewComments(tx, review, [placed], issue, NOW);
      await insertReply(tx, review, { root: comment, body: 'y' }, issue, NOW);
      await updateReviewComment(tx, comment, { body: 'z', updatedAt: NOW });
      await publishComments(tx, 3, NOW);
      await updatePlaces(tx, [{ id: 2, line: null, startLine: null, position: null, commitId: 'b' }]);
      await addToReviewCommentCount(tx, 2, 1);
      await updateThread(tx, thread, { isResolved: true, resolvedById: 'account-1' });
      await deleteReviewComments(tx, [2]);
      await deleteEmptyThreads(tx, [2]);
    });
  },
});
