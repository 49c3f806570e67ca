// What becomes of the gists and stars of an account that ends.
import type { Subscriber } from '../../kernel/change/changes.ts';
import { DUE } from '../../kernel/jobs/due-store.ts';
import type { TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import type { Module } from '../../kernel/http/module.ts';
import { endWithAccount, removedMemberIn } from '../ended-accounts.ts';
import { GIST_CHANNEL } from './access.ts';
import { updateGistOwner } from './store.ts';
import { gistStarRemovalStatements } from './store-stars.ts';
import { gistRemovalStatement } from './store-writes.ts';

const stars = endWithAccount(GIST_CHANNEL, gistStarRemovalStatements);

/** Everything that a deleted account owns goes to another. */
const transferOwnership: TransferOwnership = async (tx, from, to) => {
  await stars.transferOwnership(tx, from, to);
  await updateGistOwner(tx.db, from.id, to.id);
  await tx.invalidate(GIST_CHANNEL);
};

/** The gists of a removed member are found by nobody at once, and removed in the background. */
const gistsOfRemovedMembers: Subscriber = {
  channel: DUE,
  statementsFor: (db, entries) =>
    entries.flatMap((entry) => {
      const id = removedMemberIn(entry);
      return id === undefined ? [] : [gistRemovalStatement(db, id, entry.at)];
    }),
};

export const gistsOfEndedAccounts: Pick<Module, 'transferOwnership' | 'subscribers'> = {
  transferOwnership,
  subscribers: () => [...stars.subscribers(), gistsOfRemovedMembers],
};
