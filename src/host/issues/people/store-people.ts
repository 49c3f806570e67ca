// What lists and due work look up beside issues: who takes part in them, what follows accounts and owners, and where an account collaborates.
import type { SqlStatement } from '../../../kernel/storage/statement.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { ownedBy } from '../lists/facets.ts';

/** Those of the accounts that have commented on the issue. */
export async function listCommenters(
  db: Db,
  issueId: number,
  accountIds: readonly string[],
): Promise<string[]> {
  if (accountIds.length === 0) return [];
  const rows = await db
    .selectFrom('issue_comments')
    .select('author_id')
    .distinct()
    .where('issue_id', '=', issueId)
    .where('author_id', 'in', accountIds)
    .execute();
  return rows.flatMap(({ author_id: id }) => id ?? []);
}

/** Some issues that an account is assigned to, by their ids. */
export async function listSomeAssigned(
  db: Db,
  accountId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ id: number; repositoryNumber: number }[]> {
  const rows = await db
    .selectFrom('issue_assignees')
    .innerJoin('issues', 'issues.id', 'issue_assignees.issue_id')
    .select(['issues.id', 'issues.repository_number'])
    .where('issue_assignees.account_id', '=', accountId)
    .where('issue_assignees.issue_id', '>', after)
    .orderBy('issue_assignees.issue_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ id: row.id, repositoryNumber: row.repository_number }));
}

/** The due work of an account that ends: it is assigned to nothing. */
export const UNASSIGN = 'host.unassign';

export function unassignmentStatement(db: Db, accountId: string, now: number): SqlStatement {
  const work = { id: `${UNASSIGN}:${accountId}`, kind: UNASSIGN, payload: accountId };
  return db
    .insertInto('due')
    .values({ ...work, due_at: now, owner: null, attempts: 0, last_error: null, created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .compile();
}

/** Moves issues of a repository, by their numbers in it, into the list of its owner of today. Undefined where none is left. */
export async function updateOwnerFacets(
  tx: Db,
  repositoryNumber: number,
  { after, limit }: { after: number; limit: number },
): Promise<number | undefined> {
  const repository = await tx
    .selectFrom('repositories')
    .select('owner_id')
    .where('number', '=', repositoryNumber)
    .executeTakeFirst();
  const rows = await tx
    .selectFrom('issues')
    .select(['id', 'number'])
    .where('repository_number', '=', repositoryNumber)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
  if (repository === undefined || rows.length === 0) return undefined;
  const facet = ownedBy(repository.owner_id);
  const ids = rows.map(({ id }) => id);
  await tx
    .updateTable('issue_facets')
    .set({ facet })
    .where('issue_id', 'in', ids)
    .where('facet', 'like', ownedBy('%'))
    .where('facet', '<>', facet)
    .execute();
  return rows.at(-1)!.number;
}

/** The repositories that an account collaborates on, without those of some owners. */
export async function listCollaborations(
  db: Db,
  accountId: string,
  withoutOwners: readonly string[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('collaborators')
    .innerJoin('repositories', 'repositories.number', 'collaborators.repository_number')
    .select('repositories.number')
    .where('collaborators.account_id', '=', accountId)
    .where('repositories.deleted_at', 'is', null)
    .$if(withoutOwners.length > 0, (query) => query.where('repositories.owner_id', 'not in', withoutOwners))
    .orderBy('repositories.number')
    .execute();
  return rows.map(({ number }) => number);
}
