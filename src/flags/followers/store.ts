// Followers in the database.
import type { BaseRole } from '../../kernel/identity/policy.ts';
import type { Page, Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { MemberBasics } from '../members/model.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';
import { pageRows } from '../store-rows.ts';
import type { FlagFollowerRow } from './tables.ts';

export interface FollowedFlag {
  flagKey: string;
  followers: MemberBasics[];
}

/** In the order in which they started to follow, without members who have left. */
export async function listFollowers(
  db: Db,
  { flagId, environmentId }: FlagInEnvironmentRef,
): Promise<MemberBasics[]> {
  return await followersOf(db, environmentId, [flagId]);
}

/** The flags of an environment with their followers, sorted by key. */
export async function listFollowedFlags(
  db: Db,
  environmentId: string,
  slice: Slice,
): Promise<Page<FollowedFlag>> {
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
  const page = await pageRows(flags, slice, (all) => all.select(['id', 'key']).orderBy('key'));
  const ids = page.items.map(({ id }) => id);
  const followers = Map.groupBy(await followersOf(db, environmentId, ids), ({ flagId }) => flagId);
  return page.map(({ id, key }) => ({ flagKey: key, followers: followers.get(id) ?? [] }));
}

async function followersOf(
  db: Db,
  environmentId: string,
  flagIds: readonly string[],
): Promise<(MemberBasics & { flagId: string })[]> {
  if (flagIds.length === 0) return [];
  const rows = await db
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
  return rows.map((row) => ({ ...row, role: row.role as BaseRole }));
}

/** Returns false when the member already follows the flag. */
export async function insertFollower(
  tx: Db,
  { flagId, environmentId }: FlagInEnvironmentRef,
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

/** Returns false when the member did not follow the flag. */
export async function deleteFollower(
  tx: Db,
  { flagId, environmentId }: FlagInEnvironmentRef,
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
