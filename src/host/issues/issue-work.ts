// Due work of issues: their lists follow a repository to its new owner, and accounts that end are assigned to nothing.
import type { Subscriber } from '../../kernel/change/changes.ts';
import type { Module } from '../../kernel/http/module.ts';
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { findAccount, type TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import { DUE } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { removedMemberIn } from '../ended-accounts.ts';
import { listOwners } from '../owners/store.ts';
import { moveHeads } from '../pulls/follow-transfers.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { editIssue } from './change-issue.ts';
import { MOVE_ISSUES } from './schedule-issues.ts';
import {
  listSomeAssigned,
  UNASSIGN,
  unassignmentStatement,
  updateOwnerFacets,
} from './people/store-people.ts';

/** Issues that are read at once, or moved in one transaction: other writes wait for it. */
const AT_ONCE = 500;

export function issueWork(kernel: Kernel): BackgroundWork {
  return {
    handlers: {
      async [MOVE_ISSUES]({ payload }, signal) {
        await moveIssues(kernel, Number(payload), signal);
        await moveHeads(kernel, Number(payload), signal);
      },
      [UNASSIGN]: ({ payload }, signal) => unassign(kernel, payload, signal),
    },
  };
}

async function moveIssues({ db }: Kernel, repositoryNumber: number, signal: AbortSignal): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    signal.throwIfAborted();
    const slice: { after: number; limit: number } = { after, limit: AT_ONCE };
    after = await db.transaction().execute((tx) => updateOwnerFacets(tx, repositoryNumber, slice));
  }
}

/** Each in a transaction of its own, with its timeline: after a crash it goes on with those that are left. */
async function unassign(
  { db, changes, clock }: Kernel,
  accountId: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await findAccount(db, { id: accountId })) !== undefined) return;
  let after = 0;
  for (;;) {
    const assigned = await listSomeAssigned(db, accountId, { after, limit: AT_ONCE });
    if (assigned.length === 0) return;
    after = assigned.at(-1)!.id;
    const found = await readRepositories(
      db,
      assigned.map(({ repositoryNumber }) => repositoryNumber),
    );
    for (const { id, repositoryNumber } of assigned) {
      signal.throwIfAborted();
      const repository = found.get(repositoryNumber);
      // The issues of a repository that is deleted go with it.
      if (repository === undefined) continue;
      const assigneeIds = (present: readonly string[]) => present.filter((one) => one !== accountId);
      await changes.run(systemActor({ now: clock.now(), id: UNASSIGN }), (tx) =>
        editIssue(tx, repository, id, { assigneeIds }),
      );
    }
  }
}

/** By number, with their owners. Those that are deleted are missing. */
export async function readRepositories(
  db: Db,
  numbers: readonly number[],
): Promise<Map<number, FoundRepository>> {
  const repositories = await listRepositoriesByNumber(db, [...new Set(numbers)]);
  const ownerIds = [...repositories.values()].map(({ ownerId }) => ownerId);
  const owners = await listOwners(db, ownerIds);
  return new Map(
    [...repositories].flatMap(([number, repository]) => {
      const owner = owners.get(repository.ownerId);
      return owner === undefined ? [] : [[number, { repository, owner }] as const];
    }),
  );
}

const transferOwnership: TransferOwnership = async (tx, { id }) => {
  await executeAll(tx.db, [unassignmentStatement(tx.db, id, tx.actor.now)]);
  await tx.invalidate(DUE);
};

const removedMembers: Subscriber = {
  channel: DUE,
  statementsFor: (db, entries) =>
    entries.flatMap((entry) => {
      const id = removedMemberIn(entry);
      return id === undefined ? [] : [unassignmentStatement(db, id, entry.at)];
    }),
};

/** What becomes of the assignments of an account that ends. */
export const assigneesOfEndedAccounts: Pick<Module, 'transferOwnership' | 'subscribers'> = {
  transferOwnership,
  subscribers: () => [removedMembers],
};
