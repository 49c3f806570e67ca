// Searches of users in the database, sorted by what they own.
import { sql } from 'kysely';
import { byMatch, listMembersById, matchesWords, type Member } from '../../kernel/identity/store-members.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';

/** So many of the best matches are sorted by their repositories: counting for each member would take ever longer. */
const MAX_RANKED = 5000;

export interface UserSearch {
  items: Member[];
  total: number;
  /** False where more users match than were sorted. */
  isComplete: boolean;
}

/** Public repositories count, so that the order says nothing about private ones. */
export async function searchUsersByRepositories(
  db: Db,
  words: string,
  order: 'asc' | 'desc',
  { offset, limit }: Slice,
): Promise<UserSearch> {
  if (words.includes('\0')) return { items: [], total: 0, isComplete: true };
  const { total } = await db
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('removed_at', 'is', null)
    .where(matchesWords(words))
    .executeTakeFirstOrThrow();
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, number from members where removed_at is null and ${matchesWords(words)}
      order by ${byMatch(words)}, number limit ${MAX_RANKED}) as found
    order by (
      select count(*) from repositories
      where owner_id = found.id and is_private = 0 and deleted_at is null) ${sql.raw(order)}, number
    limit ${limit} offset ${offset}`.execute(db);
  const members = await listMembersById(
    db,
    rows.map(({ id }) => id),
  );
  const byId = new Map(members.map((member) => [member.id, member]));
  const items = rows.flatMap(({ id }) => byId.get(id) ?? []);
  return { items, total, isComplete: total <= MAX_RANKED };
}
