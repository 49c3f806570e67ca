// What becomes of apps and installations when an account ends: its apps get another owner, what is installed on it is removed.
import type { Part } from '../../kernel/part.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import { systemActor } from '../../kernel/change/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { removeApp } from './create-app.ts';
import { removedMemberIn } from '../ended-accounts.ts';
import { appOwnerStatement, listAppsOf } from './store.ts';
import { accountInstallationStatements } from './store-installations.ts';

/** In the transaction that deletes an organization: with the apps that it owns, and what is installed on it. */
export async function removeAppsOfOrganization(on: ChangeTransaction, organizationId: string): Promise<void> {
  // Deleting the organization was authorized, and this follows from it.
  const consequence = on.as(systemActor(on.actor));
  for (const app of await listAppsOf(on.db, organizationId)) await removeApp(consequence, app);
  await executeAll(on.db, accountInstallationStatements(on.db, organizationId));
  await on.invalidate(IDENTITY);
}

export const endAppAccounts: Required<Pick<Part, 'handOver' | 'subscribers'>> = {
  async handOver(on, from, to) {
    const { db } = on;
    await executeAll(db, [
      appOwnerStatement(db, from.id, to.id),
      ...accountInstallationStatements(db, from.id),
    ]);
    await on.invalidate(IDENTITY);
  },
  subscribers: () => [
    {
      channel: IDENTITY,
      statementsFor: (db, entries) =>
        entries.flatMap((entry) => {
          const id = removedMemberIn(entry);
          if (id === undefined) return [];
          const heir = entry.who.member?._id;
          return [
            ...(heir === undefined ? [] : [appOwnerStatement(db, id, heir)]),
            ...accountInstallationStatements(db, id),
          ];
        }),
    },
  ],
};
