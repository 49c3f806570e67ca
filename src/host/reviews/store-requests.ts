// Requests for reviews in the database. The issue's row is locked by everybody who changes them.
import { sql } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { teamNumbersOf } from '../repositories/store-visibility.ts';
import type { Reviewer } from './review.ts';

/** Behind those that there are; none of them is requested already. The caller has locked the issue. */
export async function insertReviewRequests(
  tx: Db,
  issueId: number,
  reviewers: readonly Reviewer[],
): Promise<void> {
  if (reviewers.length === 0) return;
  const last = await tx
    .selectFrom('requested_reviewers')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('issue_id', '=', issueId)
    .executeTakeFirstOrThrow();
  const after = last.position ?? 0;
  await tx
    .insertInto('requested_reviewers')
    .values(
      reviewers.map(({ kind, reviewer }, index) => ({
        issue_id: issueId,
        kind,
        reviewer,
        position: after + index + 1,
      })),
    )
    .execute();
}

/** The caller has locked the issue. */
export async function deleteReviewRequests(
  tx: Db,
  issueId: number,
  reviewers: readonly Reviewer[],
): Promise<void> {
  for (const kind of ['user', 'team'] as const) {
    const own = reviewers.filter((one) => one.kind === kind).map(({ reviewer }) => reviewer);
    if (own.length === 0) continue;
    await tx
      .deleteFrom('requested_reviewers')
      .where('issue_id', '=', issueId)
      .where('kind', '=', kind)
      .where('reviewer', 'in', own)
      .execute();
  }
}

/** Some pull requests that a reviewer is requested for, by the ids of the issues that they are. */
export async function listSomeRequested(
  db: Db,
  { kind, reviewer }: Reviewer,
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('requested_reviewers')
    .select('issue_id')
    .where('kind', '=', kind)
    .where('reviewer', '=', reviewer)
    .where('issue_id', '>', after)
    .orderBy('issue_id')
    .limit(limit)
    .execute();
  return rows.map(({ issue_id: id }) => id);
}

/** The numbers of the teams that an account is in. Members of a team are in its parents too. */
export async function listTeamsOfMember(db: Db, accountId: string): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`${teamNumbersOf(accountId)}`.execute(db);
  return rows.map(({ number }) => number);
}

/** Of teams that are deleted. */
export async function deleteRequestsOfTeams(tx: Db, numbers: readonly number[]): Promise<void> {
  for (const some of chunk(numbers))
    await tx
      .deleteFrom('requested_reviewers')
      .where('kind', '=', 'team')
      .where('reviewer', 'in', some.map(String))
      .execute();
}

/** The due work of an account that ends: it has no pending reviews, and nobody waits for its own. */
export const END_REVIEWS = 'host.end-reviews';

export function endingStatement(db: Db, accountId: string, now: number): SqlStatement {
  const work = { id: `${END_REVIEWS}:${accountId}`, kind: END_REVIEWS, payload: accountId };
  return db
    .insertInto('due')
    .values({ ...work, due_at: now, owner: null, attempts: 0, last_error: null, created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .compile();
}
