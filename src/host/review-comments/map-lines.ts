// Follows lines of files from one commit to another.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { GitTarget } from '../git/git-target.ts';
import type { DiffSides } from '../git/history/diff.ts';
import { walkPatches, type PatchHunk } from '../git/history/patch-lines.ts';
import { GitLimitExceeded } from '../git/process/process-limits.ts';

/** Which line of the later commit is that line of the earlier one; undefined where it was changed or removed. */
export type LineMap = (path: string, line: number) => number | undefined;

const PATHS_AT_ONCE = 100;

export const SAME_LINES: LineMap = (_path, line) => line;
export const NO_LINES: LineMap = () => undefined;

/** By the names that files have in both. Where there is too much to read, no line is found again. */
export async function mapLines(
  target: GitTarget,
  sides: DiffSides,
  paths: readonly string[],
): Promise<LineMap> {
  if (sides.from === sides.to) return SAME_LINES;
  const hunks = new Map<string, PatchHunk[]>(paths.map((path) => [path, []]));
  const visitor = { hunk: (path: string, hunk: PatchHunk) => void hunks.get(path)?.push(hunk) };
  try {
    for (const some of chunk([...hunks.keys()], PATHS_AT_ONCE))
      await walkPatches(target, sides, { paths: some, context: 0 }, visitor);
  } catch (error) {
    if (error instanceof GitLimitExceeded) return NO_LINES;
    throw error;
  }
  return (path, line) => lineAfter(hunks.get(path) ?? [], line);
}

/** Hunks without context, in the order of their lines. */
function lineAfter(hunks: readonly PatchHunk[], line: number): number | undefined {
  let shift = 0;
  for (const { oldStart, oldCount, newCount } of hunks) {
    // What was only added stands after the line that the hunk names.
    const first = oldCount === 0 ? oldStart + 1 : oldStart;
    if (line < first) break;
    if (line < first + oldCount) return undefined;
    shift += newCount - oldCount;
  }
  return line + shift;
}
