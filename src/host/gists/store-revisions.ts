// The revisions of gists in the database, so that no list of them starts a process of git.
import type { Db } from '../../kernel/storage/tables.ts';
import type { GistRevision } from './gist.ts';

const ROWS_AT_ONCE = 500;

/** After those that are there: the first gets the position `from`. */
export async function insertRevisions(
  tx: Db,
  number: number,
  from: number,
  revisions: readonly GistRevision[],
): Promise<void> {
  const rows = revisions.map(({ sha, authorId, committedAt, additions, deletions }, index) => ({
    gist_number: number,
    position: from + index,
    sha,
    author_id: authorId,
    committed_at: committedAt,
    additions,
    deletions,
  }));
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
    await tx
      .insertInto('gist_revisions')
      .values(rows.slice(start, start + ROWS_AT_ONCE))
      .execute();
}

export async function deleteRevisions(tx: Db, number: number): Promise<void> {
  await tx.deleteFrom('gist_revisions').where('gist_number', '=', number).execute();
}

/** Who has written which revision. */
export async function listRevisionAuthors(db: Db, number: number): Promise<Map<string, string | null>> {
  const rows = await db
    .selectFrom('gist_revisions')
    .select(['sha', 'author_id'])
    .where('gist_number', '=', number)
    .execute();
  return new Map(rows.map((row) => [row.sha, row.author_id]));
}

/** Its position; undefined where the gist has no such revision. */
export async function findRevision(db: Db, number: number, sha: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('gist_revisions')
    .select('position')
    .where('gist_number', '=', number)
    .where('sha', '=', sha)
    .executeTakeFirst();
  return row?.position;
}

/** Those at most at the position `to`, the newest first. */
export async function listGistRevisions(
  db: Db,
  number: number,
  { to, limit }: { to: number; limit: number },
): Promise<GistRevision[]> {
  const rows = await db
    .selectFrom('gist_revisions')
    .selectAll()
    .where('gist_number', '=', number)
    .where('position', '<=', to)
    .where('position', '>', to - limit)
    .orderBy('position', 'desc')
    .execute();
  return rows.map(revisionFrom);
}

/** The newest of several gists, by number, each the newest first. */
export async function listNewestRevisions(
  db: Db,
  numbers: readonly number[],
  limit: number,
): Promise<Map<number, GistRevision[]>> {
  const revisions = new Map<number, GistRevision[]>(numbers.map((number) => [number, []]));
  if (numbers.length === 0) return revisions;
  const rows = await db
    .selectFrom('gists')
    .innerJoin('gist_revisions', 'gist_revisions.gist_number', 'gists.number')
    .selectAll('gist_revisions')
    .where('gists.number', 'in', numbers)
    .whereRef('gist_revisions.position', '>', (eb) => eb('gists.revision_count', '-', limit))
    .orderBy('gist_revisions.position', 'desc')
    .execute();
  for (const row of rows) revisions.get(row.gist_number)?.push(revisionFrom(row));
  return revisions;
}

function revisionFrom(row: {
  sha: string;
  author_id: string | null;
  committed_at: number;
  additions: number;
  deletions: number;
}): GistRevision {
  return {
    sha: row.sha,
    authorId: row.author_id,
    committedAt: row.committed_at,
    additions: row.additions,
    deletions: row.deletions,
  };
}
