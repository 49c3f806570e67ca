// Reads what git has of a gist: its newest revision, the files in it, and the revisions that lead to it.
import { Failure } from '../../kernel/failure.ts';
import { isAncestor } from '../git/history/history.ts';
import { checkedObjectId } from '../git/objects/object-id.ts';
import { streamGit, splitRecords } from '../git/git-target.ts';
import type { GitRepository } from '../git/repository.ts';
import { GIST_REF, MAX_FILE_NAME, MAX_GIST_FILES, type GistFile, type GistRevision } from './gist.ts';

const TIMEOUT_MS = 60_000;
/** How long the lines of new revisions may be counted. */
const COUNTING_MS = 20_000;
/** That of as many files as a gist may have is far smaller. */
const MAX_TREE_BYTES = 1024 ** 2;
/** Of a longer history the oldest revisions are not listed. */
const MAX_REVISIONS = 10_000;
/** The kinds of entries that are files. */
const FILES: ReadonlySet<string> = new Set(['blob', 'symlink']);

export interface GistState {
  head: string;
  files: GistFile[];
  /** The oldest first. Without authors. */
  revisions: GistRevision[];
  /** The revisions follow those that are recorded, instead of replacing them. */
  isContinued: boolean;
}

/** Undefined where git has nothing but what is recorded. */
export async function readGistState(
  git: GitRepository,
  recorded: string | null,
): Promise<GistState | undefined> {
  const head = await git.readRef(GIST_REF);
  if (head === undefined || head === recorded) return undefined;
  const commit = await git.readCommit(head);
  if (commit === undefined) throw new Failure('internal', `The revision ${head} of a gist cannot be read.`);
  const isContinued =
    recorded !== null &&
    (commit.parents.includes(recorded) ||
      ((await git.readCommit(recorded)) !== undefined && (await isAncestor(git, recorded, head))));
  const [files, revisions] = await Promise.all([
    readGistFiles(git, commit.tree),
    logRevisions(git, head, isContinued ? recorded : undefined),
  ]);
  return { head, files, revisions, isContinued };
}

/**
 * Files at the top level. Only the newest revision was checked when it was pushed: an older one may have entries of all
 * kinds, very many of them, and names of any length. One file more than a gist may have stands for all further ones.
 */
export async function readGistFiles(git: GitRepository, treeOid: string): Promise<GistFile[]> {
  const info = await git.readInfo(treeOid);
  if (info !== undefined && info.size > MAX_TREE_BYTES)
    throw new Failure(
      'too-large',
      'This revision has too many files to be shown. Clone the gist to see them.',
    );
  const tree = await git.readTree(treeOid);
  const entries = (tree?.entries ?? [])
    .filter(
      ({ kind, name, rawName }) =>
        FILES.has(kind) && rawName === undefined && Buffer.byteLength(name) <= MAX_FILE_NAME,
    )
    .slice(0, MAX_GIST_FILES + 1);
  const infos = await git.infos(entries.map(({ oid }) => oid));
  return entries.map(({ name, oid }, index) => ({ name, size: infos[index]?.size ?? 0, oid }));
}

const COUNT_LINES = [
  '--numstat',
  '--no-renames',
  '--root',
  '--diff-merges=first-parent',
  '--no-ext-diff',
  '--no-textconv',
];

/** The oldest first. A merge is compared with its first parent. */
async function logRevisions(
  git: GitRepository,
  tip: string,
  without: string | undefined,
): Promise<GistRevision[]> {
  const range = [checkedObjectId(tip), ...(without === undefined ? [] : [`^${checkedObjectId(without)}`])];
  try {
    return await readLog(git, COUNT_LINES, range, COUNTING_MS);
  } catch {
    // A push can bring files whose comparison takes too long, and names that are too long. The branch has moved already, so
    // that its revisions are recorded without counts.
    return await readLog(git, [], range, TIMEOUT_MS);
  }
}

async function readLog(
  git: GitRepository,
  options: readonly string[],
  range: readonly string[],
  timeoutMs: number,
): Promise<GistRevision[]> {
  const shown = ['--format==%H %ct', '-z', ...options];
  const args = ['log', '--topo-order', `--max-count=${MAX_REVISIONS}`, ...shown, ...range, '--'];
  const revisions: GistRevision[] = [];
  for await (const record of splitRecords(streamGit(git, args, { timeoutMs }))) {
    const text = record.toString('latin1').trimStart();
    const [, sha, seconds] = /^=([0-9a-f]{40}) (\d+)$/.exec(text) ?? [];
    if (sha !== undefined) {
      const committedAt = Math.min(Number(seconds) * 1000, 8.64e15);
      revisions.push({ sha, authorId: null, committedAt, additions: 0, deletions: 0 });
      continue;
    }
    // A binary file has hyphens instead of numbers.
    const [, additions, deletions] = /^(\d+)\t(\d+)\t/.exec(text) ?? [];
    const last = revisions.at(-1);
    if (last === undefined || additions === undefined) continue;
    last.additions += Number(additions);
    last.deletions += Number(deletions);
  }
  return revisions.reverse();
}
