// Who may grant which permissions to a token, a member or a team: never more than their own.
import { Failure } from '../../kernel/failure.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { hasPlaceholders } from '../../kernel/identity/role-policies.ts';
import type { HeldRoles, KnownCaller } from '../../kernel/identity/caller.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import type { BaseRole } from '../../kernel/identity/policy.ts';
import type { Role } from '../../kernel/identity/store-roles.ts';
import type { TokenPermissions, Token } from '../../kernel/identity/store-tokens.ts';

const RANKS: Record<BaseRole, number> = { no_access: 0, reader: 1, writer: 2, admin: 3, owner: 4 };

/** Refuses to give a token permissions that the caller does not have. */
export function checkGrant(caller: KnownCaller, power: TokenPermissions, isService: boolean): void {
  if (mayGrant(caller, power, isService)) return;
  throw new Failure('denied', 'A token cannot be given more power than its maker has', {
    access: {
      action: 'createAccessToken',
      resource: isService ? 'service-token/*' : `member/${caller.member.id}:token/*`,
    },
  });
}

/**
 * A token that expires gives nothing that stays valid for longer: one who steals it for a minute would have it for ever.
 * Without a wanted lifetime the new token expires with the one that creates it.
 */
export function expiryOfNewToken({ token }: KnownCaller, wanted: number | undefined): number | undefined {
  const latest = token?.expiresAt;
  if (latest === undefined || (wanted !== undefined && wanted <= latest)) return wanted;
  if (wanted === undefined) return latest;
  throw problem(
    'expiry',
    `cannot be after ${new Date(latest).toISOString()}, when the token that creates this one expires`,
  );
}

/** Refuses to reveal the new secret of a token, or to give it permissions, to a caller whose own token expires sooner. */
export function checkOutlives({ token }: KnownCaller, touched: Token, access: Access): void {
  if ((token?.expiresAt ?? Infinity) >= (touched.expiresAt ?? Infinity)) return;
  refuse('The secret that you use expires before this token does.', access);
}

/** The permission that the error names. */
interface Access {
  action: string;
  resource: string;
}

function refuse(message: string, access: Access): never {
  throw new Failure('denied', message, { access });
}

/** Refuses to give a base role above the caller's own. */
export function checkRoleGrant(caller: KnownCaller, role: BaseRole, access: Access): void {
  if (heldRank(caller) < RANKS[role])
    refuse(`You cannot give the role ${role}: it is above your own`, access);
}

/** Policies cannot be ranked: only holders of the same role and administrators may grant it. */
export function checkCustomGrant(caller: KnownCaller, role: Role, access: Access): void {
  if (isAdministrator(caller) || (holdsRole(caller, role) && !hasPlaceholders(role.policy))) return;
  refuse(`You cannot give the custom role ${role.key}: you do not hold it`, access);
}

/** Role attributes fill the placeholders of policies, so they grant permissions, too. */
export function checkAttributeGrant(caller: KnownCaller, access: Access): void {
  if (!isAdministrator(caller)) refuse('Only an administrator can change role attributes', access);
}

/** Administrators and owners can be changed and removed only by callers of at least the same base role. */
export function checkRank(caller: KnownCaller, { role }: Pick<Member, 'role'>, access: Access): void {
  if (RANKS[role] > Math.max(heldRank(caller), RANKS.writer))
    refuse(`You cannot change a member whose role is ${role}: it is above your own`, access);
}

/**
 * A login link gives everything that the member has. An account that was never used has its roles and no more: callers who can give
 * those can let its owner in again. One that is in use owns things that no role describes, so that only an administrator can.
 */
export function checkLoginGrant(
  caller: KnownCaller,
  member: { role: BaseRole; customRoles: readonly Role[]; managesTeams: boolean; isUsed: boolean },
  access: Access,
): void {
  if (heldRank(caller) < RANKS[member.role])
    refuse(
      `You cannot let somebody in as a member whose role is ${member.role}: it is above your own`,
      access,
    );
  if (isAdministrator(caller)) return;
  if (member.isUsed || member.managesTeams)
    refuse(
      'Only an administrator can let somebody in to an account that is in use, or that manages teams',
      access,
    );
  for (const role of member.customRoles) checkCustomGrant(caller, role, access);
}

