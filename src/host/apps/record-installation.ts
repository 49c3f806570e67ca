// What is recorded when an installation changes: the audit entry, and the event that the app's webhook receives.
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { recordInstallationEvents, type InstallationHappening } from '../events/record-installation-event.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { appResource, type HostApp, type Installation } from './app.ts';

export type InstallationAction = 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted';

/** Of the event `installation`, or with repositories of `installation_repositories`. */
export type InstallationEvent =
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
