// Repositories with issues, for tests of stores and rules.
import { Changes, type ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import type { IssueDraft } from './change-issue.ts';

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
          numbers.map((number) => ({
            ...shared,
            number,
            is_pull: 0,
            author_id: 'ada',
            author_name: null,
            title: 'A fault',
            body: null,
            state_reason: null,
            is_locked: 0,
            lock_reason: null,
            milestone_id: milestoneId,
            reactions: '{}',
            parent_id: null,
            parent_position: null,
            closed_at: null,
            closed_by_id: null,
          })),
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
          .values(some.map((id) => ({ issue_id: id, label_id: labelId })))
          .execute();
      ids.push(...some);
    }
  });
  return ids;
}
