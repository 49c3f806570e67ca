// Snoozes in the database.
import type { Db } from '../../kernel/storage/tables.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    attention_snoozes: { member_id: string; id: string; until: number };
  }
}

/** Those that are not over, by id. */
export async function listSnoozes(db: Db, memberId: string, now: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('attention_snoozes')
    .select(['id', 'until'])
    .where('member_id', '=', memberId)
    .where('until', '>', now)
    .execute();
  return new Map(rows.map(({ id, until }) => [id, until]));
}

/** False where the member has too many. Those that are over make room. */
export async function upsertSnooze(
  tx: Db,
  memberId: string,
  snooze: { id: string; until: number },
  { now, max }: { now: number; max: number },
): Promise<boolean> {
  // Two calls at once would otherwise both see room for one.
  await tx.selectFrom('members').select('id').where('id', '=', memberId).forUpdate().execute();
  const others = tx
    .selectFrom('attention_snoozes')
    .where('member_id', '=', memberId)
    .where('id', '<>', snooze.id);
  const { total } = await others
    .where('until', '>', now)
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  if (Number(total) >= max) return false;
  await tx
    .deleteFrom('attention_snoozes')
    .where('member_id', '=', memberId)
    .where('until', '<=', now)
    .execute();
  await tx
    .insertInto('attention_snoozes')
    .values({ member_id: memberId, ...snooze })
    .onConflict((conflict) => conflict.columns(['member_id', 'id']).doUpdateSet({ until: snooze.until }))
    .execute();
  return true;
}

export async function deleteSnooze(db: Db, memberId: string, id: string): Promise<void> {
  await db.deleteFrom('attention_snoozes').where('member_id', '=', memberId).where('id', '=', id).execute();
}

export async function deletePastSnoozes(db: Db, now: number): Promise<void> {
  await db.deleteFrom('attention_snoozes').where('until', '<=', now).execute();
}
