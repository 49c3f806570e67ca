// What the audit log keeps of teams.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { organizationResource, type Organization } from '../organizations/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { organizationTeamResource, type OrganizationTeam } from './model.ts';

export interface TeamChange {
  action: string;
  verb: string;
  kind?: string;
  name?: string;
  before?: unknown;
  after?: unknown;
}

/** The permission is one on the organization; the entry is found by the team, or by what is named below it. */
export function recordTeamChange(
  tx: ChangeTransaction,
  organization: Organization,
  team: OrganizationTeam,
  { action, verb, kind = 'organization-team', name, before, after }: TeamChange,
  below = '',
): void {
  tx.record({
    accesses: [{ action, resource: organizationTeamResource(organization.login, team) + below }],
    requirements: [{ action, resource: organizationResource(organization) }],
    kind,
    name: name ?? team.name,
    verb,
    ownerId: organization.id,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  });
}

/** The action of giving repositories to teams and taking them away. */
export const UPDATE_TEAM_REPOSITORIES = 'updateTeamRepositories';

export const GAVE_REPOSITORY = 'gave to a team the repository';

interface TeamRepositoryChange {
  verb: string;
  before?: string | undefined;
  after?: string;
}

export function recordTeamRepositoryChange(
  tx: ChangeTransaction,
  { organization, team }: { organization: Organization; team: OrganizationTeam },
  { repository, owner }: FoundRepository,
  { verb, before, after }: TeamRepositoryChange,
): void {
  const fullName = `${owner.login}/${repository.name}`;
  const shown = (role: string) => ({ team: team.slug, repository: fullName, role });
  recordTeamChange(
    tx,
    organization,
    team,
    {
      action: UPDATE_TEAM_REPOSITORIES,
      kind: 'organization-team-repository',
      name: fullName,
      verb,
      ...(before !== undefined && { before: shown(before) }),
      ...(after !== undefined && { after: shown(after) }),
    },
    `:repo/${fullName}`,
  );
}

export function auditedTeam(team: OrganizationTeam) {
  const {
    number: id,
    slug,
    name,
    description,
    privacy,
    notificationSetting,
    permission,
    parentNumber,
  } = team;
  return { id, slug, name, description, privacy, notificationSetting, permission, parent: parentNumber };
}
