// Grants on a team: which members may do what with the team itself.
import type { Db } from '../storage/tables.ts';

/** The actions of a member on the team: a named set, or single actions. */
export interface TeamGrant {
  memberId: string;
  actions: string | readonly string[];
}

/** Named sets of actions. */
const ACTION_SETS: Readonly<Record<string, readonly string[]>> = {
  maintainTeam: ['viewTeam', 'updateTeamName', 'updateTeamDescription', 'updateTeamMembers'],
};

export function grantedActions({ actions }: Pick<TeamGrant, 'actions'>): readonly string[] {
  return typeof actions === 'string' ? (ACTION_SETS[actions] ?? []) : actions;
}

/** A text that is equal for equal grants only. */
export function grantText({ memberId, actions }: TeamGrant): string {
  return memberId + JSON.stringify(actions);
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

export interface MemberGrant extends TeamGrant {
  teamId: string;
  teamKey: string;
}

/** The grants of a member on all teams. */
export async function listMemberGrants(db: Db, memberId: string): Promise<MemberGrant[]> {
  const rows = await db
    .selectFrom('team_grants')
    .innerJoin('teams', 'teams.id', 'team_grants.team_id')
    .select(['teams.id', 'teams.key', 'team_grants.actions'])
    .where('team_grants.member_id', '=', memberId)
    .orderBy('teams.key')
    .execute();
  return rows.map(({ id, key, actions }) => ({
    memberId,
    teamId: id,
    teamKey: key,
    actions: JSON.parse(actions) as TeamGrant['actions'],
  }));
}

/** The caller passes at most one batch. */
export async function insertGrants(db: Db, teamId: string, grants: readonly TeamGrant[]): Promise<void> {
  const rows = grants.map(({ memberId, actions }) => ({
    team_id: teamId,
    member_id: memberId,
    actions: JSON.stringify(actions),
  }));
  await db.insertInto('team_grants').values(rows).execute();
}

export async function deleteGrant(db: Db, teamId: string, { memberId, actions }: TeamGrant): Promise<void> {
  await db
    .deleteFrom('team_grants')
    .where('team_id', '=', teamId)
    .where('member_id', '=', memberId)
    .where('actions', '=', JSON.stringify(actions))
    .execute();
}
