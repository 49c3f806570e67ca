// Records what happens to installations, in the transaction of the change, for the webhooks of their apps.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { HostApp, Installation } from '../apps/app.ts';
import { heldRights } from '../apps/rights.ts';
import { ownerOfAccount, type RepositoryOwner } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import type { HostEvent, InstallationInEvent } from './model.ts';
import { scheduleQueue, type EventTransaction } from './record-event.ts';
import { insertEvents } from './store.ts';

/** More repositories are not named: an app can list them. */
const MAX_NAMED = 100;

export interface InstallationHappening {
  name: 'installation' | 'installation_repositories';
  action: string;
  /** The numbers of the repositories that it names. */
  repositories: readonly number[];
}

/** Nothing is recorded where the app has no webhook. The account must be given where it may be gone already. */
export async function recordInstallationEvents(
  { db: tx, actor }: EventTransaction,
  app: HostApp,
  installation: Installation,
  happenings: readonly InstallationHappening[],
  ended?: RepositoryOwner,
): Promise<void> {
  if (app.hook.url === null || happenings.length === 0) return;
  const { accountId, suspendedBy } = installation;
  const owners = await listOwners(tx, [accountId, ...(suspendedBy === null ? [] : [suspendedBy])]);
  const account = ended ?? owners.get(accountId);
  if (account === undefined) return;
  const events: HostEvent[] = [];
  for (const { name, action, repositories: numbers } of happenings) {
    const found = await listRepositoriesByNumber(tx, numbers.slice(0, MAX_NAMED));
    const details: InstallationInEvent = {
      app: { number: app.number, slug: app.slug, clientId: app.clientId },
      installation: { ...installation, ...heldRights(app, installation) },
      account,
      suspendedBy: suspendedBy === null ? null : (owners.get(suspendedBy) ?? null),
      repositories: [...found.values()].map(({ number, name: repository, isPrivate }) => ({
        number,
        name: repository,
        isPrivate,
      })),
    };
    events.push({ name, action, details: { ...details } });
  }
  const actorAccount = actor.caller && accountOf(actor.caller);
  await scheduleQueue(tx, { app: app.number }, actor.now);
  await insertEvents(tx, {
    events,
    at: actor.now,
    actorId: actorAccount?.id,
    snapshot: { sender: actorAccount === undefined ? account : ownerOfAccount(actorAccount) },
    appNumber: app.number,
  });
}
