// Prepares apps and installations for replies: who knows of them, and their owners and accounts.
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listOwners } from '../owners/store.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import { listAccountMemberships } from '../repositories/store-lists.ts';
import type { HostApp, Installation } from './app.ts';
import { appNotFound } from './change-app.ts';
import { installationNotFound } from './change-installation.ts';
import { toInstallation, toIntegration, type InstallationReply, type AppIntegration } from './model.ts';
import { heldRights } from './permissions.ts';
import { countInstallationsOf } from './store-installations.ts';
import { listAppsByNumber } from './store.ts';

/** The owner of an app may be gone for a moment; its bot then stands for it, and is gone with the app. */
export async function showApp(
  db: Db,
  app: HostApp,
  base: string,
  { isCounted }: { isCounted: boolean },
): Promise<Static<typeof AppIntegration>> {
  const owners = await listOwners(db, [app.ownerId, app.botId]);
  const owner = owners.get(app.ownerId) ?? owners.get(app.botId);
  if (owner === undefined) throw appNotFound();
  return toIntegration(app, owner, base, isCounted ? await countInstallationsOf(db, app.number) : undefined);
}

/** Those whose app or account is gone meanwhile are left out. */
export async function showInstallations(
  db: Db,
  installations: readonly Installation[],
  base: string,
): Promise<Static<typeof InstallationReply>[]> {
  if (installations.length === 0) return [];
  const ids = installations.flatMap(({ accountId, suspendedBy }) => [accountId, suspendedBy ?? []].flat());
  const numbers = [...new Set(installations.map(({ appNumber }) => appNumber))];
  const [owners, apps] = await Promise.all([listOwners(db, ids), listAppsByNumber(db, numbers)]);
  return installations.flatMap((installation) => {
    const [app, account] = [apps.get(installation.appNumber), owners.get(installation.accountId)];
    if (app === undefined || account === undefined) return [];
    const suspendedBy = owners.get(installation.suspendedBy ?? '') ?? null;
    const held = { ...installation, ...heldRights(app, installation) };
    return toInstallation(held, { app, account, suspendedBy }, base);
  });
}

export async function showInstallation(
  db: Db,
  installation: Installation,
  base: string,
): Promise<Static<typeof InstallationReply>> {
  const [shown] = await showInstallations(db, [installation], base);
  if (shown === undefined) throw installationNotFound();
  return shown;
}

/** Its owner, the members of the organization that owns it, the app itself, and administrators. */
export async function knowsApp(db: Db, caller: Caller | undefined, app: HostApp): Promise<boolean> {
  if (app.isPublic) return true;
  if (caller === undefined || caller.kind === 'anonymous') return false;
  const { id } = accountOf(caller);
  if (id === app.ownerId || id === app.botId || administersHost(caller)) return true;
  return (await listAccountMemberships(db, id)).some(({ organizationId }) => organizationId === app.ownerId);
}
