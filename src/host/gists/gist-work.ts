// Due work after changes of gists: removes the folders of deleted ones and the gists of removed members, and records writes whose server has died.
import { waitForBackups } from '../../kernel/backup/hold-blobs.ts';
import type { Subscriber } from '../../kernel/change/changes.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Module } from '../../kernel/http/module.ts';
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { findAccount, type TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import { type DueHandler, DUE } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { endWithAccount, removedMemberIn } from '../ended-accounts.ts';
import { GIST_CHANNEL } from './access.ts';
import { DELETE_GIST, scheduleGistDeletion } from './change-gist.ts';
import { RECORD_GIST, recordGistHandler, auditedGist, gistChange } from './record-change.ts';
import { gistStarRemovalStatements } from './store-stars.ts';
import {
  DELETE_GISTS_OF,
  gistRemovalStatement,
  deleteGistRow,
  isGistDeleted,
  listSomeGistNumbersOf,
  lockGist,
  markGistDeleted,
  updateGistOwner,
} from './store.ts';

/** How often folders are looked for that a crash has left half made. The times of files are those of the system. */
const SWEEP_MS = 60 * 60 * 1000;

export function gistWork(kernel: Kernel): BackgroundWork {
  const { db, services } = kernel;
  return {
    recurring: [
      { kind: 'host.sweep-gists', everyMs: SWEEP_MS, run: () => services.gistGit.sweep(systemClock.now()) },
    ],
    handlers: {
      [DELETE_GIST]: waitForBackups(kernel)(async ({ payload }) => {
        const { number } = JSON.parse(payload) as { number: number };
        if (!(await isGistDeleted(db, number))) return;
        await services.gistGit.removeRepository(number);
        await deleteGistRow(db, number);
      }),
      [DELETE_GISTS_OF]: removeGistsOfHandler(kernel),
      [RECORD_GIST]: recordGistHandler(kernel),
    },
  };
}

const AT_ONCE = 20;

/** Some in each transaction, because there may be many. After a crash it goes on with those that are left. */
function removeGistsOfHandler({ db, changes, clock }: Kernel): DueHandler {
  return async ({ payload }) => {
    const { ownerId } = JSON.parse(payload) as { ownerId: string };
    if ((await findAccount(db, { id: ownerId })) !== undefined) return;
    for (;;) {
      const numbers = await listSomeGistNumbersOf(db, ownerId, AT_ONCE);
      if (numbers.length === 0) return;
      const now = clock.now();
      await changes.run(systemActor({ now, id: DELETE_GISTS_OF }), async (tx) => {
        // In one order for all, so that two transactions do not wait for each other.
        for (const number of numbers.toSorted((a, b) => a - b)) {
          const gist = await lockGist(tx.db, number);
          if (gist === undefined || gist.ownerId !== ownerId) continue;
          await markGistDeleted(tx.db, number, now);
          await scheduleGistDeletion(tx.db, number, now, now);
          const owner = { login: `removed-${ownerId}` };
          tx.record({ ...gistChange('deleteGist', 'deleted', { gist, owner }), before: auditedGist(gist) });
        }
      });
    }
  };
}

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

/** What becomes of the gists and stars of an account that ends. */
export const gistsOfEndedAccounts: Pick<Module, 'transferOwnership' | 'subscribers'> = {
  transferOwnership,
  subscribers: () => [...stars.subscribers(), gistsOfRemovedMembers],
};
