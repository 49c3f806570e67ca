// Pages of members in the order of their names.
import { sql } from 'kysely';
import type { BaseRole } from '../../kernel/identity/policy.ts';
import { memberOf } from '../../kernel/identity/store-members.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ListedMember } from './model.ts';

/** Where a page begins: behind this member. */
export interface MemberPlace {
  sortName: string;
  number: number;
}

/** Also of a removed member: a page may end with one who is removed meanwhile. */
export async function findMemberPlace(db: Db, id: string): Promise<MemberPlace | undefined> {
  const row = await db
    .selectFrom('members')
    .select(['sort_name', 'number'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { sortName: row.sort_name, number: row.number };
}

export interface MemberRowFound extends ListedMember, MemberPlace {
  isRemoved: boolean;
}

/** Before all members: their numbers begin with 1. */
const FIRST: MemberPlace = { sortName: '', number: 0 };

/** With removed members, which the caller leaves out: skipping them here could take arbitrarily long. */
export async function listMembersByName(
  db: Db,
  {
    role,
    after = FIRST,
    limit,
  }: { role?: BaseRole | undefined; after?: MemberPlace | undefined; limit: number },
): Promise<MemberRowFound[]> {
  let query = db.selectFrom('members').selectAll();
  if (role !== undefined) query = query.where('role', '=', role).where('removed_at', 'is', null);
  const rows = await query
    .where(sql<boolean>`(sort_name, number) > (${after.sortName}, ${after.number})`)
    .orderBy('sort_name')
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...memberOf(row),
    hasPassword: row.password !== null,
    lastSeenAt: row.last_seen_at ?? undefined,
    sortName: row.sort_name,
    isRemoved: row.removed_at !== null,
  }));
}
