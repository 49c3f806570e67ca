// Measures how much space the objects of a repository take on disk.
import { runGit, type GitTarget } from './git-target.ts';

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 4096;

export async function measureSizeKb(target: GitTarget): Promise<number> {
  const output = await runGit(target, ['count-objects', '-v'], {
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  });
  const sizes = [...output.toString().matchAll(/^size(?:-pack)?: (\d+)$/gm)];
  return sizes.reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0);
}
