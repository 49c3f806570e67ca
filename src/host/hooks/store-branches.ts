// The branches that end with a commit, by what was last recorded of them.
import type { Db } from '../../kernel/storage/tables.ts';

const BRANCH = 'refs/heads/';

/** Their names, in order. */
export async function listBranchesAt(db: Db, number: number, oid: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('host_refs')
    .select('name')
    .where('repository_number', '=', number)
    .where('name', '>=', BRANCH)
    // The character after the slash.
    .where('name', '<', 'refs/heads0')
    .where('oid', '=', oid)
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name.slice(BRANCH.length));
}
