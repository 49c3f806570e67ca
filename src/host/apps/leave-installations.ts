// What becomes of apps and installations when their account ends, and of installations when a repository leaves them.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Module } from '../../kernel/http/module.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import { removedMemberIn } from '../ended-accounts.ts';
import { type RepositoryOwner, ownerOfAccount } from '../owners/model.ts';
import { namedRepositories } from './change-installation.ts';
import { recordInstallation } from './record-installation.ts';
import { removeApp } from './remove-app.ts';
import {
  accountInstallationStatements,
  listInstallationsOn,
  lockInstallation,
  updateInstallation,
} from './store-installations.ts';
import { deleteRepositoryFromInstallations, listReachedNumbers } from './store-reach.ts';
import { listAppsByNumber, appOwnerStatement, listAppsOf } from './store.ts';

/** Installations or apps that are read in one round. */
const BATCH = 100;

/** In the transaction in which the account ends: they are gone with it. */
async function removeInstallationsOn(tx: ChangeTransaction, account: RepositoryOwner): Promise<void> {
  for await (const { consequence, app, number } of installationsOn(tx, account)) {
    const installation = await lockInstallation(tx.db, number);
    if (installation === undefined || installation.removedAt !== null) continue;
    const repositories = await namedRepositories(tx.db, installation);
    const event = { action: 'deleted', repositories } as const;
    await recordInstallation(consequence, app, { before: installation }, event, account);
  }
  await executeAll(tx.db, accountInstallationStatements(tx.db, account.id));
  await tx.invalidate(IDENTITY);
}

/** Before the repository is deleted or gets another owner, in the same transaction: the event has its name from before. */
export async function leaveInstallations(
  tx: ChangeTransaction,
  { repository, owner }: { repository: { number: number }; owner: RepositoryOwner },
): Promise<void> {
  const { db, actor } = tx;
  let hasLeft = false;
  for await (const { consequence, app, number } of installationsOn(tx, owner)) {
    const before = await lockInstallation(db, number);
    if (before === undefined || before.removedAt !== null) continue;
    const { accountId, selection } = before;
    const reach = { installation: number, accountId, selection, only: null };
    if (!(await listReachedNumbers(db, reach, [repository.number])).has(repository.number)) continue;
    const after = await updateInstallation(db, before, actor.now);
    const event = { added: [], removed: [repository.number] };
    await recordInstallation(consequence, app, { before, after }, event, owner);
    hasLeft = true;
  }
  await deleteRepositoryFromInstallations(db, repository.number);
  if (hasLeft) await tx.invalidate(IDENTITY);
}

/** With their apps. What happens to them follows from what was authorized. */
async function* installationsOn(tx: ChangeTransaction, { id }: RepositoryOwner) {
  const consequence = tx.as(systemActor(tx.actor));
  for (let offset = 0; ; offset += BATCH) {
    const installations = await listInstallationsOn(tx.db, [id], { offset, limit: BATCH });
    const apps = await listAppsByNumber(
      tx.db,
      installations.map(({ appNumber }) => appNumber),
    );
    for (const { number, appNumber } of installations) {
      const app = apps.get(appNumber);
      if (app !== undefined) yield { consequence, app, number };
    }
    if (installations.length < BATCH) return;
  }
}

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

/** The apps of an account that ends get another owner, and what is installed on it is removed. */
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
