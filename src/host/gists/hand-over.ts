// What becomes of the gists and stars of an account that ends.
import type { Subscriber } from '../../kernel/change/changes.ts';
import { DUE } from '../../kernel/jobs/due-store.ts';
import type { HandOver } from '../../kernel/identity/store-accounts.ts';
import type { Part } from '../../kernel/module.ts';
import { endWithAccount, removedMemberIn } from '../ended-accounts.ts';
import { GIST_CHANNEL } from './access.ts';
import { updateGistOwner } from './store.ts';
import { gistStarRemovalStatements } from './store-stars.ts';
import { gistRemovalStatement } from './store-writes.ts';

const stars = endWithAccount(GIST_CHANNEL, gistStarRemovalStatements);

/** Everything that a deleted account owns goes to another. */
const handOver: HandOver = async (on, from, to) => {
  await stars.handOver(on, from, to);
  await updateGistOwner(on.db, from.id, to.id);
  await on.invalidate(GIST_CHANNEL);
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

export const gistsOfEndedAccounts: Pick<Part, 'handOver' | 'subscribers'> = {
  handOver,
  subscribers: () => [...stars.subscribers(), gistsOfRemovedMembers],
};
