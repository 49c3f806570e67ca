// Builds the payload of an event for webhooks, from what was recorded when it happened.
import type {
  EventDetails,
  InstallationInEvent,
  MembershipInEvent,
  RecordedEvent,
  TeamInEvent,
} from '../../events/model.ts';
import type { Organization } from '../../organizations/model.ts';
import type { RepositoryOwner } from '../../owners/model.ts';
import type { FoundRepository } from '../../repositories/access.ts';
import { installationMembers } from './installation-members.ts';
import { alertMembers } from './alert-members.ts';
import { pushMembers } from './push-members.ts';
import {
  organizationInPayload,
  pushedRepositoryInPayload,
  repositoryInPayload,
  teamInPayload,
  userInPayload,
  type PayloadObject,
} from './shared-members.ts';
import { statusMembers, type StatusSurroundings } from './status-members.ts';

/** `base` is the address of the API. Of a status, the surroundings have been read. */
export function buildPayload(
  event: RecordedEvent,
  base: string,
  surroundings?: StatusSurroundings,
): PayloadObject {
  const { name, action, snapshot } = event;
  const { repository: found, organization, sender } = snapshot;
  return {
    ...(action !== undefined && { action }),
    ...(surroundings && found ? statusMembers(event, found, surroundings, base) : ownMembers(event, base)),
    ...(found && {
      repository:
        name === 'push'
          ? pushedRepositoryInPayload(found, organization, base)
          : repositoryInPayload(found, base),
    }),
    ...(organization && { organization: organizationInPayload(organization, base) }),
    sender: userInPayload(sender, base),
  };
}

/** The members that the payloads of other events do not have. */
function ownMembers({ name, action, details, snapshot }: RecordedEvent, base: string): PayloadObject {
  const { repository: found, organization } = snapshot;
  switch (name) {
    case 'push':
      return pushMembers(details, found!, base);
    case 'code_scanning_alert':
      return alertMembers(details, found!, base);
    case 'fork':
      return { forkee: repositoryInPayload(details['forkee'] as FoundRepository, base) };
    case 'repository':
      return action === 'transferred' ? { changes: formerOwner(details, base) } : details;
    case 'member':
      return memberMembers(details, base);
    case 'organization':
      return details['membership'] === undefined
        ? details
        : {
            ...details,
            membership: membershipInPayload(details['membership'] as MembershipInEvent, organization!, base),
          };
    case 'installation':
    case 'installation_repositories':
      return installationMembers(name, action!, details as unknown as InstallationInEvent, base);
    case 'team':
    case 'team_add':
    case 'membership':
      return teamMembers(details, organization!, base);
    default:
      return details;
  }
}

function formerOwner(details: PayloadObject, base: string): PayloadObject {
  const { changes } = details as EventDetails['repository.transferred'];
  const from = Object.entries(changes.owner.from).map(([kind, owner]) => [kind, userInPayload(owner, base)]);
  return { owner: { from: Object.fromEntries(from) as PayloadObject } };
}

function memberMembers(details: PayloadObject, base: string): PayloadObject {
  const { member, changes } = details as { member: RepositoryOwner; changes?: PayloadObject };
  return { member: userInPayload(member, base), ...(changes && { changes }) };
}

function membershipInPayload(
  { user, role, state }: MembershipInEvent,
  { login }: Organization,
  base: string,
): PayloadObject {
  const url = `${base}/orgs/${login}`;
  return {
    url: `${url}/memberships/${user.login}`,
    state,
    role,
    organization_url: url,
    user: userInPayload(user, base),
  };
}

function teamMembers(details: PayloadObject, organization: Organization, base: string): PayloadObject {
  const { team, member, changes, ...others } = details as {
    team: TeamInEvent;
    member?: RepositoryOwner;
    changes?: PayloadObject;
  };
  const { notification_setting: _setting, ...published } = changes ?? {};
  return {
    ...others,
    ...(changes && { changes: published }),
    ...(member && { member: userInPayload(member, base) }),
    team: teamInPayload(team, organization, base),
  };
}
