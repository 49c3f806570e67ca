// Webhooks of apps that are installed on the owner of what happened, and which events they receive.
import type { Db } from '../../kernel/storage/tables.ts';
import { heldEvents } from '../apps/permissions.ts';
import { listAppsByNumber } from '../apps/store.ts';
import type { EventToDeliver } from '../events/store.ts';
import { hookOfApp } from './app-hook.ts';
import { isEventOf } from './event-names.ts';
import type { Hook } from './hook.ts';
import { listListeningInstallations, type ListeningInstallation } from './store-installed.ts';

export interface InstalledHook extends Omit<ListeningInstallation, 'number' | 'appNumber'> {
  hook: Hook;
  /** The number of the installation. */
  installation: number;
}

/** Those that are on. Where no app is installed, this is one query that finds nothing. */
export async function listInstalledHooks(
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
    const events = heldEvents(app, installation);
    return hook.isActive ? [{ ...installation, events, hook, installation: number }] : [];
  });
}

/** Nothing of what happened before the app was installed, and nothing of what another account owned then. */
export function hearsAsInstalled(
  { events, accountId, isOrganization, createdAt }: InstalledHook,
  { name, at, organizationId }: EventToDeliver,
): boolean {
  if (at < createdAt || !events.includes(name) || !isEventOf('integration', name)) return false;
  return organizationId === null ? !isOrganization : accountId === organizationId;
}
