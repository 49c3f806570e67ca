// Second factors of members: the sealed secret of their authenticator app, and the hashes of their recovery codes.
import { hashSecret } from '../../secrets/secret.ts';
import type { Db } from '../../storage/tables.ts';

export interface SecondFactor {
  sealed: string;
  lastStep: number;
  createdAt: number;
  confirmedAt: number | null;
}

export async function findSecondFactor(db: Db, memberId: string): Promise<SecondFactor | undefined> {
  const row = await db
    .selectFrom('second_factors')
    .selectAll()
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return (
    row && {
      sealed: row.secret,
      lastStep: row.last_step,
      createdAt: row.created_at,
      confirmedAt: row.confirmed_at,
    }
  );
}

/** Which of these members need a second factor. */
export async function listMembersWithFactor(db: Db, memberIds: readonly string[]): Promise<Set<string>> {
  if (memberIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('second_factors')
    .select('member_id')
    .where('member_id', 'in', memberIds)
    .where('confirmed_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ member_id }) => member_id));
}

/** Replaces one that was not confirmed. False where there is a confirmed one. */
export async function insertSecondFactor(
  db: Db,
  memberId: string,
  sealed: string,
  now: number,
): Promise<boolean> {
  const values = { secret: sealed, last_step: 0, created_at: now, confirmed_at: null };
  const row = await db
    .insertInto('second_factors')
    .values({ member_id: memberId, ...values })
    .onConflict((conflict) =>
      conflict.column('member_id').doUpdateSet(values).where('second_factors.confirmed_at', 'is', null),
    )
    .returning('member_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** False where the code of this step, or of a later one, was used before: of two calls with one code, one succeeds. */
export async function spendTotpStep(db: Db, memberId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('member_id', '=', memberId)
    .where('last_step', '<', step)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** From now on it is asked for. False where it was confirmed, or replaced by another. */
export async function confirmSecondFactor(
  db: Db,
  memberId: string,
  { sealed, step, now }: { sealed: string; step: number; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factors')
    .set({ confirmed_at: now, last_step: step })
    .where('member_id', '=', memberId)
    .where('secret', '=', sealed)
    .where('confirmed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** With its recovery codes. False where there was none that was asked for. */
export async function deleteSecondFactor(db: Db, memberId: string): Promise<boolean> {
  await db.deleteFrom('recovery_codes').where('member_id', '=', memberId).execute();
  const row = await db
    .deleteFrom('second_factors')
    .where('member_id', '=', memberId)
    .returning('confirmed_at')
    .executeTakeFirst();
  return row !== undefined && row.confirmed_at !== null;
}

/** Those from before are worth nothing then. */
export async function replaceRecoveryCodes(
  db: Db,
  memberId: string,
  codes: readonly string[],
): Promise<void> {
  await db.deleteFrom('recovery_codes').where('member_id', '=', memberId).execute();
  await db
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ member_id: memberId, hash: hashSecret(code) })))
    .execute();
}

export async function countRecoveryCodes(db: Db, memberId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('member_id', '=', memberId)
    .executeTakeFirstOrThrow();
  return count;
}

/** False where the member has no such code, or no longer. */
export async function spendRecoveryCode(db: Db, memberId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('member_id', '=', memberId)
    .where('hash', '=', hashSecret(code))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
