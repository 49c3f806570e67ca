// Feeds in the database: each is read from the end of an index, and only a bounded part of it.
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Viewer } from '../repositories/store-lists.ts';
import { grantedTo } from '../repositories/store-visibility.ts';
import type { FeedEntry } from './feed-entry.ts';

/** Whose events a feed has. */
export type Feed =
  | { of: 'everybody' }
  | { of: 'network'; number: number }
  | { of: 'repository'; number: number }
  | { of: 'organization'; id: string }
  | { of: 'actor'; id: string }
  /** What happens in the repositories that the account watches. */
  | { of: 'watched'; accountId: string };

/** A feed goes no further back. */
export const MAX_FEED_EVENTS = 300;
/** So many of the newest are looked at, whether the viewer may see them or not. */
const MAX_SCANNED = 3000;
const MAX_WATCHED = 1000;
/** Repositories that are read with one statement. */
const AT_ONCE = 50;

/** The numbers of the newest events that the viewer sees, the newest first. */
export async function listFeed(db: Db, feed: Feed, viewer: Viewer): Promise<number[]> {
  if (feed.of === 'watched') return await listWatchedFeed(db, feed.accountId, viewer);
  const isPublicOnly = viewer === 'public' || feed.of === 'everybody' || feed.of === 'network';
  const newest = sql`
    select number, repository_number, is_public from host_events
    where feed is not null ${isPublicOnly ? sql`and is_public = 1` : sql``} ${conditionOf(feed)}
    order by number desc limit ${sql.lit(MAX_SCANNED)}`;
  return await listSeen(db, newest, isPublicOnly ? 'public' : viewer);
}

function conditionOf(feed: Exclude<Feed, { of: 'watched' }>): RawBuilder<unknown> {
  if (feed.of === 'everybody') return sql``;
  if (feed.of === 'network') return sql`and network_number = ${feed.number}`;
  if (feed.of === 'repository') return sql`and repository_number = ${feed.number}`;
  if (feed.of === 'organization') return sql`and organization_id = ${feed.id}`;
  return sql`and actor_id = ${feed.id}`;
}

/** Those among `newest` whose repository is there, and that the viewer may see now. */
async function listSeen(db: Db, newest: RawBuilder<unknown>, viewer: Viewer): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select newest.number from (${newest}) as newest
    join repositories on repositories.number = newest.repository_number
    where repositories.deleted_at is null and ${seenBy(viewer)}
    order by newest.number desc limit ${sql.lit(MAX_FEED_EVENTS)}`.execute(db);
  return rows.map(({ number }) => number);
}

/** What happened in private is shown to those who have a role, though the repository may be public now. */
function seenBy(viewer: Viewer): RawBuilder<unknown> {
  if (viewer === 'all') return sql`1 = 1`;
  const isPublic = sql`newest.is_public = 1 and repositories.is_private = 0`;
  if (viewer === 'public') return isPublic;
  return sql`(${isPublic} or ${grantedTo(viewer.accountId)})`;
}

/** The repositories with the newest events come first: the rest is not read when enough is known to be newer. */
async function listWatchedFeed(db: Db, accountId: string, viewer: Viewer): Promise<number[]> {
  const { rows: watched } = await sql<{ number: number; last: number | null }>`
    select watches.repository_number as number,
      (select max(host_events.number) from host_events
       where host_events.repository_number = watches.repository_number and feed is not null) as last
    from watches where account_id = ${accountId} and is_ignored = 0
    order by repository_number desc limit ${sql.lit(MAX_WATCHED)}`.execute(db);
  const repositories = watched
    .flatMap(({ number, last }) => (last === null ? [] : { number, last }))
    .toSorted((one, other) => other.last - one.last);
  let seen: number[] = [];
  for (let start = 0; start < repositories.length; start += AT_ONCE) {
    const oldest = seen.length < MAX_FEED_EVENTS ? 0 : seen.at(-1)!;
    const some = repositories.slice(start, start + AT_ONCE).filter(({ last }) => last > oldest);
    if (some.length === 0) break;
    const newest = sql.join(
      some.map(
        ({ number }) => sql`select * from (
          select number, repository_number, is_public from host_events
          where repository_number = ${number} and feed is not null and number > ${oldest}
          order by number desc limit ${sql.lit(MAX_FEED_EVENTS)}) as one`,
      ),
      sql` union all `,
    );
    const more = await listSeen(db, newest, viewer);
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

/** Deletes the oldest that ended before that time, and returns their number. */
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
