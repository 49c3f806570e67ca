// Finds where a pull request goes whose base was merged and deleted: into that which the base was merged into.
import type { Kernel } from '../../kernel/kernel.ts';
import { listOwners } from '../owners/store.ts';
import type { PullEdit } from './change-pull.ts';
import { openKeyOf, type Pull } from './pull.ts';
import { measureEnds, readBranch } from './pull-git.ts';
import { findMergedBase, isKeyOpen } from './store.ts';

/** Undefined where the base was not merged, nothing is left to merge, or another is open from the same branch. */
export async function findNextBase(
  { db, services }: Kernel,
  pull: Pull,
  /** That the base had. */
  lastCommit: string | undefined,
): Promise<PullEdit['base']> {
  const { repositoryNumber: number, baseRef, headRef, headOwnerId, headSha } = pull;
  if (lastCommit === undefined) return undefined;
  const ref = await findMergedBase(db, number, baseRef, lastCommit);
  if (ref === undefined) return undefined;
  const git = services.git.repository(number);
  const base = await readBranch(git, ref);
  if (base === undefined || (await isKeyOpen(db, openKeyOf({ ...pull, baseRef: ref })))) return undefined;
  const { measure, update } = await measureEnds(git, { base, head: headSha });
  if (measure.mergeBase === undefined || measure.ahead === 0) return undefined;
  const owner = headOwnerId === null ? undefined : (await listOwners(db, [headOwnerId])).get(headOwnerId);
  return { ref, update, headLabel: owner === undefined ? headRef : `${owner.login}:${headRef}` };
}
