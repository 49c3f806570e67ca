// Events as rules know them: what happened, in the words of webhooks, and what was there then.
import type { Organization, OrganizationRole } from '../organizations/model.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { OrganizationTeam } from '../teams/model.ts';

export type HostEventName =
  | 'push'
  | 'create'
  | 'delete'
  | 'repository'
  | 'public'
  | 'fork'
  | 'star'
  | 'watch'
  | 'member'
  | 'organization'
  | 'team'
  | 'team_add'
  | 'membership'
  | 'branch_protection_rule'
  | 'status';

/** What happened. JSON. `action` where that event has actions. */
export interface HostEvent {
  name: HostEventName;
  action?: string;
  /**
   * The members of the webhook's payload beside action, repository, organization and sender. Users, teams and repositories
   * in it are what `EventDetails` says: payloads are made from them, with the server's address.
   */
  details: Record<string, unknown>;
}

export interface EventPlace {
  /** After the change; before it where it is deleted. */
  found?: FoundRepository;
  /** Read by the owner of the repository where it is not given. */
  organization?: Organization;
}

/** What was there when it happened, so that payloads can be made when it is gone. */
export interface EventSnapshot {
  repository?: FoundRepository;
  organization?: Organization;
  /** The repository's owner or the organization, where the program itself or its operator did it. */
  sender: RepositoryOwner;
}

/** An event that was recorded. */
export interface RecordedEvent extends HostEvent {
  number: number;
  at: number;
  isPublic: boolean;
  snapshot: EventSnapshot;
}

export interface TeamInEvent extends OrganizationTeam {
  parent: OrganizationTeam | null;
}

interface From<T> {
  from: T;
}

/** The details of the events that are recorded beside pushes and rules, by name, and by action where it matters. */
export interface EventDetails {
  'repository.created': Record<string, never>;
  'repository.deleted': Record<string, never>;
  'repository.archived': Record<string, never>;
  'repository.unarchived': Record<string, never>;
  'repository.publicized': Record<string, never>;
  'repository.privatized': Record<string, never>;
  'repository.edited': {
    changes: {
      description?: From<string | null>;
      homepage?: From<string | null>;
      default_branch?: From<string>;
      topics?: From<string[]>;
    };
  };
  'repository.renamed': { changes: { repository: { name: From<string> } } };
  'repository.transferred': {
    changes: { owner: From<{ user?: RepositoryOwner; organization?: RepositoryOwner }> };
  };
  public: Record<string, never>;
  fork: { forkee: FoundRepository };
  'star.created': { starred_at: string };
  'star.deleted': { starred_at: null };
  'watch.started': Record<string, never>;
  'member.added': { member: RepositoryOwner; changes: { permission: { to: string } } };
  'member.edited': {
    member: RepositoryOwner;
    changes: { old_permission: From<string>; permission: { from: string; to: string } };
  };
  'member.removed': { member: RepositoryOwner };
  'organization.member_added': { membership: MembershipInEvent };
  'organization.member_removed': { membership: MembershipInEvent };
  'organization.deleted': Record<string, never>;
  'team.created': { team: TeamInEvent };
  'team.deleted': { team: TeamInEvent };
  'team.edited': {
    team: TeamInEvent;
    changes: {
      name?: From<string>;
      description?: From<string>;
      privacy?: From<string>;
      notification_setting?: From<string>;
      repository?: { permissions: From<{ admin?: boolean; push?: boolean; pull?: boolean }> };
    };
  };
  'team.added_to_repository': { team: TeamInEvent };
  'team.removed_from_repository': { team: TeamInEvent };
  team_add: { team: TeamInEvent };
  'membership.added': { scope: 'team'; member: RepositoryOwner; team: TeamInEvent };
  'membership.removed': { scope: 'team'; member: RepositoryOwner; team: TeamInEvent };
}

export interface MembershipInEvent {
  user: RepositoryOwner;
  role: OrganizationRole;
  state: 'active';
}

/** Feeds show what happens in repositories, without what only webhooks are told of. */
export function isShownInFeeds({ name, action, details }: HostEvent): boolean {
  switch (name) {
    case 'create':
    case 'delete':
    case 'fork':
    case 'public':
      return true;
    case 'watch':
      return action === 'started';
    case 'member':
      return action === 'added';
    // The feed says that the repository was created; a fork is said to be one where it comes from.
    case 'repository':
      return action === 'created';
    // Tags and branches that come and go are shown as such.
    case 'push':
      return (
        String(details['ref']).startsWith('refs/heads/') &&
        details['deleted'] !== true &&
        !(details['created'] === true && (details['commits'] as unknown[]).length === 0)
      );
    default:
      return false;
  }
}
