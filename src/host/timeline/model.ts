// Events of issues as replies show them: the common members, and those that the table of events names.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { ShownBody } from '../contents/render-bodies.ts';
import { ASSOCIATIONS, type Association } from '../issues/people/associations.ts';
import { ISSUE_STATES, STATE_REASONS, type Issue } from '../issues/issue.ts';
import { IssueReply } from '../issues/model.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { SimpleRepository, toSimpleRepository, type ShownRepository } from '../repositories/model.ts';
import { ListedTeam } from '../teams/model.ts';
import { isoSeconds } from '../times.ts';
import { EVENT_MEMBERS, type IssueEvent } from './event-details.ts';
import { siteOf } from '../site.ts';

const Time = Type.String({ format: 'date-time' });

const IssueReference = Type.Object(
  {
    number: Type.Integer(),
    title: Type.String(),
    state: OneOf(ISSUE_STATES),
    state_reason: Nullable(OneOf(STATE_REASONS)),
    repository: SimpleRepository,
    issue_type: Type.Null(),
  },
  { $id: 'issue-reference' },
);

export function toIssueReference(
  issue: Issue,
  found: Pick<ShownRepository, 'repository' | 'owner'>,
  base: string,
): Static<typeof IssueReference> {
  const { number, title, state, stateReason } = issue;
  return {
    number,
    title,
    state,
    state_reason: stateReason,
    repository: toSimpleRepository(found, base),
    issue_type: null,
  };
}

const IssueType = Nullable(
  Type.Object({ id: Type.Integer(), name: Type.String(), color: Type.Optional(Nullable(Type.String())) }),
);

const EVENT = {
  id: Type.Integer(),
  node_id: Type.String(),
  url: Type.String(),
  actor: Nullable(SimpleUser),
  event: Type.String({ description: 'Such as `labeled` or `closed`' }),
  commit_id: Nullable(Type.String()),
  commit_url: Nullable(Type.String()),
  created_at: Time,
  performed_via_github_app: Type.Null(),
  label: Type.Optional(
    Type.Object({
      name: Type.String({ description: 'The name that the label had then' }),
      color: Type.String(),
    }),
  ),
  assignee: Type.Optional(Nullable(SimpleUser)),
  assigner: Type.Optional(Nullable(SimpleUser)),
  milestone: Type.Optional(Type.Object({ title: Type.String() })),
  rename: Type.Optional(Type.Object({ from: Type.String(), to: Type.String() })),
  lock_reason: Type.Optional(Nullable(Type.String())),
  state_reason: Type.Optional(Nullable(Type.String())),
  review_requester: Type.Optional(Nullable(SimpleUser)),
  requested_reviewer: Type.Optional(Nullable(SimpleUser)),
  requested_team: Type.Optional(ListedTeam),
  dismissed_review: Type.Optional(
    Type.Object({
      state: Type.String(),
      review_id: Type.Integer(),
      dismissal_message: Nullable(Type.String()),
      dismissal_commit_id: Type.Optional(Type.String()),
    }),
  ),
  issue_type: Type.Optional(IssueType),
  prev_issue_type: Type.Optional(IssueType),
  sub_issue: Type.Optional(IssueReference),
  parent_issue: Type.Optional(IssueReference),
  blocked_by: Type.Optional(IssueReference),
  blocking: Type.Optional(IssueReference),
};

/** In the lists of one issue, which do not repeat it. */
export const EventForIssue = Type.Object(EVENT, { $id: 'issue-event-for-issue' });

export const IssueEventReply = Type.Object(
  {
    ...EVENT,
    author_association: Type.Optional(OneOf(ASSOCIATIONS)),
    issue: Nullable(IssueReply),
  },
  { $id: 'issue-event' },
);

/** What members of events are made from, by what `details` has of them. */
export interface EventSources {
  /** Null where the account is gone. */
  userOf(author: { id: string | null; name: string | null }): RepositoryOwner | null;
  /** Undefined where the team is gone, or the caller does not see it. */
  teamOf(number: number): Static<typeof ListedTeam> | undefined;
  /** Undefined where the caller does not see it. */
  issueOf(id: number): Static<typeof IssueReference> | undefined;
  /** `owner/name` of the repository. */
  fullName: string;
  base: string;
}

/** Undefined where it is about an issue that the caller does not see. */
export function toEventForIssue(
  event: IssueEvent,
  sources: EventSources,
): Static<typeof EventForIssue> | undefined {
  const { id, commitId } = event;
  const { fullName, base } = sources;
  const members = membersOf(event, sources);
  if (members === undefined) return undefined;
  const repository = `${base}/repos/${fullName}`;
  return {
    id,
    node_id: nodeId('IssueEvent', id),
    url: `${repository}/issues/events/${id}`,
    actor: shownUser(sources.userOf(event.actor), base),
    event: event.event,
    commit_id: commitId,
    commit_url: commitId === null ? null : `${repository}/commits/${commitId}`,
    created_at: isoSeconds(event.createdAt),
    performed_via_github_app: null,
    ...members,
  };
}

export function shownUser(user: RepositoryOwner | null, base: string): Static<typeof SimpleUser> | null {
  return user === null ? null : toSimpleUser(user, base);
}

/** The table says how each is made; its keys are members of the schema. */
function membersOf(
  { event, details, subjectId }: IssueEvent,
  { userOf, teamOf, issueOf, base }: EventSources,
): Partial<Static<typeof EventForIssue>> | undefined {
  const members: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(EVENT_MEMBERS[event] ?? {})) {
    if (kind === 'issue') {
      const issue = subjectId === null ? undefined : issueOf(subjectId);
      if (issue === undefined) return undefined;
      members[name] = issue;
      continue;
    }
    const value = details[name];
    if (value === undefined) continue;
    if (kind === 'plain') members[name] = value;
    if (kind === 'account')
      members[name] = shownUser(userOf({ id: value as string | null, name: null }), base);
    if (kind === 'team') {
      const team = teamOf(value as number);
      if (team !== undefined) members[name] = team;
    }
  }
  return members;
}

/** Where an item is shown: `owner/name` of the repository, the number of the issue, and the address of the API. */
export interface TimelinePlace {
  fullName: string;
  number: number;
  base: string;
}

/** Who wrote a text, what they are to the repository, and the text in the form that the call asks for. */
export interface Written {
  user: RepositoryOwner | null;
  association: Association;
  body: ShownBody;
}

export function addressesOf({ fullName, base }: TimelinePlace): { base: string; api: string; page: string } {
  return { base, api: `${base}/repos/${fullName}`, page: `${siteOf(base)}/${fullName}` };
}
