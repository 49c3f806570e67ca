// Feeds in the database: each is read from the end of an index, and only a bounded part of it.
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Repository } from '../repositories/repository.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';
import type { FeedEntry } from './feed-entry.ts';

/** Whose events a feed has. */
export type EventFeed =
  | { of: 'everybody' }
  | { of: 'network' | 'repository'; number: number }
  | { of: 'organization' | 'actor'; id: string };

/** A feed goes no further back. */
export const MAX_FEED_EVENTS = 300;
/** So many of the newest are looked at, whether the viewer may see them or not. */
const MAX_SCANNED = 3000;
const MAX_WATCHED = 1000;
/** Repositories that are read with one statement. */
const AT_ONCE = 50;

function keyOf(feed: EventFeed): string {
  if (feed.of === 'everybody') return feed.of;
  return `${feed.of}/${'number' in feed ? feed.number : feed.id}`;
}

export interface ShownIn {
  repository: Repository;
  organizationId?: string;
  actorId?: string;
}

/** In the transaction that inserts the events. */
export async function insertIntoFeeds(
  tx: Db,
  eventNumbers: readonly number[],
  { repository, organizationId, actorId }: ShownIn,
): Promise<void> {
  if (eventNumbers.length === 0) return;
  const { number, sourceNumber, isPrivate } = repository;
  const feeds: EventFeed[] = [{ of: 'repository', number }];
  if (organizationId !== undefined) feeds.push({ of: 'organization', id: organizationId });
  if (actorId !== undefined) feeds.push({ of: 'actor', id: actorId });
  if (!isPrivate) feeds.push({ of: 'everybody' }, { of: 'network', number: sourceNumber ?? number });
  await tx
    .insertInto('host_feeds')
    .values(
      feeds.map(keyOf).flatMap((feed) =>
        eventNumbers.map((eventNumber) => ({
          feed,
          is_public: isPrivate ? 0 : 1,
          event_number: eventNumber,
          repository_number: number,
        })),
      ),
    )
    .execute();
}

/** The numbers of the newest events that the viewer sees, the newest first. */
export async function listFeed(db: Db, feed: EventFeed, viewer: Viewer): Promise<number[]> {
  return await listSeen(db, newestOf([keyOf(feed)], viewer, MAX_SCANNED), viewer);
}

/** The newest of each feed: the end of an index, or of two where the viewer may see what is not public. */
function newestOf(keys: readonly string[], viewer: Viewer, limit: number, after = 0): RawBuilder<unknown> {
  const kinds = viewer === 'public' ? [1] : [0, 1];
  const ends = keys.flatMap((key) =>
    kinds.map(
      (isPublic) => sql`select * from (
        select event_number, repository_number, is_public from host_feeds
        where feed = ${key} and is_public = ${sql.lit(isPublic)} and event_number > ${after}
        order by event_number desc limit ${sql.lit(limit)}) as one`,
    ),
  );
  return sql.join(ends, sql` union all `);
}

/** What happened in private is shown to those who have a role, though the repository may be public now. */
const IS_PUBLIC = sql<boolean>`newest.is_public = 1 and repositories.is_private = 0`;

/** Those among `newest` whose repository is there, and that the viewer may see now. */
async function listSeen(db: Db, newest: RawBuilder<unknown>, viewer: Viewer): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select newest.event_number as number from (${newest}) as newest
    join repositories on repositories.number = newest.repository_number
    where ${visibleTo(viewer, IS_PUBLIC)}
    order by newest.event_number desc limit ${sql.lit(MAX_FEED_EVENTS)}`.execute(db);
  return rows.map(({ number }) => number);
}

/**
 * What happened in the repositories that the account watches. Those with the newest events come first: the rest is not read
 * when enough is known to be newer.
 */
export async function listWatchedFeed(db: Db, accountId: string, viewer: Viewer): Promise<number[]> {
  const last = (isPublic: 0 | 1) => sql<number | null>`
    (select max(event_number) from host_feeds
     where feed = 'repository/' || watches.repository_number and is_public = ${sql.lit(isPublic)})`;
  const { rows: watched } = await sql<{ number: number; open: number | null; closed: number | null }>`
    select watches.repository_number as number, ${last(1)} as open,
      ${viewer === 'public' ? sql`null` : last(0)} as closed
    from watches where account_id = ${accountId} and is_ignored = 0
    order by repository_number desc limit ${sql.lit(MAX_WATCHED)}`.execute(db);
  const repositories = watched
    .map(({ number, open, closed }) => ({ number, last: Math.max(open ?? 0, closed ?? 0) }))
    .toSorted((one, other) => other.last - one.last);
  let seen: number[] = [];
  for (let start = 0; start < repositories.length; start += AT_ONCE) {
    const oldest = seen.length < MAX_FEED_EVENTS ? 0 : seen.at(-1)!;
    const some = repositories.slice(start, start + AT_ONCE).filter((one) => one.last > oldest);
    if (some.length === 0) break;
    const keys = some.map(({ number }) => keyOf({ of: 'repository', number }));
    const more = await listSeen(db, newestOf(keys, viewer, MAX_FEED_EVENTS, oldest), viewer);
    seen = [...seen, ...more].toSorted((one, other) => other - one).slice(0, MAX_FEED_EVENTS);
  }
  return seen;
}

/** An event as feeds read it. */
export interface FeedEvent {
  number: number;
  at: number;
  /** Absent where the program itself or its operator did it. */
  actorId: string | undefined;
  repositoryNumber: number;
  organizationId: string | undefined;
  /** Whether the repository was public then. */
  isPublic: boolean;
  entry: FeedEntry;
}

/** The newest first. */
export async function listFeedEvents(db: Db, numbers: readonly number[]): Promise<FeedEvent[]> {
  if (numbers.length === 0) return [];
  const rows = await db
    .selectFrom('host_events')
    .select(['number', 'at', 'actor_id', 'repository_number', 'organization_id', 'is_public', 'feed'])
    .where('number', 'in', numbers)
    .orderBy('number', 'desc')
    .execute();
  return rows.map((row) => ({
    number: row.number,
    at: row.at,
    actorId: row.actor_id ?? undefined,
    repositoryNumber: row.repository_number!,
    organizationId: row.organization_id ?? undefined,
    isPublic: row.is_public === 1,
    entry: JSON.parse(row.feed!) as FeedEntry,
  }));
}

/** Deletes some of the oldest that are from before that time, and returns their number. */
export async function deleteEventsBefore(db: Db, before: number, limit: number): Promise<number> {
  const oldest = await db
    .selectFrom('host_events')
    .select(['number', 'at'])
    .orderBy('number')
    .limit(limit)
    .execute();
  const numbers = oldest.filter(({ at }) => at < before).map(({ number }) => number);
  if (numbers.length > 0) await db.deleteFrom('host_events').where('number', 'in', numbers).execute();
  return numbers.length;
}
