// The owners of the branches of pull requests, in the database.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import { fromBranchIn } from '../issues/lists/facets.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';

/** Pull requests that are read at once. */
const AT_ONCE = 500;

export interface TransferredHead {
  issueId: number;
  /** Of the base. */
  repositoryNumber: number;
  ref: string;
}

/** With a branch of the repository, in the order of the index. */
export async function listSomeHeads(
  db: Db,
  number: number,
  after: Pick<TransferredHead, 'ref' | 'issueId'> | undefined,
): Promise<TransferredHead[]> {
  const { ref, issueId } = after ?? { ref: '', issueId: 0 };
  const rows = await db
    .selectFrom('pulls')
    .select(['issue_id', 'repository_number', 'head_ref'])
    .where('head_repository_number', '=', number)
    .where(sql<boolean>`(head_ref, issue_id) > (${ref}, ${issueId})`)
    .orderBy('head_ref')
    .orderBy('issue_id')
    .limit(AT_ONCE)
    .execute();
  return rows.map((row) => ({
    issueId: row.issue_id,
    repositoryNumber: row.repository_number,
    ref: row.head_ref,
  }));
}

/** Pull requests into one repository, which the caller has locked. Those that have the owner of today stay as they are. */
export async function updateHeadOwner(
  tx: Db,
  number: number,
  heads: readonly TransferredHead[],
): Promise<void> {
  const owner = (await findRepositoryByNumber(tx, number))?.ownerId;
  if (owner === undefined) return;
  const rows = await tx
    .selectFrom('pulls')
    .select(['issue_id', 'repository_number', 'head_owner_id', 'head_ref'])
    .where(
      'issue_id',
      'in',
      heads.map(({ issueId }) => issueId),
    )
    .where('head_repository_number', '=', number)
    .where(sql<boolean>`head_owner_id is distinct from ${owner}`)
    .execute();
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.issue_id);
  const former = rows.map((row) =>
    fromBranchIn(row.repository_number, row.head_owner_id ?? '', row.head_ref),
  );
  // The facet of a head ends with its branch, which stays.
  await sql`
    update issue_facets set facet = (
      select ${fromBranchIn(heads[0]!.repositoryNumber, owner, '')} || pulls.head_ref from pulls
      where pulls.issue_id = issue_facets.issue_id)
    where issue_id in (${sql.join(ids)}) and facet in (${sql.join([...new Set(former)])})`.execute(tx);
  await tx.updateTable('pulls').set({ head_owner_id: owner }).where('issue_id', 'in', ids).execute();
}
