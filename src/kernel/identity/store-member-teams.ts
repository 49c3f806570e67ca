// What members have from their teams: the reads that their permissions are computed from. Teams are changed by the flags API.
import type { Selectable } from 'kysely';
import type { Db, Tables } from '../storage/tables.ts';
import type { RoleAttributes } from './role-policies.ts';
import { roleOf } from './store-roles.ts';

export interface Team {
  id: string;
  key: string;
  name: string;
  description: string;
  roleAttributes: RoleAttributes;
  version: number;
  createdAt: number;
  updatedAt: number;
}

/** The teams of each of the members. */
export async function listMemberTeams(db: Db, memberIds: readonly string[]) {
  if (memberIds.length === 0) return [];
  const rows = await db
    .selectFrom('team_members')
    .innerJoin('teams', 'teams.id', 'team_members.team_id')
    .selectAll('teams')
    .select('team_members.member_id')
    .where('team_members.member_id', 'in', memberIds)
    .orderBy('teams.key')
    .execute();
  return rows.map((row) => ({ memberId: row.member_id, team: teamOf(row) }));
}

/** The roles of the teams, in the order they were assigned. */
export async function listTeamRoles(db: Db, teamIds: readonly string[]) {
  if (teamIds.length === 0) return [];
  const rows = await db
    .selectFrom('team_roles')
    .innerJoin('roles', 'roles.id', 'team_roles.role_id')
    .selectAll('roles')
    .select(['team_roles.team_id', 'team_roles.applied_at'])
    .where('team_roles.team_id', 'in', teamIds)
    .orderBy('team_roles.applied_at')
    .orderBy('roles.key')
    .execute();
  return rows.map((row) => ({ ...roleOf(row), teamId: row.team_id, appliedAt: row.applied_at }));
}

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

export function teamOf(row: Selectable<Tables['teams']>): Team {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    description: row.description,
    roleAttributes: JSON.parse(row.role_attributes) as RoleAttributes,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
