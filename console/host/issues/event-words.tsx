// What happened to an issue or a pull request, as sentences that begin with who did it.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { IconName } from '../../ui/icon.tsx';
import { commitHref, type RepositoryPlace } from '../place.ts';
import { shortSha } from '../repository.ts';
import { loginOf } from './issue.ts';
import { LabelTag } from './label-tag.tsx';
import type { PlainEvent } from './timeline-item.ts';

const REASONS: Readonly<Record<string, string>> = {
  completed: ' as completed',
  not_planned: ' as not planned',
  duplicate: ' as a duplicate',
};

type Sentence = (event: PlainEvent, place: RepositoryPlace) => ReactNode;

function commitOf({ commit_id: sha }: PlainEvent, place: RepositoryPlace): ReactNode {
  if (sha === undefined || sha === null) return null;
  return (
    <Link className="mono t12 ln" href={commitHref(place, sha)}>
      {shortSha(sha)}
    </Link>
  );
}

const labelOf = ({ label }: PlainEvent) => label !== undefined && <LabelTag label={label} />;
const assigneeOf = ({ assignee }: PlainEvent) => <b>{loginOf(assignee)}</b>;
const reviewerOf = ({ requested_reviewer: person, requested_team: team }: PlainEvent) => (
  <b>{team?.name ?? loginOf(person)}</b>
);

function issueOf(event: PlainEvent): ReactNode {
  const issue = event.sub_issue ?? event.parent_issue ?? event.blocked_by ?? event.blocking;
  if (issue === undefined) return null;
  const [owner = '', repo = ''] = issue.repository.full_name.split('/');
  const href = `/code/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/issues/${issue.number}`;
  return (
    <Link className="ln" href={href}>
      {issue.title} #{issue.number}
    </Link>
  );
}

/** By the event: a glyph, and what follows the name of who did it. */
const SENTENCES: Readonly<Record<string, readonly [IconName, Sentence]>> = {
  labeled: ['tag', (event) => <>added {labelOf(event)}</>],
  unlabeled: ['tag', (event) => <>removed {labelOf(event)}</>],
  milestoned: ['flag', ({ milestone }) => <>added it to the milestone {milestone?.title}</>],
  demilestoned: ['flag', ({ milestone }) => <>took it out of the milestone {milestone?.title}</>],
  assigned: ['user', (event) => <>assigned {assigneeOf(event)}</>],
  unassigned: ['user', (event) => <>took the assignment from {assigneeOf(event)}</>],
  renamed: [
    'pen',
    ({ rename }) => (
      <>
        changed the title from <del>{rename?.from}</del> to <b>{rename?.to}</b>
      </>
    ),
  ],
  closed: [
    'ok',
    (event, place) => (
      <>
        closed it{REASONS[event.state_reason ?? ''] ?? ''}
        {typeof event.commit_id === 'string' && <> by {commitOf(event, place)}</>}
      </>
    ),
  ],
  reopened: ['redo', () => 'reopened it'],
  locked: [
    'lock',
    ({ lock_reason: reason }) => (
      <>locked the conversation{typeof reason === 'string' ? ` as ${reason}` : ''}</>
    ),
  ],
  unlocked: ['lock', () => 'unlocked the conversation'],
  merged: ['merge', (event, place) => <>merged it as {commitOf(event, place)}</>],
  referenced: ['commit', (event, place) => <>named it in the commit {commitOf(event, place)}</>],
  review_requested: ['eye', (event) => <>asked {reviewerOf(event)} for a review</>],
  review_request_removed: ['eye', (event) => <>no longer asks {reviewerOf(event)} for a review</>],
  review_dismissed: [
    'x',
    ({ dismissed_review: review }) => <>dismissed a review: {review?.dismissal_message}</>,
  ],
  ready_for_review: ['eye', () => 'said that it is ready for review'],
  convert_to_draft: ['pen', () => 'made it a draft'],
  head_ref_deleted: ['branch', () => 'deleted the branch'],
  head_ref_restored: ['branch', () => 'restored the branch'],
  head_ref_force_pushed: ['branch', (event, place) => <>force-pushed the branch {commitOf(event, place)}</>],
  base_ref_changed: ['branch', () => 'changed the branch that it is to be merged into'],
  sub_issue_added: ['plus', (event) => <>added the part {issueOf(event)}</>],
  sub_issue_removed: ['minus', (event) => <>removed the part {issueOf(event)}</>],
  parent_issue_added: ['up', (event) => <>made it a part of {issueOf(event)}</>],
  parent_issue_removed: ['up', (event) => <>made it no part any more of {issueOf(event)}</>],
  blocked_by_added: ['stop', (event) => <>said that it waits for {issueOf(event)}</>],
  blocked_by_removed: ['stop', (event) => <>said that it does not wait any more for {issueOf(event)}</>],
  blocking_added: ['stop', (event) => <>said that it blocks {issueOf(event)}</>],
  blocking_removed: ['stop', (event) => <>said that it does not block any more {issueOf(event)}</>],
};

/** What has no sentence is named as the API names it. */
export function sentenceOf(event: PlainEvent, place: RepositoryPlace): { icon: IconName; words: ReactNode } {
  const found = SENTENCES[event.event];
  if (found === undefined) return { icon: 'ring', words: event.event.replaceAll(/[_-]/g, ' ') };
  return { icon: found[0], words: found[1](event, place) };
}
