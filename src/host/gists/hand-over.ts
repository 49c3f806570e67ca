// What becomes of the gists and stars of an account that ends.
import type { HandOver } from '../../kernel/identity/store-accounts.ts';
import { endWithAccount } from '../ended-accounts.ts';
import { GIST_CHANNEL } from './access.ts';
import { updateGistOwner } from './store.ts';
import { gistStarRemovalStatements } from './store-stars.ts';

const stars = endWithAccount(GIST_CHANNEL, gistStarRemovalStatements);

/** Everything that a deleted account owns goes to another. */
const handOver: HandOver = async (on, from, to) => {
  await stars.handOver(on, from, to);
  await updateGistOwner(on.db, from.id, to.id);
  await on.invalidate(GIST_CHANNEL);
};

export const gistsOfEndedAccounts = { ...stars, handOver };
