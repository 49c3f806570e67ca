// The query plans for timelines: each goes by an index and in its order, for any number of events.
import { testPlans } from '../../../test/query-plans.ts';
import { insertOneIssueEach, issueEventRow } from '../issues/fixture.ts';
import {
  findEvent,
  insertIssueEvents,
  listEventsOfIssue,
  listEventsOfRepository,
  listTimeline,
  type EventScope,
} from './store.ts';
import { listCommentsById } from '../issue-comments/store.ts';

const NOW = 1_800_000_000_000;
const SLICE = { offset: 10, limit: 10 };
const EVENTS = ['closed', 'labeled', 'cross-referenced', 'mentioned'];

testPlans('every statement about timelines goes by an index, and none sorts', {
  rows: 3000,
  atLeast: 20,
  scan: /(?:SCAN|Seq Scan on) (?:issues|issue_events|issue_comments|repositories|other)\b|ORDER BY|Sort/,
  async insertRows(tx, rows) {
    await insertOneIssueEach(tx, rows);
    await tx
      .insertInto('issue_events')
      .values(
        rows.map((at) =>
          issueEventRow({
            issue_id: rows[0]! + 1 + (at % 3),
            repository_number: rows[0]! + 1 + (at % 3),
            event: EVENTS[at % EVENTS.length]!,
            is_listed: at % 2,
            subject_id: at + 1,
            created_at: NOW + at,
          }),
        ),
      )
      .execute();
  },
  async execute(db) {
    for (const viewer of ['all', 'public', { accountId: 'account-1' }] as const) {
      await listTimeline(db, 1, viewer, SLICE);
      await listEventsOfIssue(db, 1, viewer, SLICE);
      for (const scope of ['all', 'pulls'] satisfies EventScope[]) {
        await listEventsOfRepository(db, 1, { viewer, scope }, SLICE);
        await findEvent(db, 1, 1, { viewer, scope });
      }
    }
    await listCommentsById(db, [1, 2]);
    await insertIssueEvents(db, { id: 1, repositoryNumber: 1 }, [{ event: 'closed', actorId: null }], NOW);
  },
});
