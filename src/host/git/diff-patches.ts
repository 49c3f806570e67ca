// Reads the patches of `git diff-tree -p` while they are printed, and adds them to their files.
import type { DiffFile, ListedFile } from './diff-files.ts';

export interface PatchLimits {
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

/** Git prints the patches in the order of the files. */
export class PatchReader {
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
