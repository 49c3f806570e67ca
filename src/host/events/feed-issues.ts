// Reads the issues that events of a feed are about: only what the caller may read at this moment.
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { includesLevel } from '../apps/permissions.ts';
import { installationOf } from '../apps/program.ts';
import type { Issue } from '../issues/issue.ts';
import type { ShownIssue } from '../issues/model.ts';
import { showIssuesOf } from '../issues/show-issues.ts';
import { listIssuesById } from '../issues/store.ts';
import type { ShownRepository } from '../repositories/model.ts';
import type { FeedEvent } from './store-feeds.ts';

/** By id. `places` are the repositories of the events, by number. */
export async function readFeedIssues(
  db: Db,
  caller: Caller,
  events: readonly FeedEvent[],
  places: ReadonlyMap<number, ShownRepository>,
): Promise<Map<number, ShownIssue>> {
  const ids = events.flatMap((event) => issueIdIn(event) ?? []);
  if (ids.length === 0) return new Map();
  const issues = [...(await listIssuesById(db, ids)).values()].filter((issue) => {
    const place = places.get(issue.repositoryNumber);
    return place !== undefined && mayRead(caller, place, issue);
  });
  const numbers = new Set(issues.map(({ repositoryNumber }) => repositoryNumber));
  const found = [...places.values()].filter(({ repository }) => numbers.has(repository.number));
  const shown = await showIssuesOf(db, caller, found, issues);
  return new Map(shown.map((one) => [one.issue.id, one]));
}

/** Undefined where the event is about no issue. */
export function issueIdIn({ entry }: FeedEvent): number | undefined {
  return entry.type === 'IssuesEvent' ? entry.issue : undefined;
}

/** As the routes of issues decide, for a caller who sees the repository. */
function mayRead(caller: Caller, { repository }: ShownRepository, { isPull }: Issue): boolean {
  if (!isPull && !repository.settings.hasIssues) return false;
  const installation = installationOf(caller);
  if (installation === undefined || !repository.isPrivate) return true;
  const needed = isPull ? ['issues', 'pull_requests'] : ['issues'];
  return needed.some((name) => includesLevel(installation.permissions[name], 'read'));
}
