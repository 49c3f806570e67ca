// Installations that end with their account, and repositories that leave them when they are deleted or get another owner.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { namedRepositories } from './change-installation.ts';
import { recordInstallation } from './record-installation.ts';
import { listAppsByNumber } from './store.ts';
import {
  accountInstallationStatements,
  listInstallationsOn,
  lockInstallation,
  updateInstallation,
} from './store-installations.ts';
import { deleteRepositoryFromInstallations, listReachedNumbers } from './store-reach.ts';

/** Installations that are read in one round. */
const BATCH = 100;

/** In the transaction in which the account ends: they are gone with it. */
export async function removeInstallationsOn(tx: ChangeTransaction, account: RepositoryOwner): Promise<void> {
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
