// Preferences in the database.
import type { Db } from '../../kernel/storage/tables.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    preferences: {
      member_id: string;
      /** A JSON object. */
      value: string;
      updated_at: number;
    };
  }
}

/** Undefined where nothing was ever changed. */
export async function findPreferences(db: Db, memberId: string): Promise<unknown> {
  const row = await db
    .selectFrom('preferences')
    .select('value')
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row && (JSON.parse(row.value) as unknown);
}

/** Two changes at once come one after the other: the row of the member is locked. */
export async function lockPreferences(tx: Db, memberId: string): Promise<unknown> {
  await tx.selectFrom('members').select('id').where('id', '=', memberId).forUpdate().execute();
  return await findPreferences(tx, memberId);
}

export async function upsertPreferences(
  tx: Db,
  memberId: string,
  value: unknown,
  now: number,
): Promise<void> {
  const row = { value: JSON.stringify(value), updated_at: now };
  await tx
    .insertInto('preferences')
    .values({ member_id: memberId, ...row })
    .onConflict((conflict) => conflict.column('member_id').doUpdateSet(row))
    .execute();
}
