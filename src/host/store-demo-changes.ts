// When people last did something in the repository of the examples of which the audit log says nothing.
import type { Db } from '../kernel/storage/tables.ts';

export async function findLastIssueUpdate(db: Db, repository: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('issues')
    .select(({ fn }) => fn.max('updated_at').as('at'))
    .where('repository_number', '=', repository)
    .executeTakeFirst();
  return row?.at ?? undefined;
}

export async function findLastGistComment(db: Db, gist: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('gist_comments')
    .select('updated_at')
    .where('gist_number', '=', gist)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.updated_at;
}
