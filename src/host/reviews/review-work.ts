// Due work of reviews: owners of changed files are asked for them, and accounts that end leave none that is pending and are not waited for.
import type { Subscriber } from '../../kernel/change/changes.ts';
import type { Module } from '../../kernel/http/module.ts';
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { findAccount, type TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import { DUE } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import { removedMemberIn } from '../ended-accounts.ts';
import { readRepositories } from '../issues/issue-work.ts';
import { listIssuesById } from '../issues/store.ts';
import { REQUEST_OWNERS } from '../pulls/schedule-work.ts';
import { removeReviewers } from './change-requests.ts';
import { deletePending } from './change-review.ts';
import { requestOwners } from './request-owners.ts';
import { END_REVIEWS, endingStatement, listSomeRequested } from './store-requests.ts';
import { listSomePending } from './store.ts';

/** Rows that are read at once. */
const AT_ONCE = 500;

export function reviewWork(kernel: Kernel): BackgroundWork {
  return {
    handlers: {
      [END_REVIEWS]: ({ payload }, signal) => endReviews(kernel, payload, signal),
      [REQUEST_OWNERS]: ({ payload }) => requestOwners(kernel, JSON.parse(payload) as { issueId: number }),
    },
  };
}

/** What was submitted stays. Each in a transaction of its own: after a crash it goes on with those that are left. */
async function endReviews(kernel: Kernel, accountId: string, signal: AbortSignal): Promise<void> {
  if ((await findAccount(kernel.db, { id: accountId })) !== undefined) return;
  await endRequests(kernel, accountId, signal);
  await endPending(kernel, accountId, signal);
}

async function endRequests(kernel: Kernel, accountId: string, signal: AbortSignal): Promise<void> {
  const { db, changes, clock } = kernel;
  const reviewer = { kind: 'user', reviewer: accountId } as const;
  let after = 0;
  for (;;) {
    const ids = await listSomeRequested(db, reviewer, { after, limit: AT_ONCE });
    if (ids.length === 0) return;
    after = ids.at(-1)!;
    const issues = [...(await listIssuesById(db, ids)).values()];
    const found = await readRepositories(
      db,
      issues.map(({ repositoryNumber }) => repositoryNumber),
    );
    for (const { id, repositoryNumber } of issues) {
      signal.throwIfAborted();
      const repository = found.get(repositoryNumber);
      // The pull requests of a repository that is deleted go with it.
      if (repository === undefined) continue;
      await changes.run(systemActor({ now: clock.now(), id: END_REVIEWS }), (tx) =>
        removeReviewers(tx, repository, id, [reviewer]),
      );
    }
  }
}

async function endPending(kernel: Kernel, accountId: string, signal: AbortSignal): Promise<void> {
  const { db, changes, clock } = kernel;
  let after = 0;
  for (;;) {
    const pending = await listSomePending(db, accountId, { after, limit: AT_ONCE });
    if (pending.length === 0) return;
    after = pending.at(-1)!.id;
    for (const review of pending) {
      signal.throwIfAborted();
      await changes.run(systemActor({ now: clock.now(), id: END_REVIEWS }), (tx) =>
        deletePending(tx, review),
      );
    }
  }
}

const transferOwnership: TransferOwnership = async (tx, { id }) => {
  await executeAll(tx.db, [endingStatement(tx.db, id, tx.actor.now)]);
  await tx.invalidate(DUE);
};

const removedMembers: Subscriber = {
  channel: DUE,
  statementsFor: (db, entries) =>
    entries.flatMap((entry) => {
      const id = removedMemberIn(entry);
      return id === undefined ? [] : [endingStatement(db, id, entry.at)];
    }),
};

/** What becomes of the reviews of an account that ends. */
export const reviewsOfEndedAccounts: Pick<Module, 'transferOwnership' | 'subscribers'> = {
  transferOwnership,
  subscribers: () => [removedMembers],
};
