// Repositories with issues, for tests of stores, rules and query plans.
import type { Insertable } from 'kysely';
import { Changes, type ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import type { IssueDraft } from './change-issue.ts';
import type { IssueEventRow, IssueRow } from './tables.ts';

export const NOW = 1_800_000_000_000;

const OWNER: RepositoryOwner = {
  id: 'owner-0',
  number: 1,
  login: 'owner-0',
  type: 'User',
  isSiteAdmin: false,
};

export const ISSUE_DRAFT: IssueDraft = {
  title: 'A fault',
  body: null,
  author: { id: 'ada', name: null },
  labels: [],
  assigneeIds: [],
  milestoneId: null,
};

/** `place` differs from call to call. */
export async function newIssueRepository({ db }: Engine, place: number): Promise<FoundRepository> {
  await insertRepositoryRows(db, [place * 1000], NOW, () => ({ owner_id: OWNER.id }));
  const { number } = await db
    .selectFrom('repositories')
    .select('number')
    .orderBy('number', 'desc')
    .executeTakeFirstOrThrow();
  return { repository: (await findRepositoryByNumber(db, number))!, owner: OWNER };
}

/** As the system. */
export async function runChange<T>(
  engine: Engine,
  work: (tx: ChangeTransaction) => Promise<T>,
  now = NOW,
): Promise<T> {
  return await new Changes(engine, []).run({ now, can: () => true, requirePermission: () => {} }, work);
}

/** That many issues, as rows alone, with the label, the milestone and these facets. Returns their ids. */
export async function insertIssueRows(
  { db }: Engine,
  { repository }: FoundRepository,
  count: number,
  {
    labelId,
    milestoneId = null,
    facets,
  }: { labelId?: number; milestoneId?: number | null; facets: readonly string[] },
): Promise<number[]> {
  const times = { created_at: NOW, updated_at: NOW, comment_count: 0 };
  const shared = { repository_number: repository.number, state: 'open', ...times };
  const ids: number[] = [];
  await db.transaction().execute(async (tx) => {
    for (let start = 0; start < count; start += 500) {
      const numbers = Array.from({ length: Math.min(500, count - start) }, (_, at) => start + at + 1);
      const rows = await tx
        .insertInto('issues')
        .values(
          numbers.map((number) =>
            issueRow({ ...shared, number, author_id: 'ada', milestone_id: milestoneId }),
          ),
        )
        .returning('id')
        .execute();
      const some = rows.map(({ id }) => id);
      for (const facet of facets)
        await tx
          .insertInto('issue_facets')
          .values(some.map((id) => ({ ...shared, issue_id: id, facet })))
          .execute();
      if (labelId !== undefined)
        await tx
          .insertInto('issue_labels')
          .values(some.map((id) => ({ issue_id: id, label_id: labelId, milestone_id: milestoneId })))
          .execute();
      ids.push(...some);
    }
  });
  return ids;
}

/** What the test names, and the rest as of an issue that nobody has changed. */
export function issueRow(
  fields: Pick<Insertable<IssueRow>, 'repository_number' | 'number'> & Partial<Insertable<IssueRow>>,
): Insertable<IssueRow> {
  return {
    is_pull: 0,
    author_id: 'account-1',
    author_name: null,
    title: 'A fault',
    body: null,
    state: 'open',
    state_reason: null,
    is_locked: 0,
    lock_reason: null,
    milestone_id: null,
    comment_count: 0,
    reactions: '{}',
    parent_id: null,
    parent_position: null,
    created_at: NOW,
    updated_at: NOW,
    closed_at: null,
    closed_by_id: null,
    ...fields,
  };
}

/** A row of a timeline, of which the test names what it is about. */
export function issueEventRow(
  fields: Pick<Insertable<IssueEventRow>, 'issue_id' | 'repository_number' | 'event'> &
    Partial<Insertable<IssueEventRow>>,
): Insertable<IssueEventRow> {
  return {
    is_listed: 0,
    actor_id: 'account-1',
    actor_name: null,
    commit_id: null,
    subject_id: null,
    details: '{}',
    created_at: NOW,
    ...fields,
  };
}

/** One repository with one issue for each of `rows`: the id of an issue is one more. Every other issue is a pull request. */
export async function insertOneIssueEach(
  tx: Db,
  rows: readonly number[],
  fieldsOf: (at: number) => Partial<Insertable<IssueRow>> = () => ({}),
): Promise<void> {
  await insertRepositoryRows(tx, rows, NOW);
  await tx
    .insertInto('issues')
    .values(
      rows.map((at) =>
        issueRow({
          repository_number: at + 1,
          number: 1,
          is_pull: at % 2,
          created_at: NOW + at,
          updated_at: NOW + at,
          ...fieldsOf(at),
        }),
      ),
    )
    .execute();
}

/** The same, with one comment on each issue. */
export async function insertOneCommentEach(tx: Db, rows: readonly number[]): Promise<void> {
  await insertOneIssueEach(tx, rows, () => ({ comment_count: 1 }));
  const own = (at: number) => ({ issue_id: at + 1, repository_number: at + 1, created_at: NOW + at });
  await tx
    .insertInto('issue_comments')
    .values(
      rows.map((at) => ({
        ...own(at),
        author_id: 'account-1',
        author_name: null,
        body: 'x',
        reactions: '{}',
        updated_at: NOW + at,
      })),
    )
    .execute();
  await tx
    .insertInto('issue_events')
    .values(rows.map((at) => issueEventRow({ ...own(at), event: 'commented', subject_id: at + 1 })))
    .execute();
}
