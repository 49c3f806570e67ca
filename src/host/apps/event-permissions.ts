// The permissions that an installation needs to hear of events about issues and pull requests.
import type { HostEventName, RecordedEvent } from '../events/model.ts';
import { includesLevel, type AppPermissions } from './permissions.ts';

/** One of them is enough. Labels and milestones are of both. */
const NEEDED: Readonly<Partial<Record<HostEventName, readonly string[]>>> = {
  issues: ['issues'],
  sub_issues: ['issues'],
  issue_dependencies: ['issues'],
  label: ['issues', 'pull_requests'],
  milestone: ['issues', 'pull_requests'],
  pull_request: ['pull_requests'],
  pull_request_review: ['pull_requests'],
  pull_request_review_comment: ['pull_requests'],
  pull_request_review_thread: ['pull_requests'],
};

export function mayHear(
  permissions: AppPermissions,
  event: Pick<RecordedEvent, 'name' | 'details'>,
): boolean {
  const needed = event.name === 'issue_comment' ? neededForComment(event) : NEEDED[event.name];
  return needed === undefined || needed.some((name) => includesLevel(permissions[name], 'read'));
}

/** As for the routes of comments: those of pull requests are open to programs for pull requests too. */
function neededForComment({ details }: Pick<RecordedEvent, 'details'>): readonly string[] {
  const { issue } = (details as { issue: { issue: { isPull: boolean } } }).issue;
  return issue.isPull ? ['issues', 'pull_requests'] : ['issues'];
}
