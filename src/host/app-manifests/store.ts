// App manifests that wait for their conversion, in the database.
import type { Db } from '../../kernel/storage/tables.ts';
import type { AppManifest } from './manifest.ts';
import type { AppManifestRow } from './tables.ts';

/** A manifest that somebody agreed to. */
export interface AgreedManifest {
  ownerId: string;
  creatorId: string;
  manifest: AppManifest;
}

export interface NewAgreedManifest extends AgreedManifest {
  codeHash: string;
  consentHash: string;
  expiresAt: number;
}

/** False where the consent was used before. */
export async function insertAppManifest(
  db: Db,
  { codeHash, consentHash, ownerId, creatorId, manifest, expiresAt }: NewAgreedManifest,
  now: number,
): Promise<boolean> {
  const row: AppManifestRow = {
    code_hash: codeHash,
    consent_hash: consentHash,
    owner_id: ownerId,
    creator_id: creatorId,
    manifest: JSON.stringify(manifest),
    created_at: now,
    expires_at: expiresAt,
    used_at: null,
  };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('host_app_manifests')
    .values(row)
    .onConflict((conflict) => conflict.column('consent_hash').doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Undefined for a code that is unknown, used or too old. */
export async function findAppManifest(
  db: Db,
  codeHash: string,
  now: number,
): Promise<AgreedManifest | undefined> {
  const row = await db
    .selectFrom('host_app_manifests')
    .select(['owner_id', 'creator_id', 'manifest'])
    .where('code_hash', '=', codeHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return (
    row && {
      ownerId: row.owner_id,
      creatorId: row.creator_id,
      manifest: JSON.parse(row.manifest) as AppManifest,
    }
  );
}

/** False where another call was quicker. */
export async function updateManifestUsed(tx: Db, codeHash: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('host_app_manifests')
    .set({ used_at: now })
    .where('code_hash', '=', codeHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteExpiredManifests(db: Db, now: number): Promise<void> {
  await db.deleteFrom('host_app_manifests').where('expires_at', '<=', now).execute();
}
