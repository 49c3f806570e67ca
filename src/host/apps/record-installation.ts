// What is recorded when an installation changes: the audit entry, and the event that the app's webhook receives.
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { HostEvent, InstallationInEvent } from '../events/model.ts';
import { scheduleQueue, type EventTransaction } from '../events/record-event.ts';
import { insertEvents } from '../events/store.ts';
import { type RepositoryOwner, ownerOfAccount } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { appResource, type HostApp, type Installation } from './app.ts';
import { heldRights } from './permissions.ts';

type InstallationAction = 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted';

/** Of the event `installation`, or with repositories of `installation_repositories`. */
type InstallationEvent =
  | { action: InstallationAction; repositories: readonly number[] }
  | { added: readonly number[]; removed: readonly number[] };

/** Called once for every change, in its transaction. The account is given where it may be gone already. */
export async function recordInstallation(
  tx: ChangeTransaction,
  app: HostApp,
  { before, after }: { before?: Installation; after?: Installation },
  event: InstallationEvent,
  account?: RepositoryOwner,
): Promise<void> {
  const installation = (after ?? before)!;
  tx.record({
    ...installationChange(app, installation, VERBS['action' in event ? event.action : 'repositories']),
    ...(before && { before: auditedInstallation(before) }),
    ...(after && {
      after: {
        ...auditedInstallation(after),
        ...('added' in event && { added: event.added, removed: event.removed }),
      },
    }),
  });
  await recordInstallationEvents(tx, app, installation, happeningsOf(event), account);
}

/** Of one that ends with its app: nobody hears of it. */
export function recordUninstalled(
  tx: Pick<ChangeTransaction, 'record'>,
  app: Pick<HostApp, 'slug'>,
  installation: Installation,
): void {
  const before = auditedInstallation(installation);
  tx.record({ ...installationChange(app, installation, VERBS.deleted), before });
}

/** Where the selection became all or began anew, no repository may be named. */
function happeningsOf(event: InstallationEvent): InstallationHappening[] {
  if ('action' in event) return [{ name: 'installation', ...event }];
  const { added, removed } = event;
  const name = 'installation_repositories';
  return [
    ...(added.length > 0 || removed.length === 0
      ? [{ name, action: 'added', repositories: added } as const]
      : []),
    ...(removed.length > 0 ? [{ name, action: 'removed', repositories: removed } as const] : []),
  ];
}

const VERBS = {
  created: 'installed the app',
  deleted: 'uninstalled the app',
  suspend: 'suspended the app',
  unsuspend: 'unsuspended the app',
  new_permissions_accepted: 'agreed to what the app asks for',
  repositories: 'changed the repositories of the app',
} as const;

function installationChange(
  app: Pick<HostApp, 'slug'>,
  { number, accountId }: Installation,
  verb: string,
): Change {
  return {
    accesses: [{ action: 'updateInstallation', resource: `${appResource(app)}:installation/${number}` }],
    kind: 'installation',
    name: app.slug,
    verb,
    ownerId: accountId,
  };
}

function auditedInstallation({
  number,
  accountId,
  selection,
  permissions,
  events,
  suspendedAt,
}: Installation) {
  return {
    id: number,
    account: accountId,
    repositorySelection: selection,
    permissions,
    events,
    suspended: suspendedAt !== null,
  };
}

/** More repositories are not named: an app can list them. */
const MAX_NAMED = 100;

interface InstallationHappening {
  name: 'installation' | 'installation_repositories';
  action: string;
  /** The numbers of the repositories that it names. */
  repositories: readonly number[];
}

/** Nothing is recorded where the app has no webhook. The account must be given where it may be gone already. */
async function recordInstallationEvents(
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
