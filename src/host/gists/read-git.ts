// Reads what git has of a gist: its newest revision, the files in it, and the revisions that lead to it.
import { Failure } from '../../kernel/failure.ts';
import { isAncestor } from '../git/history.ts';
import { checkedObjectId } from '../git/object-id.ts';
import { streamGit } from '../git/git-target.ts';
import type { GitRepository } from '../git/repository.ts';
import { splitRecords } from '../git/split-records.ts';
import { GIST_REF, type GistFile, type GistRevision } from './gist.ts';

const TIMEOUT_MS = 60_000;
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

/** Files at the top level; there are no others. */
export async function readGistFiles(git: GitRepository, treeOid: string): Promise<GistFile[]> {
  const tree = await git.readTree(treeOid);
  const entries = (tree?.entries ?? []).filter(
    ({ kind, rawName }) => FILES.has(kind) && rawName === undefined,
  );
  const infos = await git.infos(entries.map(({ oid }) => oid));
  return entries.map(({ name, oid }, index) => ({ name, size: infos[index]?.size ?? 0, oid }));
}

/** The oldest first. A merge is compared with its first parent. */
async function logRevisions(
  git: GitRepository,
  tip: string,
  without: string | undefined,
): Promise<GistRevision[]> {
  const shown = [
    '--format==%H %ct',
    '-z',
    '--numstat',
    '--no-renames',
    '--root',
    '--diff-merges=first-parent',
  ];
  const safe = ['--no-ext-diff', '--no-textconv'];
  const range = [checkedObjectId(tip), ...(without === undefined ? [] : [`^${checkedObjectId(without)}`])];
  const args = ['log', '--topo-order', `--max-count=${MAX_REVISIONS}`, ...shown, ...safe, ...range, '--'];
  const revisions: GistRevision[] = [];
  for await (const record of splitRecords(streamGit(git, args, { timeoutMs: TIMEOUT_MS }))) {
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
