// Due work that finds out whether open pull requests can be merged: one at a time in each repository, and only for as long as their branches stay.
import { Failure } from '../../../kernel/failure.ts';
import { passCheckpoint } from '../../../kernel/jobs/checkpoint.ts';
import { finish, schedule, type Due, type DueHandler } from '../../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { createMergeCommit } from '../../git/merge/create-merge.ts';
import { canRebase } from '../../git/merge/rebase.ts';
import { isStoppedByLimits } from '../../git/process/process-limits.ts';
import type { GitRepository } from '../../git/repository.ts';
import { updateRefs } from '../../git/refs/update-refs.ts';
import { scheduleMaintenance } from '../../maintenance/schedule-maintenance.ts';
import { serverPerson } from '../../owners/model.ts';
import { lockRepository } from '../../repositories/store.ts';
import { isChecked, pullMergeRef, type Pull } from '../pull.ts';
import { readBranch } from '../pull-git.ts';
import { CHECK_MERGE, scheduleMergeCheck } from '../schedule-work.ts';
import { deleteMergeCheck, findNextMergeCheck, hasMergeCheck } from './store-merge-checks.ts';
import { findOpenPull, findPull, isPullOpen, updatePull } from '../store.ts';

/** Asks for what nobody knows, unless somebody has asked before. */
export async function requestMergeCheck({ db, clock }: Kernel, pull: Pull): Promise<void> {
  if (await hasMergeCheck(db, pull.issueId)) return;
  await db.transaction().execute(async (tx) => {
    if ((await lockRepository(tx, pull.repositoryNumber)) !== undefined)
      await scheduleMergeCheck(tx, pull, clock.now());
  });
}

export function mergeCheckHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    async [CHECK_MERGE](due, signal) {
      const { number } = JSON.parse(due.payload) as { number: number };
      const git = kernel.services.git.repository(number, signal);
      const errors: unknown[] = [];
      let check = await findNextMergeCheck(kernel.db, number);
      while (check !== undefined && !signal.aborted) {
        // One that fails does not keep the others waiting.
        await checkPull(kernel, git, check.issueId).catch((error: unknown) => errors.push(error));
        check = await findNextMergeCheck(kernel.db, number, check);
      }
      if (signal.aborted) throw signal.reason as Error;
      if (errors.length > 0) throw errors[0];
      await endWork(kernel, due, number);
    },
  };
}

/** Whoever asks locks the repository, too: so nobody asks between the look at the queue and the end of the work. */
async function endWork({ db, clock }: Kernel, due: Due, number: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockRepository(tx, number);
    const isOver = (await findNextMergeCheck(tx, number)) === undefined;
    const now = clock.now();
    if (isOver) await finish(tx, due);
    else await schedule(tx, { ...due, dueAt: now }, now, 'move');
  });
}

/** Further moves of its branches while it is computed wait for another try of the work. */
const MAX_TRIES = 3;

/**
 * Who reads the answer finds the reference, so that is written first. After a crash it is still in the queue, and what was not
 * written is computed again.
 */
async function checkPull(kernel: Kernel, git: GitRepository, issueId: number): Promise<void> {
  const { db } = kernel;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const pull = await findPull(db, issueId);
    if (pull === undefined) return;
    const base = (await isPullOpen(db, issueId)) ? await readBranch(git, pull.baseRef) : undefined;
    if (base === undefined || !isChecked(pull, base)) {
      const answer = base === undefined ? NOT_MERGEABLE : await computeAnswer(kernel, git, { pull, base });
      passCheckpoint('computed host.check-merge');
      await writeMergeRef(git, pull.number, answer.testMergeSha ?? undefined);
      passCheckpoint('referred host.check-merge');
      if (await leaveQueue(kernel, { pull, base }, answer)) return;
    } else if (await leaveQueue(kernel, { pull, base })) return;
  }
  throw new Error(`The branches of pull request ${issueId} move all the time.`);
}

/** `refs/pull/N/merge`; removed where there is no merge. */
async function writeMergeRef(git: GitRepository, number: number, to: string | undefined): Promise<void> {
  const name = pullMergeRef(number);
  const from = await git.readRef(name);
  if (from !== to) await updateRefs(git, [{ name, from, to }]);
}

interface CheckedPull {
  pull: Pull;
  /** The commit of its base branch; undefined where it is closed, or there is no such branch. */
  base: string | undefined;
}

type MergeAnswer = Pick<Pull, 'mergeable' | 'rebaseable' | 'testMergeSha'>;

const NOT_MERGEABLE: MergeAnswer = { mergeable: false, rebaseable: false, testMergeSha: null };

/** What exceeds the limits of git cannot be merged: the same commits would exceed them again. */
async function computeAnswer(
  { clock, log, disk }: Kernel,
  git: GitRepository,
  { pull, base }: { pull: Pull; base: string },
): Promise<MergeAnswer> {
  const { headSha: head } = pull;
  disk.checkNotFull('repositories');
  const person = serverPerson(clock.now());
  const message = `Merge ${head} into ${base}\n`;
  const stopped = (error: unknown): 'stopped' => {
    if (!isTooMuch(error)) throw error;
    log.info({ err: error, pull: pull.issueId }, 'a pull request takes too much to be merged');
    return 'stopped';
  };
  const order = { base, head, author: person, committer: person, message };
  const merged = await createMergeCommit(git, order).catch(stopped);
  if (merged === 'stopped' || merged.kind !== 'created') return NOT_MERGEABLE;
  const rebase = { base, head, committer: person, maxMs: MAX_REBASE_MS };
  const rebaseable = await canRebase(git, rebase).catch(stopped);
  return { mergeable: true, rebaseable: rebaseable === true, testMergeSha: merged.commit };
}

/** Of all commits together. */
const MAX_REBASE_MS = 30_000;

/** Trees of a merge may be larger than those of any push may be. */
function isTooMuch(error: unknown): boolean {
  return isStoppedByLimits(error) || (error instanceof Failure && error.kind === 'too-large');
}

/** With the answer, where there is a new one. False where the branches have moved since, or it was closed or reopened: nothing is changed. */
async function leaveQueue(
  { db, services, clock }: Kernel,
  { pull: { issueId, repositoryNumber: number, headSha }, base }: CheckedPull,
  answer?: MergeAnswer,
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    await lockRepository(tx, number);
    const pull = await findOpenPull(tx, issueId);
    const branch = pull && (await readBranch(services.git.repository(number), pull.baseRef));
    if (branch !== base || (pull !== undefined && pull.headSha !== headSha)) return false;
    if (pull !== undefined && base !== undefined) {
      if (answer === undefined && !isChecked(pull, base)) return false;
      if (answer !== undefined) await updatePull(tx, pull, { ...answer, checkedBase: base });
      // Each answer leaves objects of the one before it behind.
      if (answer?.testMergeSha != null) await scheduleMaintenance(tx, number, clock.now());
    }
    await deleteMergeCheck(tx, issueId);
    return true;
  });
}
