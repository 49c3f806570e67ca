// Finds callers in the database: by token, by session, and the initiators of background work, with the permissions that they have now.
import type { Db } from '../storage/tables.ts';
import type { HeldRoles, KnownCaller } from './caller.ts';
import type { Initiator } from './identity.ts';
import { compilePolicy, type Policy } from './policy.ts';
import { customPolicy, joinAttributes, type RoleAttributes, type RolePolicies } from './role-policies.ts';
import { findSession } from './sessions/store-sessions.ts';
import { ensureServiceAccount } from './store-accounts.ts';
import { boundaryOfToken, findBoundary, type Boundary } from './store-boundaries.ts';
import { grantedActions, listMemberGrants, listMemberTeams, listTeamRoles } from './store-member-teams.ts';
import { findTokenOwner, type Member } from './store-members.ts';
import { findRoles, type Role } from './store-roles.ts';
import { findToken, type Token, type TokenPermissions } from './store-tokens.ts';

export interface FoundCaller {
  caller: KnownCaller;
  expiresAt: number;
}

export async function callerWithToken(
  db: Db,
  base: RolePolicies,
  token: Token,
): Promise<FoundCaller | undefined> {
  const owner = await findTokenOwner(db, token);
  if (owner === undefined) return undefined;
  const { member } = owner;
  const expiresAt = token.expiresAt ?? Infinity;
  if (token.isService) return { caller: await serviceCaller(db, base, member, token), expiresAt };
  const permissions = await findMemberPermissions(db, base, member, owner.attributes);
  const roles = await findRoles(db, token.customRoles);
  const grants = [...permissions.grants, tokenPolicies(base, token, roles, permissions.attributes)];
  // By id: a key may be given to another role later.
  const boundary = boundaryOfToken({ ...token, customRoles: roles.map(({ id }) => id) });
  const caller = { kind: 'token' as const, member, token, grants, held: permissions.held };
  return { caller: { ...caller, ...(boundary && { boundary }) }, expiresAt };
}

async function serviceCaller(db: Db, base: RolePolicies, member: Member, token: Token): Promise<KnownCaller> {
  const roles = await findRoles(db, token.customRoles);
  const grants = [serviceBounds(base, token), tokenPolicies(base, token, roles, {})];
  const held = { roles: roles.map(({ id }) => id), teams: [], managedTeams: [] };
  const account = await ensureServiceAccount(db, token);
  return { kind: 'token', member, token, account, grants, held };
}

export async function callerBySession(
  db: Db,
  base: RolePolicies,
  hash: string,
  now: number,
): Promise<FoundCaller | undefined> {
  const session = await findSession(db, hash, now);
  if (session === undefined) return undefined;
  const { member, attributes, expiresAt, pageHash } = session;
  const { grants, held } = await findMemberPermissions(db, base, member, attributes);
  return {
    caller: {
      kind: 'session',
      member,
      session: { hash, pageHash, expiresAt },
      grants,
      held,
      // A busy token must not lock its owner out of the console.
      budget: { id: `session/${member.id}` },
    },
    expiresAt,
  };
}

export async function callerOf(
  db: Db,
  base: RolePolicies,
  { memberId, serviceTokenId, boundary: boundaryId }: Initiator,
  now: number,
  own?: Policy,
): Promise<KnownCaller | undefined> {
  const owner = await findTokenOwner(db, { memberId, isService: serviceTokenId !== undefined });
  if (owner === undefined) return undefined;
  const { member } = owner;
  let caller: KnownCaller;
  let attributes: RoleAttributes = {};
  if (serviceTokenId === undefined) {
    const permissions = await findMemberPermissions(db, base, member, owner.attributes);
    ({ attributes } = permissions);
    caller = { kind: 'session', member, grants: permissions.grants, held: permissions.held };
  } else {
    const token = await findToken(db, serviceTokenId);
    if (token === undefined || (token.expiresAt ?? Infinity) <= now) return undefined;
    caller = await serviceCaller(db, base, member, token);
  }
  if (boundaryId === undefined) return caller;
  const boundary = await openBoundary(db, boundaryId);
  const groups = await Promise.all(
    boundary.layers.map(async (layer) =>
      tokenPolicies(base, layer, await findRoles(db, layer.customRoles), attributes),
    ),
  );
  const cut = groups.map((policies) => (own === undefined ? policies : [...policies, own]));
  return { ...caller, boundary, grants: [...caller.grants, ...cut] };
}

/** One that is missing allows nothing. */
export async function openBoundary(db: Db, id: string): Promise<Boundary> {
  return (await findBoundary(db, id)) ?? { id, layers: [{ customRoles: [] }] };
}

/** Limits a service token without a role to what an admin may do: admins can create service tokens, and must not become owners. */
function serviceBounds(base: RolePolicies, { role = 'admin' }: Token): Policy[] {
  return [base[role]];
}

function tokenPolicies(
  base: RolePolicies,
  { role, inlinePolicy }: TokenPermissions,
  roles: readonly Role[],
  attributes: RoleAttributes,
): Policy[] {
  return [
    ...(role === undefined ? [] : [base[role]]),
    ...(inlinePolicy === undefined ? [] : [compilePolicy(inlinePolicy)]),
    ...roles.map((custom) => ({
      ...customPolicy(base, custom, attributes),
      source: { role: custom.key },
    })),
  ];
}

/** The permissions of a member: from the base role, custom roles of their own and of their teams, and team grants. */
interface MemberPermissions {
  grants: Policy[][];
  held: HeldRoles;
  /** Their own and those of their teams, for the policies of personal tokens. */
  attributes: RoleAttributes;
}

/** Placeholders in a member's own roles are filled with the member's attributes, those in a team's roles with the team's. */
async function findMemberPermissions(
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
  const teamsById = new Map(teams.map((team) => [team.id, team]));
  const custom = [
    ...roles.map((role) => ({ ...customPolicy(base, role, own), source: { role: role.key } })),
    ...teamRoles.map((role) => {
      const { key, roleAttributes } = teamsById.get(role.teamId)!;
      return { ...customPolicy(base, role, roleAttributes), source: { role: role.key, team: key } };
    }),
    ...teamGrants.map((grant) => ({
      ...compilePolicy([
        { effect: 'allow', actions: [...grantedActions(grant)], resources: [`team/${grant.teamKey}`] },
      ]),
      source: { team: grant.teamKey },
    })),
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
