// The tokens of installations in the database, as hashes.
import type { Db } from '../../kernel/storage/tables.ts';
import type { AppPermissions } from './permissions.ts';

export interface InstallationToken {
  installation: number;
  permissions: AppPermissions;
  /** Numbers of the repositories that it is limited to; null for all of the installation. */
  repositories: readonly number[] | null;
  createdAt: number;
  expiresAt: number;
}

export async function insertInstallationToken(tx: Db, hash: string, token: InstallationToken): Promise<void> {
  await tx
    .insertInto('host_installation_tokens')
    .values({
      hash,
      installation_number: token.installation,
      permissions: JSON.stringify(token.permissions),
      repositories: token.repositories === null ? null : JSON.stringify(token.repositories),
      created_at: token.createdAt,
      expires_at: token.expiresAt,
    })
    .execute();
}

/** None that has expired. */
export async function findInstallationToken(
  db: Db,
  hash: string,
  now: number,
): Promise<InstallationToken | undefined> {
  const row = await db
    .selectFrom('host_installation_tokens')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return (
    row && {
      installation: row.installation_number,
      permissions: JSON.parse(row.permissions) as AppPermissions,
      repositories: row.repositories === null ? null : (JSON.parse(row.repositories) as number[]),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }
  );
}

export async function deleteInstallationToken(tx: Db, hash: string): Promise<void> {
  await tx.deleteFrom('host_installation_tokens').where('hash', '=', hash).execute();
}

export async function deleteInstallationTokens(tx: Db, installation: number): Promise<void> {
  await tx.deleteFrom('host_installation_tokens').where('installation_number', '=', installation).execute();
}

/** The number of rows that were deleted. */
export async function deleteExpiredTokens(db: Db, now: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('host_installation_tokens')
    .where('expires_at', '<=', now)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
