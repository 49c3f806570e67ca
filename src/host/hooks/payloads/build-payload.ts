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
import { toInstallation } from '../../apps/model.ts';
import { nodeId } from '../../node-id.ts';
import { toAlert } from '../../code-scanning/model.ts';
import {
  commentMembers,
  issueMembers,
  labelMembers,
  linkMembers,
  milestoneMembers,
} from './issue-members.ts';
import {
  organizationInPayload,
  pushedRepositoryInPayload,
  repositoryInPayload,
  teamInPayload,
  userInPayload,
  type PayloadObject,
} from './shared-members.ts';
import { pullMembers, reviewCommentMembers, reviewMembers, threadMembers } from './pull-members.ts';
import { statusMembers, type StatusSurroundings } from './status-members.ts';
import { siteOf } from '../../site.ts';

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
function ownMembers(event: RecordedEvent, base: string): PayloadObject {
  const { name, action, details, snapshot } = event;
  const { repository: found, organization } = snapshot;
  switch (name) {
    case 'push':
      return pushMembers(details, found!, base);
    case 'code_scanning_alert':
      return alertMembers(details, found!, base);
    case 'pull_request':
      return pullMembers(details, found!, base);
    case 'pull_request_review':
      return reviewMembers(details, found!, base);
    case 'pull_request_review_comment':
      return reviewCommentMembers(details, found!, base);
    case 'pull_request_review_thread':
      return threadMembers(details, found!, base);
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
    case 'issues':
      return issueMembers(event, found!, base);
    case 'issue_comment':
      return commentMembers(details, found!, base);
    case 'label':
      return labelMembers(details, found!, base);
    case 'milestone':
      return milestoneMembers(details, found!, base);
    case 'sub_issues':
    case 'issue_dependencies':
      return linkMembers(event, base);
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

export function installationInPayload(number: number): PayloadObject {
  return { id: number, node_id: nodeId('IntegrationInstallation', number) };
}

/** The members of the events `installation` and `installation_repositories`. */
function installationMembers(
  name: string,
  action: string,
  details: InstallationInEvent,
  base: string,
): PayloadObject {
  const { app, account, suspendedBy } = details;
  const shown = toInstallation(details.installation, { app, account, suspendedBy }, base);
  // Receivers know fewer members than callers.
  const { node_id: _node, client_id: _client, ...installation } = shown;
  const repositories = details.repositories.map(({ number, name: repository, isPrivate }) => ({
    id: number,
    node_id: nodeId('Repository', number),
    name: repository,
    full_name: `${account.login}/${repository}`,
    private: isPrivate,
  }));
  if (name === 'installation') return { installation, repositories };
  return {
    installation,
    repository_selection: details.installation.selection,
    repositories_added: action === 'added' ? repositories : [],
    repositories_removed: action === 'removed' ? repositories : [],
    requester: null,
  };
}

const ZERO = /^0+$/;
const SHOWN_DIGITS = 12;

/** Everything but the addresses was recorded with the push. */
function pushMembers(details: PayloadObject, found: FoundRepository, base: string): PayloadObject {
  const { ref, before, after } = details as Record<'ref' | 'before' | 'after', string>;
  const commits = details['commits'] as PayloadObject[];
  const head = details['head_commit'] as PayloadObject | null;
  const page = `${siteOf(base)}/${found.owner.login}/${found.repository.name}`;
  const withUrl = (commit: PayloadObject) => ({ ...commit, url: `${page}/commit/${String(commit['id'])}` });
  const shortened = (oid: string) => oid.slice(0, SHOWN_DIGITS);
  const { created, deleted, forced, base_ref: baseRef = null } = details;
  return {
    ref,
    before,
    after,
    pusher: { email: null, ...(details['pusher'] as PayloadObject) },
    created,
    deleted,
    forced,
    base_ref: baseRef,
    compare: ZERO.test(before)
      ? `${page}/compare/${ref.replace(/^refs\/(?:heads|tags)\//, '')}`
      : `${page}/compare/${shortened(before)}...${shortened(after)}`,
    commits: commits.map(withUrl),
    head_commit: head && withUrl(head),
  };
}

/** Payloads have fewer members than replies. */
function alertMembers(details: PayloadObject, found: FoundRepository, base: string): PayloadObject {
  const { alert, dismissedBy, ref, commit_oid: commit } = details as EventDetails['code_scanning_alert'];
  const shown = toAlert(alert, found, dismissedBy ?? undefined, base);
  const { html_url: _page, category: _category, ...instance } = shown.most_recent_instance;
  const { id, severity, description } = shown.rule;
  return {
    alert: {
      number: shown.number,
      created_at: shown.created_at,
      url: shown.url,
      html_url: shown.html_url,
      instances: [instance],
      most_recent_instance: instance,
      state: shown.state,
      dismissed_by: shown.dismissed_by,
      dismissed_at: shown.dismissed_at,
      dismissed_reason: shown.dismissed_reason,
      rule: { id, severity, description },
      tool: { name: shown.tool.name, version: shown.tool.version },
    },
    ref,
    commit_oid: commit,
  };
}
