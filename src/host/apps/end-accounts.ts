// What becomes of apps and installations when an account ends: its apps get another owner, what is installed on it is removed.
import type { Module } from '../../kernel/http/module.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { ownerOfAccount, type RepositoryOwner } from '../owners/model.ts';
import { removeApp } from './remove-app.ts';
import { removedMemberIn } from '../ended-accounts.ts';
import { removeInstallationsOn } from './leave-installations.ts';
import { appOwnerStatement, listAppsOf } from './store.ts';

/** Apps that are read in one round. */
const BATCH = 100;

/** In the transaction that deletes an organization: with the apps that it owns, and what is installed on it. */
export async function removeAppsOfOrganization(
  tx: ChangeTransaction,
  organization: RepositoryOwner,
): Promise<void> {
  // Deleting the organization was authorized, and this follows from it.
  const consequence = tx.as(systemActor(tx.actor));
  await removeInstallationsOn(tx, organization);
  for (;;) {
    const some = await listAppsOf(tx.db, organization.id, { offset: 0, limit: BATCH });
    for (const app of some) await removeApp(consequence, app);
    if (some.length < BATCH) return;
  }
}

export const endAppAccounts: Required<Pick<Module, 'transferOwnership' | 'endMember' | 'subscribers'>> = {
  async transferOwnership(tx, from, to) {
    await executeAll(tx.db, [appOwnerStatement(tx.db, from.id, to.id)]);
    await removeInstallationsOn(tx, ownerOfAccount(from));
  },
  async endMember(tx, member) {
    await removeInstallationsOn(tx, ownerOfAccount(member));
  },
  subscribers: () => [
    {
      channel: IDENTITY,
      statementsFor: (db, entries) =>
        entries.flatMap((entry) => {
          const [id, heir] = [removedMemberIn(entry), entry.who.member?._id];
          return id === undefined || heir === undefined ? [] : [appOwnerStatement(db, id, heir)];
        }),
    },
  ],
};
