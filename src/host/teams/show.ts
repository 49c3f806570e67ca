// Reads what replies nest in teams: their parents, their organization and their numbers.
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Organization } from '../organizations/model.ts';
import { countOwnedRepositories, listOrganizationsById } from '../organizations/store.ts';
import { type OrganizationTeam, toListedTeam, toTeamFull, type ListedTeam, type TeamFull } from './model.ts';
import { countInTeams, listTeamsByNumber } from './store.ts';

export async function showListedTeams(
  db: Db,
  organization: Organization,
  teams: readonly OrganizationTeam[],
  base: string,
): Promise<Static<typeof ListedTeam>[]> {
  const parents = await listParents(db, teams);
  return teams.map((team) => toListedTeam({ team, organization, parent: parentOf(team, parents) }, base));
}

export async function showTeam(
  db: Db,
  team: OrganizationTeam,
  base: string,
): Promise<Static<typeof TeamFull>> {
  const [shown] = await showTeams(db, [team], base);
  return shown!;
}

/** Of any organizations; teams whose organization is gone are left out. */
export async function showTeams(
  db: Db,
  teams: readonly OrganizationTeam[],
  base: string,
): Promise<Static<typeof TeamFull>[]> {
  const organizationIds = [...new Set(teams.map(({ organizationId }) => organizationId))];
  const [organizations, parents, counts] = await Promise.all([
    listOrganizationsById(db, organizationIds),
    listParents(db, teams),
    countInTeams(
      db,
      teams.map(({ number }) => number),
    ),
  ]);
  const known = new Map(organizations.map((organization) => [organization.id, organization]));
  const repositories = new Map<string, number>();
  for (const id of organizationIds)
    repositories.set(id, (await countOwnedRepositories(db, id)).publicRepositories);
  return teams.flatMap((team) => {
    const organization = known.get(team.organizationId);
    if (organization === undefined) return [];
    const shown = {
      team,
      organization,
      parent: parentOf(team, parents),
      memberCount: counts.members.get(team.number) ?? 0,
      repositoryCount: counts.repositories.get(team.number) ?? 0,
      publicRepositories: repositories.get(organization.id) ?? 0,
    };
    return [toTeamFull(shown, base)];
  });
}

async function listParents(
  db: Db,
  teams: readonly OrganizationTeam[],
): Promise<Map<number, OrganizationTeam>> {
  return await listTeamsByNumber(
    db,
    teams.flatMap(({ parentNumber }) => parentNumber ?? []),
  );
}

function parentOf(
  { parentNumber }: OrganizationTeam,
  parents: ReadonlyMap<number, OrganizationTeam>,
): OrganizationTeam | undefined {
  return parentNumber === null ? undefined : parents.get(parentNumber);
}
