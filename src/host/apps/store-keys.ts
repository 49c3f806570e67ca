// The public keys of apps in the database. The private keys are not here: only the apps have them.
import type { Db } from '../../kernel/storage/tables.ts';

export interface AppKey {
  number: number;
  /** PEM. */
  publicKey: string;
  createdAt: number;
}

/** Each is tried on a token that may be forged, so that there are few. */
export const MAX_APP_KEYS = 10;

export async function insertAppKey(
  tx: Db,
  appNumber: number,
  publicKey: string,
  now: number,
): Promise<AppKey> {
  const { number } = await tx
    .insertInto('host_app_keys')
    .values({ app_number: appNumber, public_key: publicKey, created_at: now })
    .returning('number')
    .executeTakeFirstOrThrow();
  return { number, publicKey, createdAt: now };
}

/** The newest first. */
export async function listAppKeys(db: Db, appNumber: number): Promise<AppKey[]> {
  return await db
    .selectFrom('host_app_keys')
    .select(['number', 'public_key as publicKey', 'created_at as createdAt'])
    .where('app_number', '=', appNumber)
    .orderBy('number', 'desc')
    .limit(MAX_APP_KEYS)
    .execute();
}

export async function deleteAppKey(tx: Db, number: number): Promise<void> {
  await tx.deleteFrom('host_app_keys').where('number', '=', number).execute();
}

export async function deleteAppKeys(tx: Db, appNumber: number): Promise<void> {
  await tx.deleteFrom('host_app_keys').where('app_number', '=', appNumber).execute();
}
