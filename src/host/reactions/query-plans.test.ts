// The query plans for reactions: each goes by an index, for any number of reactions.
import { testPlans } from '../../../test/query-plans.ts';
import { insertOneCommentEach } from '../issues/fixture.ts';
import {
  deleteReaction,
  deleteReactionsOf,
  findReaction,
  findReactionCounts,
  insertReaction,
  listReactions,
  updateReactionCounts,
} from './store.ts';
import { subjectOf } from './model.ts';

const NOW = 1_800_000_000_000;
const SLICE = { offset: 10, limit: 10 };

testPlans('every statement about reactions goes by an index', {
  rows: 3000,
  atLeast: 11,
  async insertRows(tx, rows) {
    await insertOneCommentEach(tx, rows);
    await tx
      .insertInto('reactions')
      .values(
        rows.map((at) => ({
          issue_id: at + 1,
          subject: `comment/${(at % 30) + 1}`,
          account_id: `account-${at}`,
          content: at % 5 === 0 ? 'heart' : '+1',
          created_at: NOW,
        })),
      )
      .execute();
  },
  async execute(db) {
    const comment = subjectOf('comment', 1);
    await listReactions(db, comment, undefined, SLICE);
    await listReactions(db, comment, 'heart', SLICE);
    await findReaction(db, comment, 1);
    await findReaction(db, comment, { accountId: 'account-1', content: '+1' });
    await db.transaction().execute(async (tx) => {
      for (const subject of [subjectOf('issue', 1), comment]) {
        await updateReactionCounts(tx, subject, (await findReactionCounts(tx, subject))!);
        await insertReaction(tx, subject, { issueId: 1, accountId: 'ada', content: '+1', createdAt: NOW });
      }
      await deleteReaction(tx, 1);
      await deleteReactionsOf(tx, comment);
    });
  },
});
