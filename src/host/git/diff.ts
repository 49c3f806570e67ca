// Compares two trees or commits: as a list of files with patches, or as the text that git prints.
import { Failure } from '../../kernel/failure.ts';
import { FileTable, type DiffFile, type DiffTotal } from './diff-files.ts';
import { PatchReader } from './diff-patches.ts';
import { readGit, type GitTarget } from './git-target.ts';
import { checkedObjectId, EMPTY_TREE_OID } from './object-id.ts';
import { GitLimitExceeded } from './process-limits.ts';

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
/** The code of the error for a diff or patch that is not shown. */
export const DIFF_TOO_LARGE = 'diff_too_large';
const PATCH_LIMITS = { lines: 3000, bytes: 100 * 1024, total: 1024 * 1024 };
const MAX_PATCH_COMMITS = 250;
const TIMEOUT_MS = 20_000;
/** The names and counts of all files, and the patches of those that are shown. */
const MAX_OUTPUT = 256 * 1024 ** 2;
/** A diff or patch as text is read whole before it is sent, so that no slow client holds a process. */
const MAX_TEXT = 8 * 1024 ** 2;
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
  const options = { timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT };
  const output = readGit(target, diffArguments(sides, format), options);
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
  return readText(target, diffArguments(sides, ['-r', '-p']));
}

/** One commit as a mail, as `git format-patch` prints it; a merge with its changes to the first parent. */
export function streamCommitPatch(target: GitTarget, commit: string): AsyncGenerator<Buffer, void, void> {
  // format-patch itself leaves out merges, and would print another commit instead.
  const mail = ['--max-count=1', '--pretty=email', '--stat', '--summary', '-p', '--binary'];
  const args = ['log', ...mail, '--diff-merges=first-parent', '--root', ...SAFE, ...RENAMES];
  return readText(target, [...args, checkedObjectId(commit), '--']);
}

/** The commits that `head` has and `base` has not as mails, the oldest first, without merges: the last 250 of them. */
export function streamPatches(
  target: GitTarget,
  { base, head }: { base: string; head: string },
): AsyncGenerator<Buffer, void, void> {
  const range = `${checkedObjectId(base)}..${checkedObjectId(head)}`;
  const args = ['format-patch', '--stdout', '--no-signature', `--max-count=${MAX_PATCH_COMMITS}`];
  return readText(target, [...args, ...SAFE, ...RENAMES, range, '--']);
}

/** @throws {GitLimitExceeded} before the first chunk. */
async function* readText(target: GitTarget, args: readonly string[]): AsyncGenerator<Buffer, void, void> {
  const options = { timeoutMs: TIMEOUT_MS, maxOutput: MAX_TEXT };
  const chunks = await Array.fromAsync(readGit(target, args, options)).catch((error: unknown) => {
    throw error instanceof GitLimitExceeded ? tooLargeDiff(error) : error;
  });
  yield* chunks;
}

function tooLargeDiff(cause: unknown): Failure {
  return new Failure('too-large', 'Sorry, the diff is too large to be shown as text.', {
    code: DIFF_TOO_LARGE,
    cause,
  });
}

function diffArguments({ from = EMPTY_TREE_OID, to }: DiffSides, format: readonly string[]): string[] {
  return ['diff-tree', ...format, ...SAFE, ...RENAMES, checkedObjectId(from), checkedObjectId(to), '--'];
}
