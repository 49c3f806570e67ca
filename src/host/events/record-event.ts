// Records what happened, in the transaction of the change: for feeds, and for the work that delivers to webhooks.
import { schedule } from '../../kernel/jobs/due-store.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { ownerOfOrganization, type Organization } from '../organizations/model.ts';
import { findOrganization } from '../organizations/store.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { EventPlace, HostEvent } from './model.ts';
import { insertEvents, type EventQueue } from './store.ts';

/** The due work that delivers events to webhooks; its payload is an `EventQueue` as JSON. */
export const DELIVER_EVENTS = 'host.deliver-events';

/** The transaction of a change, and who makes it. */
export interface EventTransaction {
  db: Db;
  actor: { now: number; caller?: KnownCaller };
}

/** Writes the event, and the due work that delivers it to webhooks, in the transaction of the change. */
export async function recordEvent(tx: EventTransaction, event: HostEvent, place: EventPlace): Promise<void> {
  await recordEvents(tx, [event], place);
}

/** The same for several events of one place, in this order. */
export async function recordEvents(
  tx: EventTransaction,
  events: readonly HostEvent[],
  place: EventPlace,
): Promise<void> {
  if (events.length === 0) return;
  const { db, actor } = tx;
  const found = place.found && (await withCurrentOwner(db, place.found));
  const organization = place.organization ?? (await readOrganization(db, found));
  const account = actor.caller && accountOf(actor.caller);
  const sender =
    (account && ownerOfAccount(account)) ??
    found?.owner ??
    (organization && ownerOfOrganization(organization));
  if (sender === undefined)
    throw new Error(`The event ${events[0]!.name} has neither a repository nor an organization.`);
  // First, as its row stays locked until the commit: in one queue, numbers grow in the order of the commits.
  await scheduleQueue(
    db,
    found ? { repository: found.repository.number } : { organization: organization!.id },
    actor.now,
  );
  await insertEvents(db, {
    events,
    at: actor.now,
    actorId: account?.id,
    snapshot: { ...(found && { repository: found }), ...(organization && { organization }), sender },
  });
}

/** A cached owner may be the one before a transfer. */
async function withCurrentOwner(tx: Db, found: FoundRepository): Promise<FoundRepository> {
  const { repository, owner } = found;
  if (repository.ownerId === owner.id) return found;
  const current = (await listOwners(tx, [repository.ownerId])).get(repository.ownerId);
  return { repository, owner: current ?? owner };
}

async function readOrganization(
  tx: Db,
  found: FoundRepository | undefined,
): Promise<Organization | undefined> {
  if (found?.owner.type !== 'Organization') return undefined;
  return await findOrganization(tx, { id: found.owner.id });
}

/** Before the events are inserted: its row is locked until the commit. */
export async function scheduleQueue(tx: Db, queue: EventQueue, now: number): Promise<void> {
  const [[kind, name]] = Object.entries(queue) as [[string, string | number]];
  const id = `${DELIVER_EVENTS}:${kind}/${name}`;
  await schedule(tx, { id, kind: DELIVER_EVENTS, payload: JSON.stringify(queue), dueAt: now }, now, 'move');
}