/** Adding members to a team grants them its roles. Members and managers of the team may do so. */
export function checkTeamGrant(
  caller: KnownCaller,
  team: { id: string; roles: readonly Role[] },
  access: Access,
): void {
  const { teams, managedTeams } = heldBy(caller);
  if (isUnnarrowed(caller) && (teams.includes(team.id) || managedTeams.includes(team.id))) return;
  for (const role of team.roles) checkCustomGrant(caller, role, access);
}

/** Only an administrator may change the policy of a role that somebody holds. */
export function checkPolicyChange(caller: KnownCaller, isHeld: boolean, access: Access): void {
  if (isHeld && !isAdministrator(caller))
    refuse('Only an administrator can change what a role allows while somebody holds it', access);
}

function isAdministrator(caller: KnownCaller): boolean {
  return heldRank(caller) >= RANKS.admin;
}

function holdsRole(caller: KnownCaller, { id, key }: Role): boolean {
  if (!heldBy(caller).roles.includes(id)) return false;
  const names = caller.token?.customRoles ?? [];
  return isUnnarrowed(caller) || names.includes(id) || names.includes(key);
}

function heldBy({ held, member }: KnownCaller): HeldRoles {
  return held ?? { roles: member.customRoles, teams: [], managedTeams: [] };
}

/** A session, or a token with the highest role, has all permissions of its member. */
function isUnnarrowed({ token, boundary }: KnownCaller): boolean {
  return token === undefined ? boundary === undefined : token.role === 'owner';
}

/** Refuses to change a service token, or one of the caller's own, that has more permissions than the caller. */
export function checkTokenRank(caller: KnownCaller, touched: Token, access: Access): void {
  // A personal token never has more permissions than its owner, so all of the owner's permissions suffice.
  if (!touched.isService && isWhole(caller)) return;
  if (mayGrant(caller, touched, touched.isService)) return;
  throw new Failure('denied', 'This token has more power than you hold', { access });
}

/**
 * Statements and custom roles cannot be ranked. On a personal token they only narrow the owner's permissions, so a caller
 * with all of these may choose any; on a service token nothing narrows them, so it takes an administrator.
 */
function mayGrant(caller: KnownCaller, power: TokenPermissions, isService: boolean): boolean {
  const { token } = caller;
  if (power.role !== undefined) return heldRank(caller) >= RANKS[power.role] && !hasOwnStatements(power);
  if (token?.isService === isService && hasSamePermissions(token, power)) return true;
  return isService ? heldRank(caller) >= RANKS.admin : isWhole(caller);
}

export function hasSamePermissions(one: TokenPermissions, other: TokenPermissions): boolean {
  const parts = ({ role, customRoles, inlinePolicy }: TokenPermissions) => [role, customRoles, inlinePolicy];
  return JSON.stringify(parts(one)) === JSON.stringify(parts(other));
}

function hasOwnStatements({ customRoles, inlinePolicy }: TokenPermissions): boolean {
  return customRoles.length > 0 || inlinePolicy !== undefined;
}

/** The rank that the caller has for certain; a token without a base role may have any permissions, so it ranks lowest. */
function heldRank({ member, token, boundary }: KnownCaller): number {
  const own = RANKS[member.role];
  // What a narrowed token has started has no token of its own.
  if (token === undefined) return boundary === undefined ? own : RANKS.no_access;
  if (token.role === undefined) return RANKS.no_access;
  // A service token has its own permissions, independent of its creator's.
  return token.isService ? RANKS[token.role] : Math.min(own, RANKS[token.role]);
}

/** Whether the caller has all permissions of the member, custom roles included, which cannot be ranked. */
function isWhole(caller: KnownCaller): boolean {
  const { member, token, boundary } = caller;
  if (token === undefined) return boundary === undefined;
  if (token.role === 'owner') return true;
  const { roles, managedTeams } = heldBy(caller);
  const hasOnlyRole = member.customRoles.length + roles.length + managedTeams.length === 0;
  return token.role !== undefined && hasOnlyRole && heldRank(caller) >= RANKS[member.role];
}
