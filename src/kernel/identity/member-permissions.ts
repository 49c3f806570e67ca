// The permissions of a member: from the base role, custom roles of their own and of their teams, and team grants.
import type { Db } from '../storage/tables.ts';
import { joinAttributes, type RoleAttributes } from './attributes.ts';
import { customPolicy, type RolePolicies } from './base-roles.ts';
import type { HeldRoles } from './caller.ts';
import type { Member } from './store-members.ts';
import { compilePolicy, type Policy } from './policy.ts';
import { findRoles } from './store-roles.ts';
import { grantedActions, listMemberGrants, listMemberTeams, listTeamRoles } from './store-member-teams.ts';

export interface MemberPermissions {
  grants: Policy[][];
  held: HeldRoles;
  /** Their own and those of their teams, for the policies of personal tokens. */
  attributes: RoleAttributes;
}

/** Placeholders in a member's own roles are filled with the member's attributes, those in a team's roles with the team's. */
export async function findMemberPermissions(
  db: Db,
  base: RolePolicies,
  member: Member,
  own: RoleAttributes,
): Promise<MemberPermissions> {
  const [roles, belongings, teamGrants] = await Promise.all([
    findRoles(db, member.customRoles),
    listMemberTeams(db, [member.id]),
    listMemberGrants(db, member.id),
  ]);
  const teams = belongings.map(({ team }) => team);
  const teamRoles = await listTeamRoles(
    db,
    teams.map(({ id }) => id),
  );
  const attributesOf = new Map(teams.map(({ id, roleAttributes }) => [id, roleAttributes]));
  const custom = [
    ...roles.map((role) => customPolicy(base, role, own)),
    ...teamRoles.map((role) => customPolicy(base, role, attributesOf.get(role.teamId) ?? {})),
    ...teamGrants.map((grant) =>
      compilePolicy([
        { effect: 'allow', actions: [...grantedActions(grant)], resources: [`team/${grant.teamKey}`] },
      ]),
    ),
  ];
  const all = [base[member.role], ...custom];
  // Administrators write custom roles, so these must not grant what only an owner may do.
  const bounds = custom.length === 0 || member.role === 'owner' ? [] : [[base.admin]];
  return {
    grants: [...bounds, all],
    held: {
      roles: [...roles, ...teamRoles].map(({ id }) => id),
      teams: teams.map(({ id }) => id),
      managedTeams: teamGrants
        .filter((grant) => grantedActions(grant).includes('updateTeamMembers'))
        .map(({ teamId }) => teamId),
    },
    attributes: joinAttributes([own, ...teams.map(({ roleAttributes }) => roleAttributes)]),
  };
}
