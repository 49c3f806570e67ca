// Reads a page of a feed for a caller: only what the caller may read at this moment.
import { Failure } from '../../kernel/failure.ts';
import { anonymousAt, type Caller } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, type Reply } from '../../kernel/http/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { pageSliceOf } from '../list-query.ts';
import { listOwners } from '../owners/store.ts';
import { rolesOn } from '../repositories/caller-roles.ts';
import type { ShownRepository } from '../repositories/model.ts';
import type { Repository } from '../repositories/repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { isRepositoryVisible, viewerFor } from '../repositories/visibility.ts';
import { readFeedSubjects } from './feed-issues.ts';
import { toFeedItem, type ShownEvent } from './feed-model.ts';
import {
  listFeed,
  listFeedEvents,
  listWatchedFeed,
  MAX_FEED_EVENTS,
  type EventFeed,
  type FeedEvent,
} from './store-feeds.ts';

/** How many seconds clients wait before they ask again. */
const POLL_INTERVAL = { 'x-poll-interval': '60' };

/** Who sees what is public, and no more. */
const EVERYBODY = anonymousAt('');

interface FeedCall {
  caller: Caller;
  query: { page: number; per_page?: number };
  base: string;
}

/** `audience` is `everybody` for feeds that show the same to all. */
export async function showFeed(
  { caller, query, base }: FeedCall,
  db: Db,
  feed: EventFeed | { of: 'watched'; accountId: string },
  audience: 'everybody' | 'caller',
): Promise<Reply> {
  const slice = pageSliceOf(query);
  if (slice.offset >= MAX_FEED_EVENTS)
    throw new Failure(
      'invalid',
      'In order to keep the API fast for everyone, pagination is limited for this resource.',
    );
  const viewer = audience === 'everybody' ? 'public' : viewerFor(caller);
  const numbers =
    feed.of === 'watched'
      ? await listWatchedFeed(db, feed.accountId, viewer)
      : await listFeed(db, feed, viewer);
  const events = await listFeedEvents(db, numbers.slice(slice.offset, slice.offset + slice.limit));
  const shown = await withContext(db, events, audience === 'everybody' ? EVERYBODY : caller);
  const items = shown.map((one) => toFeedItem(one, base));
  return reply(200, new Page(items, numbers.length, slice), POLL_INTERVAL);
}

/** Decides again by the rows that are shown, as they may have changed since the feed was read. */
async function withContext(db: Db, events: readonly FeedEvent[], caller: Caller): Promise<ShownEvent[]> {
  const places = await readPlaces(db, events, caller);
  const isSeen = (place: ShownRepository | undefined, isPublic: boolean): place is ShownRepository =>
    place !== undefined &&
    isRepositoryVisible(caller, isPublic ? place : { ...place, repository: asPrivate(place.repository) });
  const visible = events.flatMap((event) => {
    const place = places.get(event.repositoryNumber);
    if (!isSeen(place, event.isPublic)) return [];
    if (event.entry.type !== 'ForkEvent') return { event, place, forkee: undefined };
    // A fork that is private now, or gone, is no longer named by what it was forked from.
    const forkee = places.get(event.entry.forkee);
    return isSeen(forkee, true) ? { event, place, forkee } : [];
  });
  const shown = visible.map(({ event }) => event);
  const [subjectsOf, owners] = await Promise.all([
    readFeedSubjects(db, caller, shown, places),
    listOwners(
      db,
      shown.flatMap((event) =>
        [event.actorId, memberIdIn(event), event.organizationId].flatMap((id) => id ?? []),
      ),
    ),
  ]);
  return visible.flatMap(({ event, place, forkee }) => {
    const subjects = subjectsOf(event);
    if (subjects === undefined) return [];
    return {
      event,
      actor: event.actorId === undefined ? place.owner : owners.get(event.actorId),
      place,
      organization: owners.get(event.organizationId ?? ''),
      forkee,
      member: owners.get(memberIdIn(event) ?? ''),
      ...subjects,
    };
  });
}

function memberIdIn({ entry }: FeedEvent): string | undefined {
  if (entry.type === 'IssuesEvent' || entry.type === 'PullRequestEvent') return entry.assignee;
  return entry.type === 'MemberEvent' ? entry.member.id : undefined;
}

/** By number, with the role that the caller has beside reading what is public. */
async function readPlaces(
  db: Db,
  events: readonly FeedEvent[],
  caller: Caller,
): Promise<Map<number, ShownRepository>> {
  const numbers = events.flatMap(({ repositoryNumber, entry }) =>
    entry.type === 'ForkEvent' ? [repositoryNumber, entry.forkee] : repositoryNumber,
  );
  const repositories = [...(await listRepositoriesByNumber(db, [...new Set(numbers)])).values()];
  const [owners, roles] = await Promise.all([
    listOwners(
      db,
      repositories.map(({ ownerId }) => ownerId),
    ),
    rolesOn(db, caller, repositories.map(asPrivate)),
  ]);
  return new Map(
    repositories.flatMap((repository) => {
      const owner = owners.get(repository.ownerId);
      const { number } = repository;
      return owner === undefined ? [] : [[number, { repository, owner, role: roles.get(number) }] as const];
    }),
  );
}

function asPrivate(repository: Repository): Repository {
  return { ...repository, isPrivate: true };
}
