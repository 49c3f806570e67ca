// The query plans of issues, their lists and their due work: each statement goes by an index, for any number of rows.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { listLabelsByName } from '../labels/store.ts';
import { findMilestone } from '../milestones/store.ts';
import {
  assignedIn,
  assignedTo,
  authoredBy,
  inRepository,
  ownedBy,
  PULLS,
  subscribedBy,
  withLabel,
} from './lists/facets.ts';
import { issueRow } from './fixture.ts';
import { showIssuesOf } from './show-issues.ts';
import { addFacets, listIssueIds, type IssueSort } from './lists/store-facets.ts';
import {
  listCollaborations,
  listCommenters,
  listSomeAssigned,
  updateOwnerFacets,
} from './people/store-people.ts';
import { findIssue, issueFrom, listIssuesById } from './store.ts';

const NOW = 1_800_000_000_000;
const ROWS = 2000;
/** Of these, none may be read whole. SQLite also names an index that it reads from one end to the other. */
const TABLES = [
  'issues',
  'issue_facets',
  'issue_labels',
  'issue_assignees',
  'issue_comments',
  'issue_dependencies',
  'labels',
  'milestones',
  'repositories',
  'collaborators',
];
const WHOLE_TABLE = new RegExp(String.raw`(?:SCAN|Seq Scan on) (?:${TABLES.join('|')})\b`);

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    await fillTables(engine, ROWS, insertRows);
    const seen = recordStatements(engine);
    await execute();
    statements = [...seen.values()].filter(({ sql: text }) =>
      /^\s*(with|select|insert|update|delete)/i.test(text),
    );
  });

  async function insertRows(tx: Engine['db'], rows: readonly number[]): Promise<void> {
    await insertRepositoryRows(tx, rows, NOW);
    const inserted = await tx
      .insertInto('issues')
      .values(
        rows.map((at) =>
          issueRow({
            repository_number: 1 + (at % 10),
            number: at + 1,
            is_pull: at % 2,
            author_id: `account-${at % 100}`,
            state: at % 3 === 0 ? 'closed' : 'open',
            created_at: NOW + at,
            updated_at: NOW + at,
          }),
        ),
      )
      .returningAll()
      .execute();
    for (const issue of inserted.map(issueFrom)) {
      const { repositoryNumber: number, id } = issue;
      const account = `account-${id % 50}`;
      await addFacets(tx, issue, [
        inRepository(number),
        ownedBy(`owner-${number - 1}`),
        authoredBy(issue.author.id!),
        assignedIn(number, account),
        assignedTo(account),
        subscribedBy(account),
        withLabel(1 + (id % 5)),
        ...(issue.isPull ? [PULLS] : []),
      ]);
    }
    await tx
      .insertInto('issue_assignees')
      .values(inserted.map(({ id }) => ({ issue_id: id, account_id: `account-${id % 50}`, position: 0 })))
      .execute();
  }

  const order = (sort: IssueSort) => ({ sort, desc: true });
  const SLICE = { offset: 10, limit: 10 };

  async function execute(): Promise<void> {
    const { db } = engine;
    const states = ['open', 'closed'] as const;
    for (const sort of ['created', 'updated', 'comments'] as const) {
      await listIssueIds(db, { facets: [inRepository(1)], states: ['open'] }, order(sort), SLICE);
      await listIssueIds(db, { facets: [withLabel(1), withLabel(2)], states }, order(sort), SLICE);
      await listIssueIds(
        db,
        {
          facets: [assignedTo('account-1')],
          without: [PULLS],
          states,
          updatedSince: NOW,
          viewer: { accountId: 'account-1' },
          repositories: { ownerIds: ['owner-1', 'owner-2'], collaboratorId: 'account-1' },
          foldedLabels: ['bug', 'slow'],
        },
        order(sort),
        SLICE,
      );
    }
    const sources = [{ facet: ownedBy('owner-1'), ownerId: 'owner-1' }, { facet: inRepository(3) }];
    const all = { facets: [PULLS], states, sources, viewer: { accountId: 'account-1' } };
    await listIssueIds(db, all, order('created'), SLICE);
    await listCollaborations(db, 'account-1', ['owner-1']);
    await findIssue(db, 1, 1);
    await findMilestone(db, 1, 1);
    await listLabelsByName(db, 1, ['bug']);
    await listCommenters(db, 1, ['account-1']);
    await listSomeAssigned(db, 'account-1', { after: 10, limit: 10 });
    const issues = [...(await listIssuesById(db, [1, 2, 3])).values()];
    const numbers = issues.map(({ repositoryNumber }) => repositoryNumber);
    const owner = { id: 'owner-0', number: 1, login: 'owner', type: 'User', isSiteAdmin: false } as const;
    const repositories = [...(await listRepositoriesByNumber(db, numbers)).values()];
    const found = repositories.map((repository) => ({ repository, owner }));
    assert.equal((await showIssuesOf(db, anonymousAt(''), found, issues)).length, 3);
    await db
      .transaction()
      .execute((tx) => updateOwnerFacets(tx, 1, { after: 0, limit: 10 }))
      .then((last) => assert.equal(last, 91));
  }

  test('every statement about issues goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 20, scan: WHOLE_TABLE, hasFewRows: true });
  });

  test('a list of one facet is read in its order, without sorting what the page does not show', async () => {
    const first = statements.filter(
      ({ sql: text }) => /limit .+ offset/s.test(text) && !/exists/.test(text) && /issue_facets/.test(text),
    );
    assert.equal(first.length, 3);
    await assertPlans(engine, first, {
      atLeast: 3,
      scan: WHOLE_TABLE,
      hasFewRows: true,
      check(plan) {
        assert.match(plan, /issue_facets_(?:created|updated|comments)/);
      },
    });
  });

  test('lists of very many repositories are in one order', async () => {
    const { db } = engine;
    const sources = Array.from({ length: 120 }, (_, at) => ({ facet: inRepository(at + 1) }));
    const filter = { facets: [], states: ['open', 'closed'] as const };
    const list = (offset: number) =>
      listIssueIds(db, { ...filter, sources }, order('created'), { offset, limit: 7 });
    const newest = await db
      .selectFrom('issues')
      .select('id')
      .orderBy('created_at', 'desc')
      .limit(14)
      .execute();
    const ids = newest.map(({ id }) => id);
    assert.deepEqual((await list(0)).ids, ids.slice(0, 7));
    const { ids: second, total, isTotalExact } = await list(7);
    assert.deepEqual([second, total, isTotalExact], [ids.slice(7), 1007, false]);
    const none = await listIssueIds(db, { ...filter, sources: [] }, order('created'), SLICE);
    assert.deepEqual(none, { ids: [], total: 0, isTotalExact: true });
  });
});
