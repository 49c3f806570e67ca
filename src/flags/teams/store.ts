// Teams for their administration: members who share custom roles, and grants on the team itself.
import { sql } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import { newId } from '../../kernel/id.ts';
import { lockRows } from '../../kernel/storage/locks.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { escapeLike } from '../../kernel/storage/search.ts';
import { teamOf, type Team, type TeamGrant } from '../../kernel/identity/store-member-teams.ts';
import { grantText, type WholeTeam } from './model.ts';

/** Undefined if the key is taken. */
export async function insertTeam(
  db: Db,
  team: Omit<WholeTeam, 'id' | 'version' | 'createdAt' | 'updatedAt'>,
  now: number,
): Promise<Team | undefined> {
  const row = await db
    .insertInto('teams')
    .values({
      id: newId(now),
      key: team.key,
      name: team.name,
      description: team.description,
      role_attributes: JSON.stringify(team.roleAttributes),
      version: 1,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const none: WholeTeam = { ...teamOf(row), memberIds: [], roleIds: [], grants: [] };
  await writeParts(db, none, { ...none, ...team }, now);
  return teamOf(row);
}

export async function findTeam(db: Db, key: string): Promise<Team | undefined> {
  const row = await db.selectFrom('teams').selectAll().where('key', '=', key).executeTakeFirst();
  return row && teamOf(row);
}

/** Locks the team for a change and returns it with all its parts. */
export async function lockTeam(tx: Db, key: string): Promise<WholeTeam | undefined> {
  const row = await tx.selectFrom('teams').selectAll().where('key', '=', key).forUpdate().executeTakeFirst();
  if (row === undefined) return undefined;
  const members = await tx
    .selectFrom('team_members')
    .select('member_id')
    .where('team_id', '=', row.id)
    .orderBy('member_id')
    .execute();
  const roles = await tx
    .selectFrom('team_roles')
    .select('role_id')
    .where('team_id', '=', row.id)
    .orderBy('applied_at')
    .orderBy('role_id')
    .execute();
  return {
    ...teamOf(row),
    memberIds: members.map(({ member_id }) => member_id),
    roleIds: roles.map(({ role_id }) => role_id),
    grants: await listGrants(tx, row.id),
  };
}

/** Locks several teams in one order, so that two transactions cannot deadlock. */
export async function lockTeams(tx: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await lockRows(tx, tx.selectFrom('teams').select('id').where('key', 'in', keys).orderBy('id').forUpdate());
}

export interface TeamFilter {
  query?: string;
  hasNoMembers?: boolean;
}

export async function listTeams(db: Db, { query, hasNoMembers }: TeamFilter): Promise<Team[]> {
  if (query?.includes('\0')) return [];
  const words = `%${escapeLike((query ?? '').toLowerCase())}%`;
  const rows = await db
    .selectFrom('teams')
    .selectAll()
    .$if(query !== undefined, (found) =>
      found.where(
        sql<boolean>`(lower(key) like ${words} escape '\\' or lower(name) like ${words} escape '\\')`,
      ),
    )
    .$if(hasNoMembers !== undefined, (found) =>
      found.where((eb) => {
        const some = eb.exists(
          eb.selectFrom('team_members').select('member_id').whereRef('team_id', '=', 'teams.id'),
        );
        return hasNoMembers === true ? eb.not(some) : some;
      }),
    )
    .orderBy('created_at')
    .orderBy('key')
    .execute();
  return rows.map(teamOf);
}

/** Writes all but the key; refuses when someone else changed the team since it was read. */
export async function updateTeam(db: Db, before: WholeTeam, after: WholeTeam, now: number): Promise<Team> {
  const row = await db
    .updateTable('teams')
    .set({
      name: after.name,
      description: after.description,
      role_attributes: JSON.stringify(after.roleAttributes),
      version: before.version + 1,
      updated_at: now,
    })
    .where('id', '=', before.id)
    .where('version', '=', before.version)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw contested('team');
  await writeParts(db, before, after, now);
  return teamOf(row);
}

export async function deleteTeam(db: Db, { id }: Team): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('teams').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

async function writeParts(db: Db, before: WholeTeam, after: WholeTeam, now: number): Promise<void> {
  const team_id = before.id;
  const members = difference(before.memberIds, after.memberIds, String);
  const roles = difference(before.roleIds, after.roleIds, String);
  const grants = difference(before.grants, after.grants, grantText);
  for (const batch of chunk(members.gone)) {
    await db
      .deleteFrom('team_members')
      .where('team_id', '=', team_id)
      .where('member_id', 'in', batch)
      .execute();
  }
  for (const batch of chunk(members.come)) {
    await db
      .insertInto('team_members')
      .values(batch.map((member_id) => ({ team_id, member_id })))
      .execute();
  }
  if (roles.gone.length > 0)
    await db
      .deleteFrom('team_roles')
      .where('team_id', '=', team_id)
      .where('role_id', 'in', roles.gone)
      .execute();
  if (roles.come.length > 0)
    await db
      .insertInto('team_roles')
      .values(roles.come.map((role_id) => ({ team_id, role_id, applied_at: now })))
      .execute();
  for (const grant of grants.gone) await deleteGrant(db, team_id, grant);
  for (const batch of chunk(grants.come)) await insertGrants(db, team_id, batch);
}

/** Compares items by their texts. */
function difference<Item>(before: readonly Item[], after: readonly Item[], textOf: (item: Item) => string) {
  const old = new Map(before.map((item) => [textOf(item), item]));
  const next = new Map(after.map((item) => [textOf(item), item]));
  return {
    gone: [...old].filter(([text]) => !next.has(text)).map(([, item]) => item),
    come: [...next].filter(([text]) => !old.has(text)).map(([, item]) => item),
  };
}

export async function listGrants(db: Db, teamId: string): Promise<TeamGrant[]> {
  const rows = await db
    .selectFrom('team_grants')
    .select(['member_id', 'actions'])
    .where('team_id', '=', teamId)
    .orderBy('member_id')
    .orderBy('actions')
    .execute();
  return rows.map(({ member_id, actions }) => ({
    memberId: member_id,
    actions: JSON.parse(actions) as TeamGrant['actions'],
  }));
}

/** The caller passes at most one batch. */
async function insertGrants(db: Db, teamId: string, grants: readonly TeamGrant[]): Promise<void> {
  const rows = grants.map(({ memberId, actions }) => ({
    team_id: teamId,
    member_id: memberId,
    actions: JSON.stringify(actions),
  }));
  await db.insertInto('team_grants').values(rows).execute();
}

async function deleteGrant(db: Db, teamId: string, { memberId, actions }: TeamGrant): Promise<void> {
  await db
    .deleteFrom('team_grants')
    .where('team_id', '=', teamId)
    .where('member_id', '=', memberId)
    .where('actions', '=', JSON.stringify(actions))
    .execute();
}

/** Ids of members by the id of their team, in their order; of each team at most so many. */
export async function listMemberIdsOfTeams(
  db: Db,
  ids: readonly string[],
  most?: number,
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const numbered = db
    .selectFrom('team_members')
    .select([
      'team_id',
      'member_id',
      sql<number>`row_number() over (partition by team_id order by member_id)`.as('place'),
    ])
    .where('team_id', 'in', ids);
  const rows = await db
    .selectFrom(numbered.as('numbered'))
    .select(['team_id', 'member_id'])
    .$if(most !== undefined, (found) => found.where('place', '<=', most!))
    .orderBy('team_id')
    .orderBy('member_id')
    .execute();
  const byTeam = Map.groupBy(rows, ({ team_id }) => team_id);
  return new Map([...byTeam].map(([team, members]) => [team, members.map(({ member_id }) => member_id)]));
}

/** The number of members of each team. */
export async function countTeamMembers(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('team_members')
    .select(['team_id', ({ fn }) => fn.countAll<number>().as('total')])
    .where('team_id', 'in', ids)
    .groupBy('team_id')
    .execute();
  return new Map(rows.map(({ team_id, total }) => [team_id, total]));
}
