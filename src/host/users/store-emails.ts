// The e-mail addresses that users have added, in the database.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

/** The oldest first. */
export async function listAddedEmails(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('user_emails')
    .select('email')
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('folded_email')
    .execute();
  return rows.map(({ email }) => email);
}

/** Which of the addresses are the primary one of some member, in lower case. */
export async function listPrimaryEmails(db: Db, emails: readonly string[]): Promise<string[]> {
  const folded = sql<string>`lower(email)`;
  const rows = await db
    .selectFrom('members')
    .select(folded.as('address'))
    .where(
      folded,
      'in',
      emails.map((email) => email.toLowerCase()),
    )
    .where('removed_at', 'is', null)
    .execute();
  return rows.map(({ address }) => address);
}

/** Returns those that were inserted: the others are somebody's. */
export async function insertEmails(
  tx: Db,
  accountId: string,
  emails: readonly string[],
  now: number,
): Promise<string[]> {
  const rows = await tx
    .insertInto('user_emails')
    .values(
      emails.map((email) => ({
        folded_email: email.toLowerCase(),
        account_id: accountId,
        email,
        created_at: now,
      })),
    )
    .onConflict((conflict) => conflict.column('folded_email').doNothing())
    .returning('email')
    .execute();
  return rows.map(({ email }) => email);
}

/** Returns those that were deleted. */
export async function deleteEmails(tx: Db, accountId: string, emails: readonly string[]): Promise<string[]> {
  const rows = await tx
    .deleteFrom('user_emails')
    .where('account_id', '=', accountId)
    .where(
      'folded_email',
      'in',
      emails.map((email) => email.toLowerCase()),
    )
    .returning('folded_email')
    .execute();
  return rows.map((row) => row.folded_email);
}
