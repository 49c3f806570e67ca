// Issues in the database. Whoever changes a number, a state or a milestone locks the repository's row first: counts stay true.
import type { Selectable } from 'kysely';
import { buildForLists, buildOnce } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Issue, IssueState, LockReason, ReactionCounts, StateReason } from './issue.ts';
import type { IssueRow } from './tables.ts';

export type NewIssue = Pick<
  Issue,
  'repositoryNumber' | 'isPull' | 'author' | 'title' | 'body' | 'milestoneId'
> &
  Partial<
    Pick<Issue, 'number' | 'state' | 'stateReason' | 'closedAt' | 'closedById' | 'createdAt' | 'updatedAt'>
  >;

/**
 * Takes the next number of the repository, unless it has one already. Undefined where the repository is gone. The owner is the one
 * that the repository has while it is locked: that of a cached one may be the one before a transfer.
 */
export async function insertIssue(
  tx: Db,
  fields: NewIssue,
  now: number,
): Promise<{ issue: Issue; ownerId: string } | undefined> {
  const { repositoryNumber, isPull, author, title, body, milestoneId, state = 'open' } = fields;
  const taken = await takeNumber(tx, repositoryNumber, fields.number, state === 'open');
  if (taken === undefined) return undefined;
  const row = await tx
    .insertInto('issues')
    .values({
      repository_number: repositoryNumber,
      number: taken.number,
      is_pull: Number(isPull),
      author_id: author.id,
      author_name: author.name,
      title,
      body,
      state,
      state_reason: fields.stateReason ?? null,
      is_locked: 0,
      lock_reason: null,
      milestone_id: milestoneId,
      comment_count: 0,
      reactions: '{}',
      parent_id: null,
      parent_position: null,
      created_at: fields.createdAt ?? now,
      updated_at: fields.updatedAt ?? now,
      closed_at: fields.closedAt ?? null,
      closed_by_id: fields.closedById ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { issue: issueFrom(row), ownerId: taken.ownerId };
}

/** Numbers have no gaps: the row stays locked until the commit, and a rollback gives the number back. */
async function takeNumber(
  tx: Db,
  repositoryNumber: number,
  wanted: number | undefined,
  isOpen: boolean,
): Promise<{ number: number; ownerId: string } | undefined> {
  const row = await tx
    .updateTable('repositories')
    .set((eb) => ({
      last_issue_number:
        wanted === undefined
          ? eb('last_issue_number', '+', 1)
          : eb
              .case()
              .when('last_issue_number', '<', wanted)
              .then(wanted)
              .else(eb.ref('last_issue_number'))
              .end(),
      open_issue_count: eb('open_issue_count', '+', Number(isOpen)),
    }))
    .where('number', '=', repositoryNumber)
    .where('deleted_at', 'is', null)
    .returning(['last_issue_number', 'owner_id'])
    .executeTakeFirst();
  return row && { number: wanted ?? row.last_issue_number, ownerId: row.owner_id };
}

export async function findIssue(
  db: Db,
  repositoryNumber: number,
  number: number,
): Promise<Issue | undefined> {
  const [row] = (await db.executeQuery(selectIssue(db, repositoryNumber, number))).rows;
  return row && issueFrom(row);
}

const selectIssue = buildOnce((db, repositoryNumber: number, number: number) =>
  db
    .selectFrom('issues')
    .selectAll()
    .where('repository_number', '=', repositoryNumber)
    .where('number', '=', number),
);

/** Locks the row until the transaction ends. */
export async function lockIssue(tx: Db, id: number): Promise<Issue | undefined> {
  const row = await tx.selectFrom('issues').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  return row && issueFrom(row);
}

/** By id; those that are gone are missing. */
export async function listIssuesById(db: Db, ids: readonly number[]): Promise<Map<number, Issue>> {
  const rows = await selectIssuesById(db, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, issueFrom(row)]));
}

const selectIssuesById = buildForLists((db, ids: readonly number[]) =>
  db.selectFrom('issues').selectAll().where('id', 'in', ids),
);

export type IssueUpdate = Partial<
  Pick<
    Issue,
    | 'title'
    | 'body'
    | 'state'
    | 'stateReason'
    | 'isLocked'
    | 'lockReason'
    | 'milestoneId'
    | 'commentCount'
    | 'reactions'
    | 'closedAt'
    | 'closedById'
    | 'updatedAt'
  >
>;

/** The caller has locked the issue. Fields that are absent stay. What lists are sorted by follows. */
export async function updateIssue(tx: Db, issue: Issue, update: IssueUpdate): Promise<Issue> {
  const changed: Issue = { ...issue, ...update };
  const { id, state, updatedAt, commentCount } = changed;
  await tx
    .updateTable('issues')
    .set({
      title: changed.title,
      body: changed.body,
      state,
      state_reason: changed.stateReason,
      is_locked: Number(changed.isLocked),
      lock_reason: changed.lockReason,
      milestone_id: changed.milestoneId,
      comment_count: commentCount,
      reactions: JSON.stringify(changed.reactions),
      closed_at: changed.closedAt,
      closed_by_id: changed.closedById,
      updated_at: updatedAt,
    })
    .where('id', '=', id)
    .execute();
  const isSortedAlike =
    state === issue.state && updatedAt === issue.updatedAt && commentCount === issue.commentCount;
  if (!isSortedAlike)
    await tx
      .updateTable('issue_facets')
      .set({ state, updated_at: updatedAt, comment_count: commentCount })
      .where('issue_id', '=', id)
      .execute();
  return changed;
}

/** The caller has locked the issue, and writes its facets anew. */
export async function convertToPull(tx: Db, issue: Issue, now: number): Promise<Issue> {
  await tx.updateTable('issues').set({ is_pull: 1 }).where('id', '=', issue.id).execute();
  return await updateIssue(tx, { ...issue, isPull: true }, { stateReason: null, updatedAt: now });
}

/** The caller has locked the repository. */
export async function addToOpenIssueCount(
  tx: Db,
  repositoryNumber: number,
  difference: 1 | -1,
): Promise<void> {
  await tx
    .updateTable('repositories')
    .set((eb) => ({ open_issue_count: eb('open_issue_count', '+', difference) }))
    .where('number', '=', repositoryNumber)
    .execute();
}

/** How many rows of a repository that is deleted are removed at once. */
const BATCH = 500;

/** Of a repository that nobody finds any more, a batch at a time: one statement for all would hold up other writes. */
export async function deleteIssues(db: Db, repositoryNumber: number): Promise<void> {
  for (;;) {
    const rows = await db
      .selectFrom('issues')
      .select('id')
      .where('repository_number', '=', repositoryNumber)
      .limit(BATCH)
      .execute();
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await db.deleteFrom('issues').where('id', 'in', ids).execute();
  }
}

export function issueFrom(row: Selectable<IssueRow>): Issue {
  return {
    id: row.id,
    repositoryNumber: row.repository_number,
    number: row.number,
    isPull: row.is_pull === 1,
    author: { id: row.author_id, name: row.author_name },
    title: row.title,
    body: row.body,
    state: row.state as IssueState,
    stateReason: row.state_reason as StateReason | null,
    isLocked: row.is_locked === 1,
    lockReason: row.lock_reason as LockReason | null,
    milestoneId: row.milestone_id,
    commentCount: row.comment_count,
    reactions: JSON.parse(row.reactions) as ReactionCounts,
    parentId: row.parent_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    closedAt: row.closed_at,
    closedById: row.closed_by_id,
  };
}
