// Events of issues and pull requests: of one, of a repository, a single one, and whole timelines.
import { Failure } from '../../kernel/failure.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { includesLevel } from '../apps/permissions.ts';
import { installationOf } from '../apps/program.ts';
import { BODY_FORMATS } from '../contents/render-bodies.ts';
import { IssueParams, issueRoute, issuesRoute, type OpenedIssues } from '../issues/access.ts';
import { listIssuesById } from '../issues/store.ts';
import { HostPageQuery, pageOf, pageSliceOf } from '../list-query.ts';
import { READ_REPOSITORY, RepositoryParams } from '../repositories/access.ts';
import { viewerFor } from '../repositories/visibility.ts';
import { replyLinkedIssues, type ShowingCall } from '../sub-issues/show-linked.ts';
import { EventForIssue, IssueEventReply, toEventForIssue } from './model.ts';
import { readEventSources } from './show-events.ts';
import { showTimeline } from './show-timeline.ts';
import {
  findEvent,
  listEventsOfIssue,
  listEventsOfRepository,
  listTimeline,
  type EventScope,
} from './store.ts';
import type { IssueEvent } from './event-details.ts';
import { TimelineItem } from './timeline-model.ts';

const listEvents = issueRoute(
  {
    id: 'issues/list-events',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/events',
    summary: 'List the events of an issue',
    description: 'The oldest first. Labels have the names that they had then.',
    access: READ_REPOSITORY,
    params: IssueParams,
    query: Type.Object(HostPageQuery),
    list: EventForIssue,
  },
  'read',
  async (call, kernel, opened) => {
    const slice = pageSliceOf(call.query);
    const page = await listEventsOfIssue(kernel.db, opened.issue.id, viewerFor(call.caller), slice);
    const sources = await readEventSources(kernel, call, opened, page.items);
    const shown = page.items.flatMap((event) => toEventForIssue(event, sources) ?? []);
    return pageOf(shown, page, slice);
  },
);

const listTimelineRoute = issueRoute(
  {
    id: 'issues/list-events-for-timeline',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/timeline',
    summary: 'List all that happened to an issue',
    description: `Events, comments, reviews, commits and references, the oldest first. ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: IssueParams,
    query: Type.Object(HostPageQuery),
    list: TimelineItem,
  },
  'read',
  async (call, kernel, opened) => {
    const slice = pageSliceOf(call.query);
    const page = await listTimeline(kernel.db, opened.issue.id, viewerFor(call.caller), slice);
    return pageOf(await showTimeline(kernel, call, opened, page.items), page, slice);
  },
);

const listRepositoryEvents = issuesRoute(
  {
    id: 'issues/list-events-for-repo',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/events',
    summary: 'List the events of the issues of a repository',
    description: 'The newest first.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object(HostPageQuery),
    list: IssueEventReply,
  },
  'read',
  async (call, kernel, opened) => {
    const slice = pageSliceOf(call.query);
    const filter = { viewer: viewerFor(call.caller), scope: scopeOf(call.caller) };
    const page = await listEventsOfRepository(kernel.db, opened.repository.number, filter, slice);
    return pageOf(await showWithIssues(kernel, call, opened, page.items), page, slice);
  },
);

const getEvent = issuesRoute(
  {
    id: 'issues/get-event',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/events/{event_id}',
    summary: 'Get an event of an issue',
    access: READ_REPOSITORY,
    params: Type.Object({
      ...RepositoryParams,
      event_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    }),
    reply: { 200: IssueEventReply },
  },
  'read',
  async (call, kernel, opened) => {
    const filter = { viewer: viewerFor(call.caller), scope: scopeOf(call.caller) };
    const event = await findEvent(kernel.db, opened.repository.number, call.params.event_id, filter);
    const [shown] = event === undefined ? [] : await showWithIssues(kernel, call, opened, [event]);
    if (shown === undefined) throw new Failure('not-found', 'There is no such event');
    return shown;
  },
);

/** An installation that may not read issues, and therefore may read pull requests, sees the events of those. */
function scopeOf(caller: Caller): EventScope {
  const installation = installationOf(caller);
  if (installation === undefined) return 'all';
  return includesLevel(installation.permissions['issues'], 'read') ? 'all' : 'pulls';
}

async function showWithIssues(
  kernel: Kernel,
  call: ShowingCall,
  opened: OpenedIssues,
  events: readonly IssueEvent[],
): Promise<Static<typeof IssueEventReply>[]> {
  const found = await listIssuesById(
    kernel.db,
    events.map(({ issueId }) => issueId),
  );
  const [sources, shown] = await Promise.all([
    readEventSources(kernel, call, opened, events),
    replyLinkedIssues(kernel, call, [...found.values()]),
  ]);
  const issues = new Map(shown.map(({ repository: _repository, ...issue }) => [issue.id, issue]));
  return events.flatMap((event) => {
    const common = toEventForIssue(event, sources);
    return common === undefined ? [] : { ...common, issue: issues.get(event.issueId) ?? null };
  });
}

export const timelineRoutes = [listEvents, listTimelineRoute, listRepositoryEvents, getEvent];
