// Decides what a caller may do with a team: by membership of the organization and the team, and by the caller's token.
import { Failure } from '../../kernel/failure.ts';
import type { Call } from '../../kernel/http/route.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { actsOnAccount } from '../apps/program.ts';
import { openOrganization, type OpenedOrganization, OrganizationParams } from '../organizations/access.ts';
import { organizationResource } from '../organizations/model.ts';
import { lockOrganization } from '../organizations/store.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import type { OrganizationTeam, OrganizationTeamRole } from './model.ts';
import { findTeamRole } from './store-members.ts';
import { findTeamByNumber, findTeamBySlug } from './store.ts';

export type TeamCall = Pick<Call, 'id' | 'now' | 'can' | 'requirePermission' | 'base'> & {
  caller: KnownCaller;
  params: TeamParamValues;
};

export interface OpenedTeam extends OpenedOrganization {
  team: OrganizationTeam;
  /** The caller's, in the team itself. */
  teamRole: OrganizationTeamRole | undefined;
  /** May change the team and its members. */
  isMaintainer: boolean;
}

/**
 * Throws unless the caller sees the team, or maintains it, and the policy of the caller's token allows the route's action on
 * the organization. A team that the caller may not know of is reported as missing.
 */
export async function openOrganizationTeam(
  db: Db,
  call: TeamCall,
  needed: 'viewer' | 'maintainer',
): Promise<OpenedTeam> {
  const { team, opened } = await findNamed(db, call);
  const { organization, membership, isAdmin } = opened;
  const runsHost = administersHost(call.caller) || actsOnAccount(call.caller, organization.id);
  const teamRole = await findTeamRole(db, team.number, accountOf(call.caller).id);
  const isKnown = team.privacy === 'closed' || teamRole !== undefined || membership?.role === 'admin';
  if (!runsHost && (membership === undefined || !isKnown)) throw teamNotFound();
  call.requirePermission(organizationResource(organization));
  const isMaintainer = isAdmin || teamRole === 'maintainer';
  if (needed === 'maintainer' && !isMaintainer)
    throw new Failure('denied', 'You must be a maintainer of the team or an admin of its organization.');
  return { ...opened, team, teamRole, isMaintainer };
}

/** The same inside a transaction, which then has the organization locked. */
export async function openOrganizationTeamForChange(
  tx: Db,
  call: TeamCall,
  needed: 'viewer' | 'maintainer',
): Promise<OpenedTeam> {
  // Checked before the lock, so that callers without the right cannot make others wait.
  const { organization } = await openOrganizationTeam(tx, call, needed);
  await lockOrganization(tx, organization.id);
  return await openOrganizationTeam(tx, call, needed);
}

async function findNamed(
  db: Db,
  call: TeamCall,
): Promise<{ team: OrganizationTeam; opened: OpenedOrganization }> {
  const { team_slug: slug, team_id: number, organization_id: organizationNumber } = call.params;
  if (number === undefined) {
    const opened = await openOrganization(db, call, 'anyone');
    const team = await findTeamBySlug(db, opened.organization.id, slug ?? '');
    if (team === undefined) throw teamNotFound();
    return { team, opened };
  }
  const team = await findTeamByNumber(db, number);
  if (team === undefined) throw teamNotFound();
  const opened = await openOrganization(db, call, 'anyone', { id: team.organizationId });
  if (organizationNumber !== undefined && opened.organization.number !== organizationNumber)
    throw teamNotFound();
  return { team, opened };
}

function teamNotFound(): Failure {
  return new Failure('not-found', 'There is no such team');
}

/** Either `team_slug` is there, with the organization, or `team_id` is. Routes below a team add their own parameters. */
export const TeamParams = {
  ...OrganizationParams,
  team_slug: Type.Optional(Type.String()),
  team_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
};

const TeamParamsObject = Type.Object(TeamParams);

type TeamParamValues = Static<typeof TeamParamsObject>;

/** The place below the slug, and the two below the number: an older one, and the one that replies name. */
export function teamPlaces(rest: string): { path: string; aliases: { path: string }[] } {
  return {
    path: `/orgs/{org}/teams/{team_slug}${rest}`,
    aliases: [
      { path: `/teams/{team_id}${rest}` },
      { path: `/organizations/{organization_id}/team/{team_id}${rest}` },
    ],
  };
}
