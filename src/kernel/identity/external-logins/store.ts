// Which identities of the provider are connected with which members.
import type { Db } from '../../storage/tables.ts';

export interface ExternalLogin {
  email: string | undefined;
  createdAt: number;
}

export async function findMemberIdOf(
  db: Db,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('external_logins')
    .select('member_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.member_id;
}

export async function findExternalLogin(
  db: Db,
  memberId: string,
  issuer: string,
): Promise<ExternalLogin | undefined> {
  const row = await db
    .selectFrom('external_logins')
    .select(['email', 'created_at'])
    .where('member_id', '=', memberId)
    .where('issuer', '=', issuer)
    .executeTakeFirst();
  return row && { email: row.email ?? undefined, createdAt: row.created_at };
}

interface NewExternalLogin {
  issuer: string;
  subject: string;
  memberId: string;
  email: string | undefined;
}

/** False where the identity, or the member, is connected already. */
export async function insertExternalLogin(
  db: Db,
  { issuer, subject, memberId, email }: NewExternalLogin,
  now: number,
): Promise<boolean> {
  const row = await db
    .insertInto('external_logins')
    .values({ issuer, subject, member_id: memberId, email: email ?? null, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('member_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** False where there is none. */
export async function deleteExternalLogin(db: Db, memberId: string, issuer: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('external_logins')
    .where('member_id', '=', memberId)
    .where('issuer', '=', issuer)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
