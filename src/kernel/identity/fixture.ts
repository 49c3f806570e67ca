// A team for the kernel's own tests; the flags API has their administration.
import { newId } from '../id.ts';
import type { Db } from '../storage/tables.ts';
import type { RoleAttributes } from './role-policies.ts';
import type { TeamGrant } from './store-member-teams.ts';

export interface TestTeam {
  memberIds?: string[];
  roleIds?: string[];
  grants?: TeamGrant[];
  roleAttributes?: RoleAttributes;
}

/** Returns its id. */
export async function insertTestTeam(
  db: Db,
  key: string,
  { memberIds = [], roleIds = [], grants = [], roleAttributes = {} }: TestTeam,
  now: number,
): Promise<string> {
  const id = newId(now);
  const row = { id, key, name: key, description: '', version: 1, created_at: now, updated_at: now };
  await db
    .insertInto('teams')
    .values({ ...row, role_attributes: JSON.stringify(roleAttributes) })
    .execute();
  for (const member_id of memberIds)
    await db.insertInto('team_members').values({ team_id: id, member_id }).execute();
  for (const role_id of roleIds)
    await db.insertInto('team_roles').values({ team_id: id, role_id, applied_at: now }).execute();
  for (const { memberId: member_id, actions } of grants)
    await db
      .insertInto('team_grants')
      .values({ team_id: id, member_id, actions: JSON.stringify(actions) })
      .execute();
  return id;
}
