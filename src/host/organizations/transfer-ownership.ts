// Ends the memberships of accounts that are deleted. An organization that would lose its last admin gets another one.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { Subscriber } from '../../kernel/change/changes.ts';
import type { TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import { removedMemberIn } from '../ended-accounts.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { membershipChange, recordMembership } from './audit.ts';
import { findOrganization, lockOrganization } from './store.ts';
import {
  deleteCollaborations,
  deleteMembership,
  findMembership,
  hasOtherAdmin,
  listOrganizationIdsOf,
  saveMembership,
  removedAccountStatements,
} from './store-members.ts';

export const transferMemberships: TransferOwnership = async (tx, from, to) => {
  // Removing the account was authorized, and what follows from it needs no permission of its own.
  const transfer = tx.as(systemActor(tx.actor));
  const { db, actor } = transfer;
  for (const id of await listOrganizationIdsOf(db, from.id)) {
    await lockOrganization(db, id);
    const organization = await findOrganization(db, { id });
    const before = await findMembership(db, id, from.id);
    if (organization === undefined || before === undefined) continue;
    if (before.role === 'admin' && !(await hasOtherAdmin(db, id, from.id))) {
      const known = await findMembership(db, id, to.id);
      const after = await saveMembership(db, id, { accountId: to.id, role: 'admin' }, actor.now);
      const verb = `made an admin instead of ${from.username}`;
      transfer.record(membershipChange({ organization, username: to.username, verb, before: known, after }));
      if (known === undefined)
        await recordMembership(transfer, organization, {
          account: to,
          role: 'admin',
          action: 'member_added',
        });
    }
    await deleteMembership(db, id, from.id);
    transfer.record(
      membershipChange({ organization, username: from.username, verb: 'ended the membership of', before }),
    );
    const { role } = before;
    await recordMembership(transfer, organization, { account: from, role, action: 'member_removed' });
  }
  await deleteCollaborations(db, from.id);
  await transfer.invalidate(REPOSITORY_CHANNEL);
};

/** Who removes the last admin becomes one. */
export const removedMembers: Subscriber = {
  channel: REPOSITORY_CHANNEL,
  statementsFor: (db, entries) =>
    entries.flatMap((entry) => {
      const accountId = removedMemberIn(entry);
      const heirId = entry.who.member?._id;
      return accountId === undefined ? [] : removedAccountStatements(db, accountId, heirId, entry.at);
    }),
};
