// Pull requests in the database. The row of the base repository is locked by everybody who changes one.
import { sql, type Selectable } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { openKeyOf, type Pull } from './pull.ts';
import type { PullRow } from './tables.ts';

export async function insertPull(tx: Db, pull: Pull, isOpen = true): Promise<void> {
  await tx
    .insertInto('pulls')
    .values({ ...rowOf(pull), open_key: isOpen ? openKeyOf(pull) : null })
    .execute();
}

/** By the ids of the issues that they are. */
export async function listPulls(db: Db, issueIds: readonly number[]): Promise<Map<number, Pull>> {
  const found = new Map<number, Pull>();
  for (const some of chunk([...new Set(issueIds)])) {
    const rows = await db.selectFrom('pulls').selectAll().where('issue_id', 'in', some).execute();
    for (const row of rows) found.set(row.issue_id, pullFrom(row));
  }
  return found;
}

export async function findPull(db: Db, issueId: number): Promise<Pull | undefined> {
  return (await listPulls(db, [issueId])).get(issueId);
}

export async function isPullOpen(db: Db, issueId: number): Promise<boolean> {
  const row = await db
    .selectFrom('pulls')
    .select('issue_id')
    .where('issue_id', '=', issueId)
    .where('open_key', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findOpenPull(db: Db, issueId: number): Promise<Pull | undefined> {
  const row = await db
    .selectFrom('pulls')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('open_key', 'is not', null)
    .executeTakeFirst();
  return row && pullFrom(row);
}

/** The caller has locked the repository: nobody opens another meanwhile. */
export async function isKeyOpen(tx: Db, key: string): Promise<boolean> {
  const row = await tx.selectFrom('pulls').select('issue_id').where('open_key', '=', key).executeTakeFirst();
  return row !== undefined;
}

export type PullUpdate = Partial<
  Omit<Pull, 'issueId' | 'repositoryNumber' | 'number' | 'reviewCommentCount'>
>;

/** The caller has locked the repository. Fields that are absent stay. */
export async function updatePull(tx: Db, pull: Pull, update: PullUpdate): Promise<Pull> {
  const changed: Pull = { ...pull, ...update };
  // Comments are counted under the lock of the issue alone.
  const { issue_id: id, review_comment_count: _count, ...row } = rowOf(changed);
  const isMoved = openKeyOf(changed) !== openKeyOf(pull);
  await tx
    .updateTable('pulls')
    .set((eb) => ({
      ...row,
      ...(isMoved && {
        open_key: eb.case().when('open_key', 'is', null).then(null).else(openKeyOf(changed)).end(),
      }),
    }))
    .where('issue_id', '=', id)
    .execute();
  return changed;
}

/** The caller has locked the repository, and checked that the branches have no other that is open. */
export async function updateOpenKey(tx: Db, pull: Pull, isOpen: boolean): Promise<void> {
  await tx
    .updateTable('pulls')
    .set({ open_key: isOpen ? openKeyOf(pull) : null })
    .where('issue_id', '=', pull.issueId)
    .execute();
}

/** The branch has moved. The caller has locked the repository. */
export async function forgetMergeability(tx: Db, number: number, baseRefs: readonly string[]): Promise<void> {
  for (const some of chunk(baseRefs))
    await tx
      .updateTable('pulls')
      .set({ mergeable: null, rebaseable: null })
      .where('repository_number', '=', number)
      .where('base_ref', 'in', some)
      .where('open_key', 'is not', null)
      .execute();
}

/** Of these branches, those that open pull requests come from or go to, and those that pull requests are being merged into. */
export async function listFollowedBranches(
  db: Db,
  number: number,
  branches: readonly string[],
): Promise<{ heads: Set<string>; bases: Set<string> }> {
  const heads = new Set<string>();
  const bases = new Set<string>();
  for (const some of chunk(branches)) {
    const rows = await db
      .selectFrom('pulls')
      .select(['head_ref as ref', sql<number>`1`.as('is_head')])
      .distinct()
      .where('head_repository_number', '=', number)
      .where('head_ref', 'in', some)
      .unionAll(
        db
          .selectFrom('pulls')
          .select(['base_ref as ref', sql<number>`0`.as('is_head')])
          .distinct()
          .where('repository_number', '=', number)
          .where('base_ref', 'in', some)
          .where('open_key', 'is not', null),
      )
      .unionAll(
        db
          .selectFrom('merge_intents')
          .select(['base_ref as ref', sql<number>`0`.as('is_head')])
          .distinct()
          .where('repository_number', '=', number)
          .where('base_ref', 'in', some),
      )
      .execute();
    for (const { ref, is_head: isHead } of rows) (isHead ? heads : bases).add(ref);
  }
  return { heads, bases };
}

/** That are open. */
export async function listPullsFrom(db: Db, headNumber: number, headRef: string): Promise<Pull[]> {
  const rows = await db
    .selectFrom('pulls')
    .selectAll()
    .where('head_repository_number', '=', headNumber)
    .where('head_ref', '=', headRef)
    .where('open_key', 'is not', null)
    .orderBy('issue_id')
    .execute();
  return rows.map(pullFrom);
}

/** That are open. */
export async function listPullsInto(db: Db, number: number, baseRef: string): Promise<Pull[]> {
  const rows = await db
    .selectFrom('pulls')
    .selectAll()
    .where('repository_number', '=', number)
    .where('base_ref', '=', baseRef)
    .where('open_key', 'is not', null)
    .orderBy('issue_id')
    .execute();
  return rows.map(pullFrom);
}

/** Timelines of more do not say that the branch was deleted. */
const MAX_CLOSED = 20;

/** The newest that are closed, and whose last commit the branch had. */
export async function listClosedPullsFrom(
  db: Db,
  headNumber: number,
  headRef: string,
  headSha: string,
): Promise<Pull[]> {
  const rows = await db
    .selectFrom('pulls')
    .selectAll()
    .where('head_repository_number', '=', headNumber)
    .where('head_ref', '=', headRef)
    .where('head_sha', '=', headSha)
    .where('open_key', 'is', null)
    .orderBy('issue_id', 'desc')
    .limit(MAX_CLOSED)
    .execute();
  return rows.map(pullFrom);
}

/** The base of the newest that was merged from a branch of its own repository, with this commit as its last. */
export async function findMergedBase(
  db: Db,
  number: number,
  headRef: string,
  headSha: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('pulls')
    .select('base_ref')
    .where('head_repository_number', '=', number)
    .where('head_ref', '=', headRef)
    .where('merged_at', 'is not', null)
    .where('repository_number', '=', number)
    .where('head_sha', '=', headSha)
    .orderBy('issue_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.base_ref;
}

/** The ids of those that brought a commit, or are to bring it: the newest first, and one more than the page has if there is one. */
export async function listPullIdsOfCommit(
  db: Db,
  number: number,
  sha: string,
  { offset, limit }: Slice,
): Promise<number[]> {
  const { rows } = await sql<{ issue_id: number }>`
    select issue_id from issue_events
    where repository_number = ${number} and commit_id = ${sha} and event = 'committed'
    union
    select issue_id from pulls
    where repository_number = ${number} and merge_commit_sha = ${sha} and merge_commit_sha is not null
    order by issue_id desc limit ${limit + 1} offset ${offset}`.execute(db);
  return rows.map(({ issue_id: id }) => id);
}

/** Whether its timeline has the commit. */
export async function hasCommit(
  db: Db,
  { issueId, repositoryNumber }: Pick<Pull, 'issueId' | 'repositoryNumber'>,
  sha: string,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 as one from issue_events
    where repository_number = ${repositoryNumber} and commit_id = ${sha} and issue_id = ${issueId}
      and event = 'committed' limit 1`.execute(db);
  return rows.length > 0;
}

export interface ReviewRequest {
  issueId: number;
  kind: 'user' | 'team';
  /** An account, or the number of a team. */
  reviewer: string;
}

/** In the order in which they were requested. */
export async function listReviewRequests(db: Db, issueIds: readonly number[]): Promise<ReviewRequest[]> {
  if (issueIds.length === 0) return [];
  const rows = await db
    .selectFrom('requested_reviewers')
    .select(['issue_id', 'kind', 'reviewer'])
    .where('issue_id', 'in', issueIds)
    .orderBy('issue_id')
    .orderBy('position')
    .execute();
  return rows.map(({ issue_id: issueId, kind, reviewer }) => ({
    issueId,
    kind: kind as ReviewRequest['kind'],
    reviewer,
  }));
}

/** Null where it is not known. */
export async function findHeadPusher(db: Db, issueId: number): Promise<string | null> {
  const row = await db
    .selectFrom('pulls')
    .select('head_pusher_id')
    .where('issue_id', '=', issueId)
    .executeTakeFirst();
  return row?.head_pusher_id ?? null;
}

/** The caller has locked the repository. */
export async function updateHeadPusher(tx: Db, issueId: number, pusherId: string | null): Promise<void> {
  await tx.updateTable('pulls').set({ head_pusher_id: pusherId }).where('issue_id', '=', issueId).execute();
}

function rowOf(pull: Pull): Omit<PullRow, 'open_key' | 'head_pusher_id'> {
  return {
    issue_id: pull.issueId,
    repository_number: pull.repositoryNumber,
    number: pull.number,
    base_ref: pull.baseRef,
    base_sha: pull.baseSha,
    head_repository_number: pull.headRepositoryNumber,
    head_owner_id: pull.headOwnerId,
    head_ref: pull.headRef,
    head_sha: pull.headSha,
    is_draft: Number(pull.isDraft),
    may_maintainer_modify: Number(pull.mayMaintainerModify),
    mergeable: pull.mergeable === null ? null : Number(pull.mergeable),
    rebaseable: pull.rebaseable === null ? null : Number(pull.rebaseable),
    checked_base: pull.checkedBase,
    test_merge_sha: pull.testMergeSha,
    merged_at: pull.mergedAt,
    merged_by_id: pull.mergedById,
    merge_commit_sha: pull.mergeCommitSha,
    commit_count: pull.commitCount,
    additions: pull.additions,
    deletions: pull.deletions,
    changed_files: pull.changedFiles,
    review_comment_count: pull.reviewCommentCount,
  };
}

function pullFrom(row: Selectable<PullRow>): Pull {
  return {
    issueId: row.issue_id,
    repositoryNumber: row.repository_number,
    number: row.number,
    baseRef: row.base_ref,
    baseSha: row.base_sha,
    headRepositoryNumber: row.head_repository_number,
    headOwnerId: row.head_owner_id,
    headRef: row.head_ref,
    headSha: row.head_sha,
    isDraft: row.is_draft === 1,
    mayMaintainerModify: row.may_maintainer_modify === 1,
    mergeable: row.mergeable === null ? null : row.mergeable === 1,
    rebaseable: row.rebaseable === null ? null : row.rebaseable === 1,
    checkedBase: row.checked_base,
    testMergeSha: row.test_merge_sha,
    mergedAt: row.merged_at,
    mergedById: row.merged_by_id,
    mergeCommitSha: row.merge_commit_sha,
    commitCount: row.commit_count,
    additions: row.additions,
    deletions: row.deletions,
    changedFiles: row.changed_files,
    reviewCommentCount: row.review_comment_count,
  };
}
