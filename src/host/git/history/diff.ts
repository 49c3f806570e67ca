// Compares two trees or commits: as a list of files with patches, or as the text that git prints.
import { Failure } from '../../../kernel/failure.ts';
import { FileTable, type DiffFile, type DiffTotal, type ListedFile } from './diff-files.ts';
import { readGit, type GitTarget } from '../git-target.ts';
import { checkedObjectId, EMPTY_TREE_OID } from '../objects/object-id.ts';
import { GitLimitExceeded } from '../process/process-limits.ts';

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

interface Diff {
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

/** Of these files and folders alone, where there are any. */
export function diffArguments(
  { from = EMPTY_TREE_OID, to }: DiffSides,
  format: readonly string[],
  paths: readonly string[] = [],
): string[] {
  const sides = [checkedObjectId(from), checkedObjectId(to)];
  return ['diff-tree', ...format, ...SAFE, ...RENAMES, ...sides, '--', ...paths];
}

interface PatchLimits {
  /** A patch with more lines or bytes is left out. */
  lines: number;
  bytes: number;
  /** Bytes of all patches together. */
  total: number;
}

/** Lines of content begin with a space, `+`, `-` or `\\`, so that only the head of a patch begins this way. */
const NEXT_FILE = Buffer.from('\ndiff --git ');
/** Names with line breaks are in quotes, so that this cannot stand in a name. */
const FIRST_HUNK = Buffer.from('\n@@ ');
const LINE_BREAK = 0x0a;
/** The lines before the first hunk, which hold names. */
const MAX_HEAD_BYTES = 64 * 1024;

/**
 * Adds the patches of `git diff-tree -p` to their files while they are printed. Git prints the patches in the order
 * of the files.
 */
class PatchReader {
  /** The file of each patch; undefined where the patch is not asked for. */
  readonly #queue: (DiffFile | undefined)[];
  readonly #limits: PatchLimits;
  #room: number;
  #tail: Buffer = Buffer.alloc(0);
  #kept: Buffer[] = [];
  #size = 0;
  #position = 0;

  /** The patches of the first `skip` files are not asked for. */
  constructor(files: readonly ListedFile[], skip: number, limits: PatchLimits) {
    this.#limits = limits;
    this.#room = limits.total;
    this.#queue = files.flatMap(({ file, patches }, index) =>
      Array.from({ length: patches }, () => (index < skip ? undefined : file)),
    );
  }

  /** True when all patches that are asked for have been read. */
  read(chunk: Buffer): boolean {
    const bytes = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NEXT_FILE); end >= 0; end = bytes.indexOf(NEXT_FILE, start)) {
      this.#keep(bytes.subarray(start, end + 1));
      this.#endPatch();
      start = end + 1;
      if (this.#isDone()) return true;
    }
    // The head of the next patch may be cut by the end of the chunk.
    const safe = Math.max(start, bytes.length - NEXT_FILE.length);
    this.#keep(bytes.subarray(start, safe));
    this.#tail = bytes.subarray(safe);
    return this.#isDone();
  }

  finish(): void {
    if (this.#isDone()) return;
    this.#keep(this.#tail);
    if (this.#size > 0) this.#endPatch();
  }

  #isDone(): boolean {
    return this.#position >= this.#queue.length || this.#room <= 0;
  }

  #keep(bytes: Buffer): void {
    if (!this.#isTooLarge()) this.#kept.push(bytes);
    this.#size += bytes.length;
  }

  #isTooLarge(): boolean {
    return this.#size > this.#limits.bytes + MAX_HEAD_BYTES;
  }

  #endPatch(): void {
    const file = this.#queue[this.#position];
    const hunks =
      file === undefined || this.#isTooLarge() ? undefined : this.#hunksOf(Buffer.concat(this.#kept));
    this.#kept = [];
    this.#size = 0;
    this.#position += 1;
    if (file === undefined || hunks === undefined || file.isBinary) return;
    this.#room -= hunks.length;
    file.patch = file.patch === undefined ? hunks.toString() : `${file.patch}\n${hunks.toString()}`;
  }

  /** Undefined where there are none, or too much of them. */
  #hunksOf(patch: Buffer): Buffer | undefined {
    const start = patch.indexOf(FIRST_HUNK);
    if (start < 0) return undefined;
    const hunks = patch.subarray(start + 1, patch.at(-1) === LINE_BREAK ? -1 : undefined);
    const { bytes, lines } = this.#limits;
    return hunks.length <= Math.min(bytes, this.#room) && countLines(hunks) <= lines ? hunks : undefined;
  }
}

function countLines(bytes: Buffer): number {
  let lines = 1;
  for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, at + 1)) lines += 1;
  return lines;
}
