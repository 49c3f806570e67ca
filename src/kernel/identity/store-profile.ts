// What members change about themselves: their name and address, and the hash of their password.
import type { Db } from '../storage/tables.ts';
import { memberOf, memberSortKey, type Member } from './store-members.ts';

/** Null where the member has no password. */
export async function findPasswordHash(db: Db, memberId: string): Promise<string | null> {
  const row = await db.selectFrom('members').select('password').where('id', '=', memberId).executeTakeFirst();
  return row?.password ?? null;
}

export type MemberProfile = Pick<Member, 'firstName' | 'lastName' | 'email'>;

/** Throws where another member has exactly this address. */
export async function updateMemberProfile(
  tx: Db,
  { id }: Pick<Member, 'id'>,
  profile: MemberProfile,
  now: number,
): Promise<Member> {
  const { firstName, lastName, email } = profile;
  const row = await tx
    .updateTable('members')
    .set((eb) => ({
      first_name: firstName ?? null,
      last_name: lastName ?? null,
      email,
      sort_name: memberSortKey(profile),
      updated_at: now,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return memberOf(row);
}
