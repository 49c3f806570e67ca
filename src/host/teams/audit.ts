// What the audit log keeps of teams.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { organizationResource, type Organization } from '../organizations/model.ts';
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
  on: ChangeTransaction,
  organization: Organization,
  team: OrganizationTeam,
  { action, verb, kind = 'organization-team', name, before, after }: TeamChange,
  below = '',
): void {
  on.record({
    accesses: [{ action, resource: organizationTeamResource(organization.login, team) + below }],
    demands: [{ action, resource: organizationResource(organization) }],
    kind,
    name: name ?? team.name,
    verb,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  });
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
