// Followers in the database.
import { Page, type Slice } from '../../kernel/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Whereabouts } from '../pending/place.ts';
import type { FlagFollowerRow } from './tables.ts';

/** What is shown of a member. */
export interface Follower {
  id: string;
  role: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
}

export interface Followed {
  flagKey: string;
  followers: Follower[];
}

/** In the order in which they began. Members who left are followers no longer. */
export async function listFollowers(db: Db, { flagId, environmentId }: Whereabouts): Promise<Follower[]> {
  return await followersOf(db, environmentId, [flagId]);
}

/** The flags of an environment that somebody follows, by key. */
export async function pageFollowed(db: Db, environmentId: string, slice: Slice): Promise<Page<Followed>> {
  const flags = db
    .selectFrom('flags')
    .where('flags.id', 'in', (select) =>
      select
        .selectFrom('flag_followers')
        .innerJoin('members', 'members.id', 'flag_followers.member_id')
        .where('flag_followers.environment_id', '=', environmentId)
        .where('members.removed_at', 'is', null)
        .select('flag_followers.flag_id'),
    );
  const { total } = await flags
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await flags
    .select(['id', 'key'])
    .orderBy('key')
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
  const ids = rows.map(({ id }) => id);
  const followers = Map.groupBy(await followersOf(db, environmentId, ids), ({ flagId }) => flagId);
  const items = rows.map(({ id, key }) => ({
    flagKey: key,
    followers: followers.get(id) ?? [],
  }));
  return new Page(items, Number(total), slice);
}

async function followersOf(
  db: Db,
  environmentId: string,
  flagIds: readonly string[],
): Promise<(Follower & { flagId: string })[]> {
  if (flagIds.length === 0) return [];
  return await db
    .selectFrom('flag_followers')
    .innerJoin('members', 'members.id', 'flag_followers.member_id')
    .where('flag_followers.environment_id', '=', environmentId)
    .where('flag_followers.flag_id', 'in', flagIds)
    .where('members.removed_at', 'is', null)
    .select([
      'flag_followers.flag_id as flagId',
      'members.id',
      'members.role',
      'members.email',
      'members.first_name as firstName',
      'members.last_name as lastName',
    ])
    .orderBy('flag_followers.followed_at')
    .orderBy('members.id')
    .execute();
}

/** False when they do already. */
export async function follow(
  tx: Db,
  { flagId, environmentId }: Whereabouts,
  memberId: string,
  now: number,
): Promise<boolean> {
  const row: FlagFollowerRow = {
    flag_id: flagId,
    environment_id: environmentId,
    member_id: memberId,
    followed_at: now,
  };
  const made = await tx
    .insertInto('flag_followers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['flag_id', 'environment_id', 'member_id']).doNothing())
    .returning('member_id')
    .executeTakeFirst();
  return made !== undefined;
}

/** False when they did not. */
export async function unfollow(
  tx: Db,
  { flagId, environmentId }: Whereabouts,
  memberId: string,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('flag_followers')
    .where('flag_id', '=', flagId)
    .where('environment_id', '=', environmentId)
    .where('member_id', '=', memberId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
