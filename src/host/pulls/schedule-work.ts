// Schedules the due work of pull requests, in the transactions of the changes that cause it.
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';
import type { Pull } from './pull.ts';
import { insertMergeCheck } from './merge-checks/store-merge-checks.ts';
import { forgetMergeability, listFollowedBranches } from './store.ts';

/** Brings a pull request up to date with its branches, and writes its reference. */
export const SYNC_PULL = 'host.sync-pull';
/** Pull requests follow a branch that a push has moved. */
export const FOLLOW_PUSH = 'host.follow-push';
/** Closes the issues that a merged pull request names, and deletes its branch. */
export const FINISH_MERGE = 'host.finish-merge';

/** Requests reviews from the owners of changed files. */
export const REQUEST_OWNERS = 'host.request-owners';

/** A branch that a push has moved. */
export interface FollowedMove {
  /** Of the repository. */
  number: number;
  branch: string;
  /** Absent where it was created, or deleted. */
  from?: string | undefined;
  to?: string | undefined;
  /** The branch that it goes on as, where it was deleted for that. */
  renamedTo?: string | undefined;
  /** The account of who pushed, where it is known. */
  pusherId?: string | undefined;
}

const BRANCH = 'refs/heads/';

/**
 * In the transaction that records the push, which has locked the repository. `version` is different for each such transaction. What was found
 * about merging does not hold any more.
 */
export async function schedulePullWork(
  tx: Db,
  number: number,
  version: number,
  moves: readonly (RefChange & { pusherId: string | undefined })[],
  now: number,
): Promise<void> {
  const branches = moves.filter(({ name }) => name.startsWith(BRANCH));
  const names = [...new Set(branches.map(({ name }) => name.slice(BRANCH.length)))];
  if (names.length === 0) return;
  const { heads, bases } = await listFollowedBranches(tx, number, names);
  await forgetMergeability(tx, number, [...bases]);
  for (const [index, { name, from, to, renamedTo, pusherId }] of branches.entries()) {
    const branch = name.slice(BRANCH.length);
    if (!heads.has(branch) && !bases.has(branch)) continue;
    const move: FollowedMove = { number, branch, from, to, pusherId };
    if (renamedTo !== undefined) move.renamedTo = renamedTo.slice(BRANCH.length);
    const id = `${followPushId(number)}${version}:${index}`;
    await schedule(tx, { id, kind: FOLLOW_PUSH, payload: JSON.stringify(move), dueAt: now }, now);
  }
}

/**
 * Finds out whether pull requests of a repository can be merged, one after the other: they wait in a queue, and the repository has one
 * row of due work.
 */
export const CHECK_MERGE = 'host.check-merge';

/** In a transaction that has locked the repository, so that the work does not end while somebody asks. */
export async function scheduleMergeCheck(
  tx: Db,
  pull: Pick<Pull, 'issueId' | 'repositoryNumber'>,
  now: number,
): Promise<void> {
  await insertMergeCheck(tx, pull, now);
  const { repositoryNumber: number } = pull;
  const work = { id: `${CHECK_MERGE}:${number}`, kind: CHECK_MERGE, payload: JSON.stringify({ number }) };
  await schedule(tx, { ...work, dueAt: now }, now, 'advance');
}

/** What the ids of its rows begin with, for one repository. */
export function followPushId(number: number): string {
  return `${FOLLOW_PUSH}:${number}:`;
}

/** In the transaction of the change. */
export async function scheduleSync(tx: Db, issueId: number, now: number): Promise<void> {
  const work = { id: `${SYNC_PULL}:${issueId}`, kind: SYNC_PULL, payload: JSON.stringify({ issueId }) };
  await schedule(tx, { ...work, dueAt: now }, now, 'move');
}

/** In the transaction that opens the pull request, or makes it ready for reviews. */
export async function scheduleOwnerRequests(tx: Db, issueId: number, now: number): Promise<void> {
  const id = `${REQUEST_OWNERS}:${issueId}`;
  const work = { id, kind: REQUEST_OWNERS, payload: JSON.stringify({ issueId }) };
  await schedule(tx, { ...work, dueAt: now }, now, 'move');
}

/** A pull request that was merged. */
export interface FinishedMerge {
  issueId: number;
  /** Whether its branch goes too, where the repository wants that. */
  deletesHead: boolean;
}

/** In the transaction of the merge. The call that has merged does it itself, and due work does so after a crash. */
export async function scheduleFinish(
  tx: Db,
  { dueAt, ...merge }: FinishedMerge & { dueAt: number },
  now: number,
): Promise<void> {
  const work = { id: finishId(merge.issueId), kind: FINISH_MERGE, payload: JSON.stringify(merge) };
  await schedule(tx, { ...work, dueAt }, now);
}

export function finishId(issueId: number): string {
  return `${FINISH_MERGE}:${issueId}`;
}
