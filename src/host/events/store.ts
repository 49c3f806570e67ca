// Events in the database.
import type { Selectable } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { feedEntryOf } from './feed-entry.ts';
import type { EventSnapshot, HostEvent, HostEventName, RecordedEvent } from './model.ts';
import { insertIntoFeeds } from './store-feeds.ts';
import type { HostEventRow } from './tables.ts';

export interface NewEvents {
  events: readonly HostEvent[];
  at: number;
  actorId: string | undefined;
  snapshot: EventSnapshot;
  /** The app, of events of its installations. */
  appNumber?: number;
}

/** Rows of one statement: those of pushes may be long. */
const AT_ONCE = 50;

/** In this order. The caller has scheduled the work of their queue before, in the same transaction. */
export async function insertEvents(
  tx: Db,
  { events, at, actorId, snapshot, appNumber }: NewEvents,
): Promise<void> {
  const { repository: found, organization } = snapshot;
  const common = {
    at,
    actor_id: actorId ?? null,
    repository_number: found?.repository.number ?? null,
    organization_id: organization?.id ?? null,
    app_number: appNumber ?? null,
    is_public: found !== undefined && !found.repository.isPrivate ? 1 : 0,
    snapshot: JSON.stringify(snapshot),
  };
  for (const some of chunk(events, AT_ONCE)) {
    const feeds = some.map((event) => found && feedEntryOf(event, found.repository));
    const inserted = await tx
      .insertInto('host_events')
      .values(
        some.map((event, index) => ({
          ...common,
          name: event.name,
          action: event.action ?? null,
          feed: feeds[index] === undefined ? null : JSON.stringify(feeds[index]),
          details: JSON.stringify(event.details),
        })),
      )
      .returning('number')
      .execute();
    if (found === undefined) continue;
    // They are numbered in the order of the rows, but may be returned in another.
    const numbers = inserted.map(({ number }) => number).toSorted((one, other) => one - other);
    const shown = numbers.filter((_, index) => feeds[index] !== undefined);
    await insertIntoFeeds(tx, shown, {
      repository: found.repository,
      ...(organization && { organizationId: organization.id }),
      ...(actorId !== undefined && { actorId }),
    });
  }
}

/**
 * Events that webhooks receive in order: those of a repository, those of an organization without one, or those of the
 * installations of an app.
 */
export type EventQueue = { repository: number } | { organization: string } | { app: number };

/** Those after a number, the oldest first. */
export async function listQueuedEvents(
  db: Db,
  queue: EventQueue,
  after: number,
  limit: number,
): Promise<RecordedEvent[]> {
  const rows = await selectQueued(db, queue, after, limit).selectAll().execute();
  return rows.map(eventFrom);
}

/** What decides which webhooks receive an event. */
export interface EventToDeliver {
  number: number;
  at: number;
  name: string;
  organizationId: string | null;
}

/** The same without their details, which may be long. */
export async function listEventsToDeliver(
  db: Db,
  queue: EventQueue,
  after: number,
  limit: number,
): Promise<EventToDeliver[]> {
  const rows = await selectQueued(db, queue, after, limit)
    .select(['number', 'at', 'name', 'organization_id'])
    .execute();
  return rows.map(({ organization_id: organizationId, ...event }) => ({ ...event, organizationId }));
}

function selectQueued(db: Db, queue: EventQueue, after: number, limit: number) {
  return db
    .selectFrom('host_events')
    .where((eb) => {
      if ('app' in queue) return eb('app_number', '=', queue.app);
      return 'repository' in queue
        ? eb('repository_number', '=', queue.repository)
        : eb.and([eb('organization_id', '=', queue.organization), eb('repository_number', 'is', null)]);
    })
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit);
}

function eventFrom(row: Selectable<HostEventRow>): RecordedEvent {
  return {
    number: row.number,
    at: row.at,
    name: row.name as HostEventName,
    ...(row.action !== null && { action: row.action }),
    details: JSON.parse(row.details) as Record<string, unknown>,
    isPublic: row.is_public === 1,
    snapshot: JSON.parse(row.snapshot) as EventSnapshot,
  };
}
