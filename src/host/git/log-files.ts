// Lists the commits of a range with the names of the files that each of them adds, removes and modifies.
import { streamGit, type GitTarget } from './git-target.ts';
import { checkedObjectId } from './object-id.ts';
import { splitRecords } from './split-records.ts';

export interface LoggedCommit {
  oid: string;
  added: string[];
  removed: string[];
  modified: string[];
}

export interface LogRange {
  tip: string;
  /** Commits that these have are left out. */
  without: readonly string[];
  maxCommits: number;
  /** Further names of files are left out, over all commits. */
  maxFiles: number;
}

const TIMEOUT_MS = 30_000;
const COMMIT = /^\n?=([0-9a-f]{40})$/;

/** The newest commits of the range, the oldest of them first. A merge is compared with its first parent. */
export async function logFiles(target: GitTarget, range: LogRange): Promise<LoggedCommit[]> {
  const { tip, without, maxCommits, maxFiles } = range;
  const options = ['--topo-order', '--reverse', `--max-count=${maxCommits}`, '--no-renames', '--root'];
  const shown = ['-z', '--format==%H', '--name-status', '--diff-merges=first-parent'];
  const tips = [tip, ...without].map(checkedObjectId);
  const input = tips.map((oid, index) => `${index === 0 ? '' : '^'}${oid}\n`).join('');
  const args = ['log', ...options, ...shown, '--stdin', '--'];
  const commits: LoggedCommit[] = [];
  let status: string | undefined;
  let files = 0;
  for await (const record of splitRecords(streamGit(target, args, { input, timeoutMs: TIMEOUT_MS }))) {
    const text = record.toString();
    if (status === undefined) {
      const oid = COMMIT.exec(text)?.[1];
      if (oid === undefined) status = text.trimStart();
      else commits.push({ oid, added: [], removed: [], modified: [] });
      continue;
    }
    const commit = commits.at(-1);
    files += 1;
    if (commit !== undefined && files <= maxFiles) listOf(commit, status).push(text);
    status = undefined;
  }
  return commits;
}

function listOf({ added, removed, modified }: LoggedCommit, status: string): string[] {
  if (status.startsWith('A')) return added;
  return status.startsWith('D') ? removed : modified;
}
