// What the audit log keeps and webhooks learn of teams, their members and their repositories.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { EventDetails, TeamInEvent } from '../events/model.ts';
import { recordEvent, recordEvents } from '../events/record-event.ts';
import { type Organization, organizationResource } from '../organizations/model.ts';
import { ownerOfAccount } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { includesRole, parseRole } from '../repositories/repository.ts';
import { type OrganizationTeam, organizationTeamResource } from './model.ts';
import { findTeamByNumber } from './store.ts';

export async function readTeamForEvent(tx: Db, team: OrganizationTeam): Promise<TeamInEvent> {
  const { parentNumber } = team;
  const parent = parentNumber === null ? undefined : await findTeamByNumber(tx, parentNumber);
  return { ...team, parent: parent ?? null };
}

export async function recordTeamEvent(
  tx: ChangeTransaction,
  organization: Organization,
  action: 'created' | 'deleted',
  team: TeamInEvent,
): Promise<void> {
  const details = { team } satisfies EventDetails[`team.${typeof action}`];
  await recordEvent(tx, { name: 'team', action, details }, { organization });
}

export async function recordEditedTeam(
  tx: ChangeTransaction,
  organization: Organization,
  before: OrganizationTeam,
  after: OrganizationTeam,
): Promise<void> {
  const changes: EventDetails['team.edited']['changes'] = {
    ...(after.name !== before.name && { name: { from: before.name } }),
    ...(after.description !== before.description && { description: { from: before.description ?? '' } }),
    ...(after.privacy !== before.privacy && { privacy: { from: before.privacy } }),
    ...(after.notificationSetting !== before.notificationSetting && {
      notification_setting: { from: before.notificationSetting },
    }),
  };
  if (Object.keys(changes).length === 0) return;
  const details = {
    team: await readTeamForEvent(tx.db, after),
    changes,
  } satisfies EventDetails['team.edited'];
  await recordEvent(tx, { name: 'team', action: 'edited', details }, { organization });
}

export async function recordTeamMember(
  tx: ChangeTransaction,
  { organization, team }: { organization: Organization; team: OrganizationTeam },
  action: 'added' | 'removed',
  account: Account,
): Promise<void> {
  const details = {
    scope: 'team',
    member: ownerOfAccount(account),
    team: await readTeamForEvent(tx.db, team),
  } satisfies EventDetails[`membership.${typeof action}`];
  await recordEvent(tx, { name: 'membership', action, details }, { organization });
}

/** The roles of the team before and after; absent where it has none. */
interface TeamRoleChange {
  before?: string | undefined;
  after?: string | undefined;
}

export async function recordTeamRepository(
  tx: ChangeTransaction,
  { organization, team: changed }: { organization: Organization; team: OrganizationTeam },
  found: FoundRepository,
  { before, after }: TeamRoleChange,
): Promise<void> {
  const place = { organization, found };
  const team = await readTeamForEvent(tx.db, changed);
  if (before !== undefined && after !== undefined) {
    const changes = { repository: { permissions: { from: permissionsIn(before) } } };
    const details = { team, changes } satisfies EventDetails['team.edited'];
    await recordEvent(tx, { name: 'team', action: 'edited', details }, place);
    return;
  }
  const action = after === undefined ? 'removed_from_repository' : 'added_to_repository';
  const details = { team } satisfies EventDetails[`team.${typeof action}`];
  const added = after === undefined ? [] : [{ name: 'team_add', details } as const];
  await recordEvents(tx, [{ name: 'team', action, details }, ...added], place);
}

/** The three that webhooks know. */
function permissionsIn(word: string) {
  const role = parseRole(word);
  return { pull: true, push: includesRole(role, 'write'), admin: role === 'admin' };
}

interface TeamChange {
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
