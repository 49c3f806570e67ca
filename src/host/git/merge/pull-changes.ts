// What a pull request would bring to its base: how much, its commits, its files, and both as text.
import { diffFiles, MAX_DIFF_FILES, streamDiff, streamPatches, type DiffPage } from '../history/diff.ts';
import type { DiffFile, DiffTotal } from '../history/diff-files.ts';
import {
  countAheadBehind,
  findMergeBases,
  listCommitIdsBetween,
  type HistoryPage,
} from '../history/history.ts';
import type { GitTarget } from '../git-target.ts';

/** Two commits that the target can read. */
export interface PullEnds {
  base: string;
  head: string;
}

export interface PullMeasure extends DiffTotal {
  /** Undefined for unrelated histories: then all of `head` counts as new. */
  mergeBase: string | undefined;
  /** How many commits `head` has that `base` has not, and the other way round. */
  ahead: number;
  behind: number;
}

/** Commits after these are on no page. */
export const MAX_PULL_COMMITS = 250;

export async function measurePull(target: GitTarget, { base, head }: PullEnds): Promise<PullMeasure> {
  const mergeBase = await findMergeBase(target, { base, head });
  const { ahead, behind } = await countAheadBehind(target, base, head);
  const { total } = await diffFiles(target, { from: mergeBase, to: head }, { limit: 0, hasPatches: false });
  return { mergeBase, ahead, behind, ...total };
}

/** The first of several, where branches were merged crosswise. */
export async function findMergeBase(
  target: GitTarget,
  { base, head }: PullEnds,
): Promise<string | undefined> {
  const [oid] = await findMergeBases(target, base, head);
  return oid;
}

/** The oldest first. `ahead` is their number, as it was measured. */
export async function listPullCommitIds(
  target: GitTarget,
  { base, head, ahead }: PullEnds & Pick<PullMeasure, 'ahead'>,
  { skip = 0, limit }: HistoryPage,
): Promise<string[]> {
  const count = Math.min(limit, MAX_PULL_COMMITS - skip);
  if (count <= 0) return [];
  return await listCommitIdsBetween(target, { base, head, total: ahead }, { skip, limit: count });
}

/** What a comparison begins with, so that changes of the base alone are not shown as taken back. */
export interface PullSides extends Pick<PullMeasure, 'mergeBase'> {
  head: string;
}

/** A page of at most 3,000 files, with patches where these are not too long. */
export async function listPullFiles(
  target: GitTarget,
  { mergeBase, head }: PullSides,
  { skip = 0, limit = MAX_DIFF_FILES, ...page }: DiffPage,
): Promise<DiffFile[]> {
  if (skip >= MAX_DIFF_FILES) return [];
  const { files } = await diffFiles(target, { from: mergeBase, to: head }, { skip, limit, ...page });
  return files;
}

/** The text of `git diff`; before its first chunk a failure of the kind `too-large` where it is not shown. */
export function streamPullDiff(
  target: GitTarget,
  { mergeBase, head }: PullSides,
): AsyncGenerator<Buffer, void, void> {
  return streamDiff(target, { from: mergeBase, to: head });
}

/** The commits as mails, the oldest first, without merges; fails as `streamPullDiff` does. */
export function streamPullPatches(target: GitTarget, ends: PullEnds): AsyncGenerator<Buffer, void, void> {
  return streamPatches(target, ends);
}
