// What references in texts lead to, and which of them have been recorded, in the database.
import { sql } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Issue } from '../issues/issue.ts';
import { issueFrom } from '../issues/store.ts';

/** In the order of their ids; those that do not exist are missing. */
export async function listIssuesByNumber(
  db: Db,
  repositoryNumber: number,
  numbers: readonly number[],
): Promise<Issue[]> {
  if (numbers.length === 0) return [];
  const rows = await db
    .selectFrom('issues')
    .selectAll()
    .where('repository_number', '=', repositoryNumber)
    .where('number', 'in', numbers)
    .orderBy('id')
    .execute();
  return rows.map(issueFrom);
}

/** The ids of members by these names, in whatever case; of two that differ in case alone, the one that is written so. */
export async function listIdsByLogin(db: Db, logins: readonly string[]): Promise<string[]> {
  const ids = new Map<string, string>();
  for (const some of chunk(logins)) {
    const rows = await db
      .selectFrom('members')
      .select(['id', 'username'])
      .where(
        // The expression of the index.
        sql<string>`lower(username)`,
        'in',
        some.map((login) => login.toLowerCase()),
      )
      .where('removed_at', 'is', null)
      .orderBy('number')
      .execute();
    for (const { id, username } of rows) {
      const folded = username.toLowerCase();
      if (!ids.has(folded) || some.includes(username)) ids.set(folded, id);
    }
  }
  return [...ids.values()];
}

/** Those of the facets that the issue has. */
export async function listPresentFacets(
  db: Db,
  issueId: number,
  facets: readonly string[],
): Promise<Set<string>> {
  const present = new Set<string>();
  for (const some of chunk(facets)) {
    const rows = await db
      .selectFrom('issue_facets')
      .select('facet')
      .where('issue_id', '=', issueId)
      .where('facet', 'in', some)
      .execute();
    for (const { facet } of rows) present.add(facet);
  }
  return present;
}

/** Those of the issues whose timelines have the reference from the source. */
export async function listCrossReferenced(
  db: Db,
  sourceId: number,
  issueIds: readonly number[],
): Promise<Set<number>> {
  if (issueIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('issue_events')
    .select('issue_id')
    .where('issue_id', 'in', issueIds)
    .where('event', '=', 'cross-referenced')
    .where('subject_id', '=', sourceId)
    .execute();
  return new Set(rows.map(({ issue_id: id }) => id));
}

/** False where the commit is known to refer to the issue: what follows from it has been done. */
export async function insertCommitReference(tx: Db, issueId: number, commitId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('commit_references')
    .values({ issue_id: issueId, commit_id: commitId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
