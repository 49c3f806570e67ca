// Uploads of analyses in the database.
import type { Insertable, Selectable } from 'kysely';
import type { BlobKind } from '../../kernel/storage/blobs/orphan-blobs.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { SarifUploadRow } from './tables.ts';
import { SARIF_BLOBS, type SarifUpload } from './analysis.ts';

/** What one transaction at a time may change: the uploads, analyses and alerts of a repository. */
export async function lockScanning(tx: Db, repositoryNumber: number): Promise<void> {
  await lockName(tx, `code-scanning:${repositoryNumber}`);
}

export async function insertUpload(
  tx: Db,
  upload: Pick<SarifUpload, 'id' | 'repositoryNumber' | 'ref' | 'commitSha' | 'checkoutUri'>,
  now: number,
): Promise<void> {
  const row: Insertable<SarifUploadRow> = {
    id: upload.id,
    repository_number: upload.repositoryNumber,
    ref: upload.ref,
    commit_sha: upload.commitSha,
    checkout_uri: upload.checkoutUri,
    status: 'pending',
    errors: null,
    created_at: now,
    ended_at: null,
  };
  await tx.insertInto('code_scanning_uploads').values(row).execute();
}

export async function findUpload(
  db: Db,
  repositoryNumber: number,
  id: string,
): Promise<SarifUpload | undefined> {
  const row = await db
    .selectFrom('code_scanning_uploads')
    .selectAll()
    .where('id', '=', id)
    .where('repository_number', '=', repositoryNumber)
    .executeTakeFirst();
  return row && uploadFrom(row);
}

/** The oldest. */
export async function findPendingUpload(db: Db, repositoryNumber: number): Promise<SarifUpload | undefined> {
  const row = await db
    .selectFrom('code_scanning_uploads')
    .selectAll()
    .where('repository_number', '=', repositoryNumber)
    .where('status', '=', 'pending')
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  return row && uploadFrom(row);
}

/** False where it has ended already. */
export async function endUpload(
  db: Db,
  { number }: Pick<SarifUpload, 'number'>,
  errors: readonly string[],
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('code_scanning_uploads')
    .set({
      status: errors.length === 0 ? 'complete' : 'failed',
      errors: errors.length === 0 ? null : JSON.stringify(errors),
      ended_at: now,
    })
    .where('number', '=', number)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export const sarifBlobs: BlobKind = {
  prefix: SARIF_BLOBS,
  migration: 'host-code-scanning',
  async listReferenced(db, keys) {
    const partsOf = (key: string) => key.slice(SARIF_BLOBS.length).split('/');
    const ids = [...new Set(keys.map((key) => partsOf(key)[0]!))];
    const uploads = await db
      .selectFrom('code_scanning_uploads')
      .leftJoin('code_scanning_analyses', 'upload_number', 'code_scanning_uploads.number')
      .select(['id', 'status', 'run_index'])
      .where('id', 'in', ids)
      .execute();
    const pending = new Set(uploads.filter(({ status }) => status === 'pending').map(({ id }) => id));
    const runs = new Set(uploads.map(({ id, run_index: run }) => `${id}/${run}`));
    return new Set(
      keys.filter((key) => {
        const [id = '', run] = partsOf(key);
        return pending.has(id) || (run !== undefined && runs.has(`${id}/${run}`));
      }),
    );
  },
};

function uploadFrom(row: Selectable<SarifUploadRow>): SarifUpload {
  return {
    number: row.number,
    id: row.id,
    repositoryNumber: row.repository_number,
    ref: row.ref,
    commitSha: row.commit_sha,
    checkoutUri: row.checkout_uri,
    status: row.status as SarifUpload['status'],
    errors: row.errors === null ? null : (JSON.parse(row.errors) as string[]),
    createdAt: row.created_at,
  };
}
