// Lists the commits of a range with the names of the files that each of them adds, removes and modifies.
import { Failure } from '../../../kernel/failure.ts';
import { readGit, type GitTarget } from '../git-target.ts';
import { checkedObjectId } from '../objects/object-id.ts';
import { splitRecords } from '../process/split-records.ts';

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
/** Of the names, and of the ids alone. */
const MAX_OUTPUT = 64 * 1024 ** 2;
const COMMIT = /^\n?=([0-9a-f]{40})$/;

/**
 * The newest commits of the range, the oldest of them first. A merge is compared with its first parent. Where the names
 * take more than git may use, commits after those that were read have none.
 */
export async function logFiles(target: GitTarget, range: LogRange): Promise<LoggedCommit[]> {
  const read = new Map<string, LoggedCommit>();
  const names = ['--no-renames', '--root', '--name-status', '--diff-merges=first-parent'];
  try {
    await readLog(target, range, names, read);
    return [...read.values()];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  const all = new Map<string, LoggedCommit>();
  await readLog(target, range, ['--no-patch'], all);
  return [...all].map(([oid, commit]) => read.get(oid) ?? commit);
}

async function readLog(
  target: GitTarget,
  { tip, without, maxCommits, maxFiles }: LogRange,
  shown: readonly string[],
  commits: Map<string, LoggedCommit>,
): Promise<void> {
  const options = ['--topo-order', '--reverse', `--max-count=${maxCommits}`, '-z', '--format==%H'];
  const tips = [tip, ...without].map(checkedObjectId);
  const input = tips.map((oid, index) => `${index === 0 ? '' : '^'}${oid}\n`).join('');
  const args = ['log', ...options, ...shown, '--stdin', '--'];
  let commit: LoggedCommit | undefined;
  let status: string | undefined;
  let files = 0;
  const output = readGit(target, args, { input, timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT });
  for await (const record of splitRecords(output)) {
    const text = record.toString();
    if (status === undefined) {
      const oid = COMMIT.exec(text)?.[1];
      if (oid === undefined) status = text.trimStart();
      else commits.set(oid, (commit = { oid, added: [], removed: [], modified: [] }));
      continue;
    }
    files += 1;
    if (commit !== undefined && files <= maxFiles) listOf(commit, status).push(text);
    status = undefined;
  }
}

function listOf({ added, removed, modified }: LoggedCommit, status: string): string[] {
  if (status.startsWith('A')) return added;
  return status.startsWith('D') ? removed : modified;
}
