// Due work that delivers events to webhooks: it reads those after the cursor of a queue, and enqueues a delivery for each hook that
// asks for them. The deliveries and the cursor share a transaction: after a crash nothing is lost, and nothing is delivered twice.
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import { newCallId } from '../../kernel/id.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { mayHear } from '../apps/event-permissions.ts';
import { heldRights, type AppPermissions } from '../apps/permissions.ts';
import { listAppsByNumber } from '../apps/store.ts';
import type { InstallationInEvent, RecordedEvent } from '../events/model.ts';
import {
  listEventsToDeliver,
  listQueuedEvents,
  type EventQueue,
  type EventToDeliver,
} from '../events/store.ts';
import { enqueueHookDeliveries } from './deliveries.ts';
import { findAppHook, hookOfApp, listActiveHooks } from './store.ts';
import { isEventOf, asksFor, type Hook } from './hook.ts';
import { buildPayload, installationInPayload } from './payloads/build-payload.ts';
import { readSurroundings } from './payloads/status-members.ts';
import {
  advanceHookCursor,
  findHookCursor,
  listListeningInstallations,
  type ListeningInstallation,
} from './store-deliver-events.ts';

/** Events that are read together. */
const BATCH_SIZE = 100;
/** What is recorded is cut to less; a longer payload would hold up other work. */
const MAX_PAYLOAD_LENGTH = 4 * 1024 * 1024;

/** The payload is an `EventQueue` as JSON. An event that is recorded meanwhile makes the work due again. */
export function deliverEvents(kernel: Kernel): DueHandler {
  return async ({ payload }, signal) => {
    const queue = JSON.parse(payload) as EventQueue;
    for (;;) {
      signal.throwIfAborted();
      if (!(await deliverBatch(kernel, queue, signal))) return;
    }
  };
}

/** Whether there may be more. */
async function deliverBatch(kernel: Kernel, queue: EventQueue, signal: AbortSignal): Promise<boolean> {
  const { db } = kernel;
  let cursor = await findHookCursor(db, queue);
  const events = await listEventsToDeliver(db, queue, cursor, BATCH_SIZE);
  if (events.length === 0) return false;
  const listenersOf = 'app' in queue ? await hookOfOwnEvents(db, queue.app) : await others(db, queue, events);
  for (const event of events) {
    const listening = listenersOf(event);
    if (listening.length === 0) continue;
    signal.throwIfAborted();
    if (!(await enqueueEvent(kernel, { queue, cursor, event, listening }))) return true;
    cursor = event.number;
  }
  // One write for all events that nobody asks for.
  const last = events.at(-1)!.number;
  if (cursor !== last) await advanceHookCursor(db, queue, { from: cursor, to: last });
  return events.length === BATCH_SIZE;
}

type ListenersOf = (event: EventToDeliver) => readonly ListeningHook[];

/** An app hears of its installations without asking for it. */
async function hookOfOwnEvents(db: Db, appNumber: number): Promise<ListenersOf> {
  const hook = await findAppHook(db, appNumber);
  const listening = hook?.isActive === true ? [{ hook }] : [];
  return () => listening;
}

/** Hooks of the repository, of its organization, and of apps that are installed on its owner. */
async function others(
  db: Db,
  queue: Exclude<EventQueue, { app: number }>,
  events: readonly EventToDeliver[],
): Promise<ListenersOf> {
  const repository = 'repository' in queue ? queue.repository : undefined;
  const organizations = [...new Set(events.flatMap(({ organizationId }) => organizationId ?? []))].toSorted();
  const [hooks, installed] = await Promise.all([
    listActiveHooks(db, repository, organizations),
    listInstalledHooks(db, repository, organizations),
  ]);
  return (event) => [
    ...hooks.filter((hook) => hears(hook, event)).map((hook) => ({ hook })),
    ...installed.filter((one) => hearsAsInstalled(one, event)),
  ];
}

