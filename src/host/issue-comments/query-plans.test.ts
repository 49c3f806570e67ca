// The query plans for comments on issues: each goes by an index, for any number of comments.
import { testPlans } from '../../../test/query-plans.ts';
import { insertOneCommentEach } from '../issues/fixture.ts';
import { deleteIssueEvent } from '../timeline/store.ts';
import {
  countComments,
  deleteComment,
  findComment,
  insertComment,
  listComments,
  updateComment,
} from './store.ts';

const NOW = 1_800_000_000_000;
const SLICE = { offset: 10, limit: 10 };

testPlans('every statement about comments on issues goes by an index', {
  rows: 3000,
  atLeast: 25,
  // The count is of the rows that the index has given, at most 1000.
  scan: /SCAN (?!CONSTANT|some\b)|Seq Scan on /,
  insertRows: insertOneCommentEach,
  async execute(db) {
    const places = [
      { issueId: 1 },
      { repositoryNumber: 1 },
      { repositoryNumber: 1, arePulls: true },
    ] as const;
    for (const of of places)
      for (const filter of [{ of }, { of, updatedSince: NOW }]) {
        await countComments(db, filter, 1000);
        // An issue's comments are listed in one order.
        const sorts = 'issueId' in of ? (['created'] as const) : (['created', 'updated'] as const);
        for (const sort of sorts)
          for (const desc of [false, true]) await listComments(db, filter, { sort, desc }, SLICE);
      }
    const comment = (await findComment(db, 1, 1))!;
    await db.transaction().execute(async (tx) => {
      const issue = { id: 1, number: 1, isPull: false, repositoryNumber: 1 };
      const author = { id: 'ada', name: null };
      await insertComment(tx, issue, { author, body: 'x', createdAt: NOW, updatedAt: NOW });
      await updateComment(tx, comment, { body: 'y', updatedAt: NOW });
      await deleteComment(tx, 1);
      await deleteIssueEvent(tx, 1, { event: 'commented', subjectId: 1 });
    });
  },
});
