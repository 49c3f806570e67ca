// Copies trees with all that is in them to another repository, without the commits that have them.
import { runChange, streamGit, type GitTarget } from './git-target.ts';
import { checkedObjectId } from './object-id.ts';

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 1024;

/** `target` is a repository that nobody else uses yet. */
export async function copyTrees(
  source: GitTarget,
  target: GitTarget,
  trees: readonly string[],
): Promise<void> {
  const wanted = trees.map((tree) => `${checkedObjectId(tree)}\n`).join('');
  const pack = streamGit(source, ['pack-objects', '--revs', '--stdout', '-q'], {
    input: wanted,
    work: 'transfer',
    timeoutMs: TIMEOUT_MS,
  });
  await runChange(target, ['index-pack', '--stdin', '--strict'], {
    input: pack,
    work: 'transfer',
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  });
}