/** A hook hears nothing of what happened before it was created. */
function hears(hook: Hook, { number, name, organizationId }: EventToDeliver): boolean {
  if (number <= hook.afterEvent || !asksFor(hook, name)) return false;
  return !('organization' in hook.target) || hook.target.organization === organizationId;
}

/** The hook of an app that is installed on the owner of what happened. */
interface InstalledHook extends Omit<ListeningInstallation, 'number' | 'appNumber'> {
  hook: Hook;
  /** The number of the installation. */
  installation: number;
}

/** Those that are on. Where no app is installed, this is one query that finds nothing. */
async function listInstalledHooks(
  db: Db,
  repository: number | undefined,
  organizationIds: readonly string[],
): Promise<InstalledHook[]> {
  const installations = await listListeningInstallations(db, repository, organizationIds);
  if (installations.length === 0) return [];
  const apps = await listAppsByNumber(db, [...new Set(installations.map(({ appNumber }) => appNumber))]);
  return installations.flatMap(({ number, appNumber, ...installation }) => {
    const app = apps.get(appNumber);
    if (app === undefined) return [];
    const hook = hookOfApp(app);
    const rights = heldRights(app, installation);
    return hook.isActive ? [{ ...installation, ...rights, hook, installation: number }] : [];
  });
}

/** Nothing of what happened before the app was installed, and nothing of what another account owned then. */
function hearsAsInstalled(
  { events, accountId, isOrganization, createdAt }: InstalledHook,
  { name, at, organizationId }: EventToDeliver,
): boolean {
  if (at < createdAt || !events.includes(name) || !isEventOf('integration', name)) return false;
  return organizationId === null ? !isOrganization : accountId === organizationId;
}

interface EventForHooks {
  queue: EventQueue;
  cursor: number;
  event: EventToDeliver;
  listening: readonly ListeningHook[];
}

/** A hook that receives an event, and the installation by which it does so. */
interface ListeningHook {
  hook: Hook;
  installation?: number;
  permissions?: AppPermissions;
}

/** False where another process was quicker. */
async function enqueueEvent(
  { db, publicUrl, clock, log }: Kernel,
  { queue, cursor, event: { number }, listening }: EventForHooks,
): Promise<boolean> {
  const [next] = await listQueuedEvents(db, queue, number - 1, 1);
  // Undefined where it was swept meanwhile.
  const event = next?.number === number ? next : undefined;
  const body = event && JSON.stringify(buildPayload(event, publicUrl, await readSurroundings(db, event)));
  const isTooLong = body !== undefined && body.length > MAX_PAYLOAD_LENGTH;
  if (isTooLong) log.warn({ event: number, length: body.length }, 'an event is too long for webhooks');
  const now = clock.now();
  const guid = newCallId();
  return await db.transaction().execute(async (tx) => {
    if (!(await advanceHookCursor(tx, queue, { from: cursor, to: number }))) return false;
    if (event === undefined || body === undefined || isTooLong) return true;
    const own = 'app' in queue ? (event.details as unknown as InstallationInEvent).installation : undefined;
    const allowed = listening.filter(
      ({ permissions }) => permissions === undefined || mayHear(permissions, event),
    );
    const deliveries = allowed.map(({ hook, installation = own?.number }) => ({
      hook,
      guid,
      ownerId: ownerIdOf(event),
      body: installation === undefined || own ? body : withInstallation(body, installation),
      ...(installation !== undefined && { installation }),
      event: event.name,
      action: event.action ?? null,
      repository: event.snapshot.repository?.repository.number ?? null,
      isRedelivery: false,
    }));
    await enqueueHookDeliveries(tx, deliveries, now);
    return true;
  });
}

/** The body is a JSON object: parsing it once more for every app would cost much with long ones. */
function withInstallation(body: string, installation: number): string {
  return `${body.slice(0, -1)},"installation":${JSON.stringify(installationInPayload(installation))}}`;
}

function ownerIdOf({ snapshot: { repository, organization, sender } }: RecordedEvent): string {
  return repository?.owner.id ?? organization?.id ?? sender.id;
}
