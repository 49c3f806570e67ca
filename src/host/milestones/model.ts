// Milestones as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import { ISSUE_STATES, type Author, type IssueState } from '../issues/issue.ts';
import { siteOf } from '../site.ts';

export interface Milestone {
  /** Of all milestones of the server. */
  id: number;
  repositoryNumber: number;
  /** Of the repository's milestones. */
  number: number;
  title: string;
  description: string | null;
  state: IssueState;
  creator: Author;
  dueOn: number | null;
  openIssueCount: number;
  closedIssueCount: number;
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
}

/** With its creator, unless the account is gone. */
export interface ShownMilestone {
  milestone: Milestone;
  creator: RepositoryOwner | null;
}

const Time = Type.String({ format: 'date-time' });

export const MilestoneReply = Type.Object(
  {
    url: Type.String(),
    html_url: Type.String(),
    labels_url: Type.String(),
    id: Type.Integer(),
    node_id: Type.String(),
    number: Type.Integer(),
    state: OneOf(ISSUE_STATES),
    title: Type.String(),
    description: Nullable(Type.String()),
    creator: Nullable(SimpleUser),
    open_issues: Type.Integer(),
    closed_issues: Type.Integer(),
    created_at: Time,
    updated_at: Time,
    closed_at: Nullable(Time),
    due_on: Nullable(Time),
  },
  { $id: 'milestone' },
);

/** `fullName` is that of the repository. */
export function toMilestone(
  { milestone, creator }: ShownMilestone,
  fullName: string,
  base: string,
): Static<typeof MilestoneReply> {
  const { id, number, state, title, description, closedAt, dueOn } = milestone;
  const url = `${base}/repos/${fullName}/milestones/${number}`;
  return {
    url,
    html_url: `${siteOf(base)}/${fullName}/milestone/${number}`,
    labels_url: `${url}/labels`,
    id,
    node_id: nodeId('Milestone', id),
    number,
    state,
    title,
    description,
    creator: creator === null ? null : toSimpleUser(creator, base),
    open_issues: milestone.openIssueCount,
    closed_issues: milestone.closedIssueCount,
    created_at: isoSeconds(milestone.createdAt),
    updated_at: isoSeconds(milestone.updatedAt),
    closed_at: closedAt === null ? null : isoSeconds(closedAt),
    due_on: dueOn === null ? null : isoSeconds(dueOn),
  };
}
