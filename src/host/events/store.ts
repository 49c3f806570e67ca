// Events in the database.
import type { Selectable } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import { feedEntryOf } from './feed-entry.ts';
import type { EventSnapshot, HostEvent, HostEventName, RecordedEvent } from './model.ts';
import { insertIntoFeeds } from './store-feeds.ts';
import type { HostEventRow } from './tables.ts';

export interface NewEvent {
  event: HostEvent;
  at: number;
  actorId: string | undefined;
  snapshot: EventSnapshot;
}

/** The caller has scheduled the work of its queue before, in the same transaction. */
export async function insertEvent(tx: Db, { event, at, actorId, snapshot }: NewEvent): Promise<void> {
  const { repository: found, organization } = snapshot;
  const feed = found && feedEntryOf(event, found.repository);
  const { number } = await tx
    .insertInto('host_events')
    .values({
      at,
      name: event.name,
      action: event.action ?? null,
      actor_id: actorId ?? null,
      repository_number: found?.repository.number ?? null,
      organization_id: organization?.id ?? null,
      is_public: found !== undefined && !found.repository.isPrivate ? 1 : 0,
      feed: feed === undefined ? null : JSON.stringify(feed),
      details: JSON.stringify(event.details),
      snapshot: JSON.stringify(snapshot),
    })
    .returning('number')
    .executeTakeFirstOrThrow();
  if (found === undefined || feed === undefined) return;
  await insertIntoFeeds(tx, number, {
    repository: found.repository,
    ...(organization && { organizationId: organization.id }),
    ...(actorId !== undefined && { actorId }),
  });
}

/** The events that webhooks are told of in order: those of a repository, or those of an organization without one. */
export type EventQueue = { repository: number } | { organization: string };

/** Those after a number, the oldest first. */
export async function listQueuedEvents(
  db: Db,
  queue: EventQueue,
  after: number,
  limit: number,
): Promise<RecordedEvent[]> {
  const rows = await db
    .selectFrom('host_events')
    .selectAll()
    .where((eb) =>
      'repository' in queue
        ? eb('repository_number', '=', queue.repository)
        : eb.and([eb('organization_id', '=', queue.organization), eb('repository_number', 'is', null)]),
    )
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(eventFrom);
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
