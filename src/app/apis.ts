// The APIs, and what all of them contribute to one server: migrations, roles, subscribers, and what follows the end of an account.
import { actorsApi } from '../actors/api.ts';
import { flagsApi } from '../flags/api.ts';
import { hostApi } from '../host/api.ts';
import { signalboxApi } from '../signalbox/api.ts';
import { Changes } from '../kernel/change/changes.ts';
import { backupMigrations } from '../kernel/backup/backup-store.ts';
import { eventMigrations, updateEntryOwner } from '../kernel/change/store.ts';
import type { Api } from '../kernel/http/protocol.ts';
import { compileBaseRoles } from '../kernel/identity/role-policies.ts';
import type { EndMember, TransferOwnership } from '../kernel/identity/store-accounts.ts';
import { identityMigrations } from '../kernel/identity/tables.ts';
import { dueMigrations } from '../kernel/jobs/due-store.ts';
import { limitMigrations } from '../kernel/limits/store.ts';
import { keyringMigrations, secretKeyMigrations } from '../kernel/secrets/store-keyring.ts';
import type { Engine } from '../kernel/storage/engine.ts';
import type { Migration } from '../kernel/storage/migrate.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { versionUsageMigrations } from '../kernel/versions/usage/tables.ts';
import { webhookMigrations } from '../kernel/webhooks/tables.ts';
import { RELEASE } from './release.ts';
import releasedMigrations from './released-migrations.json' with { type: 'json' };

export const apis: readonly Api[] = [flagsApi, actorsApi, hostApi, signalboxApi];

/** What is in no released list comes with this release. */
const releases = new Map(
  Object.entries(releasedMigrations).flatMap(([release, names]) => names.map((name) => [name, release])),
);

/** In the order of application. */
export const migrations: Migration[] = [
  ...identityMigrations,
  ...eventMigrations,
  ...limitMigrations,
  ...dueMigrations,
  ...webhookMigrations,
  ...secretKeyMigrations,
  ...versionUsageMigrations,
  ...backupMigrations,
  ...keyringMigrations,
  ...apis.flatMap((api) => api.migrations ?? []),
].map((migration) => ({ ...migration, release: releases.get(migration.name) ?? RELEASE }));

/** With the statements of the kernel and all APIs. */
export const baseRoles = compileBaseRoles(apis.flatMap((api) => api.roleStatements ?? []));

/** Transfers the resources of a deleted account to another, in every API. */
export const transferOwnership: TransferOwnership = async (tx, from, to) => {
  for (const api of apis) await api.transferOwnership?.(tx, from, to);
  await updateEntryOwner(tx.db, { ownerId: from.id }, to.id);
};

/** Ends what must not outlive a removed member, in every API. */
export const endMember: EndMember = async (tx, member) => {
  for (const api of apis) await api.endMember?.(tx, member);
};

export async function auditedAccounts(db: Db, accountId: string): Promise<string[]> {
  const found: string[] = [];
  for (const api of apis) found.push(...((await api.auditedAccounts?.(db, accountId)) ?? []));
  return found;
}

/** For every process that changes the database: a server, or a command beside it. */
export function changesOn(engine: Engine): Changes {
  return new Changes(
    engine,
    apis.flatMap((api) => api.subscribers?.() ?? []),
  );
}
