// Compares two trees or commits: as a list of files with patches, or as the text that git prints.
import { FileTable, type DiffFile, type DiffTotal } from './diff-files.ts';
import { PatchReader } from './diff-patches.ts';
import { streamGit, type GitTarget } from './git-target.ts';
import { checkedObjectId, EMPTY_TREE_OID } from './object-id.ts';

export interface DiffSides {
  /** A commit or tree; undefined for nothing, as before the first commit. */
  from: string | undefined;
  to: string;
}

export interface DiffPage {
  skip?: number;
  limit?: number;
  /** True by default. */
  hasPatches?: boolean;
}

export interface Diff {
  files: DiffFile[];
  /** Of all files, also of those that no page has. */
  total: DiffTotal;
}

/** Files after these are on no page. */
export const MAX_DIFF_FILES = 3000;
export const MAX_DIFF_PAGE = 300;
const PATCH_LIMITS = { lines: 3000, bytes: 100 * 1024, total: 1024 * 1024 };
const MAX_PATCH_COMMITS = 250;
const TIMEOUT_MS = 20_000;
/** A slow client may take long to read a stream. */
const STREAM_TIMEOUT_MS = 10 * 60_000;
/** Attributes of a repository could otherwise choose a program that converts or compares files. */
const SAFE = ['--no-ext-diff', '--no-textconv', '--no-color'];
const RENAMES = ['-M', '-l1000'];

export async function diffFiles(
  target: GitTarget,
  sides: DiffSides,
  { skip = 0, limit = MAX_DIFF_PAGE, hasPatches = true }: DiffPage = {},
): Promise<Diff> {
  const table = new FileTable(Math.min(skip + limit, MAX_DIFF_FILES));
  const format = ['-r', '-z', '--raw', '--no-abbrev', '--numstat', ...(hasPatches ? ['-p'] : [])];
  let patches: PatchReader | undefined;
  const output = streamGit(target, diffArguments(sides, format), { timeoutMs: TIMEOUT_MS });
  for await (const chunk of output) {
    const text = patches === undefined ? table.read(chunk) : chunk;
    if (text === undefined) continue;
    patches ??= new PatchReader(table.files, skip, PATCH_LIMITS);
    if (patches.read(text)) break;
  }
  patches?.finish();
  return { files: table.files.slice(skip, skip + limit).map(({ file }) => file), total: table.total };
}

/** The text of `git diff`. */
export function streamDiff(target: GitTarget, sides: DiffSides): AsyncGenerator<Buffer, void, void> {
  return streamGit(target, diffArguments(sides, ['-r', '-p']), { timeoutMs: STREAM_TIMEOUT_MS });
}

/** One commit as a mail, as `git format-patch` prints it; a merge with its changes to the first parent. */
export function streamCommitPatch(target: GitTarget, commit: string): AsyncGenerator<Buffer, void, void> {
  // format-patch itself leaves out merges, and would print another commit instead.
  const mail = ['--max-count=1', '--pretty=email', '--stat', '--summary', '-p', '--binary'];
  const args = ['log', ...mail, '--diff-merges=first-parent', '--root', ...SAFE, ...RENAMES];
  return streamGit(target, [...args, checkedObjectId(commit), '--'], { timeoutMs: STREAM_TIMEOUT_MS });
}

/** The commits that `head` has and `base` has not as mails, the oldest first, without merges: the last 250 of them. */
export function streamPatches(
  target: GitTarget,
  { base, head }: { base: string; head: string },
): AsyncGenerator<Buffer, void, void> {
  const range = `${checkedObjectId(base)}..${checkedObjectId(head)}`;
  const args = ['format-patch', '--stdout', '--no-signature', `--max-count=${MAX_PATCH_COMMITS}`];
  return streamGit(target, [...args, ...SAFE, ...RENAMES, range, '--'], { timeoutMs: STREAM_TIMEOUT_MS });
}

function diffArguments({ from = EMPTY_TREE_OID, to }: DiffSides, format: readonly string[]): string[] {
  return ['diff-tree', ...format, ...SAFE, ...RENAMES, checkedObjectId(from), checkedObjectId(to), '--'];
}
