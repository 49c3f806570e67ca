// Reads the lines of a difference one by one: where each stands in the patch of its file, and in the files of both sides.
import { splitLines } from '../../../kernel/text/split-lines.ts';
import { readGit, type GitTarget } from '../git-target.ts';
import { diffArguments, MAX_DIFF_FILES, type DiffSides } from './diff.ts';
import { FileTable, type DiffFile, type ListedFile } from './diff-files.ts';

const TIMEOUT_MS = 20_000;
const MAX_NAMES = 64 * 1024 ** 2;
/** Of the patches of all files that are asked for. */
const MAX_PATCHES = 16 * 1024 ** 2;

/** The first 3,000 files of a difference by their names, without counts and patches. */
export async function listChangedFiles(
  target: GitTarget,
  sides: DiffSides,
): Promise<Map<string, Pick<DiffFile, 'filename' | 'previousFilename'>>> {
  const table = new FileTable(MAX_DIFF_FILES);
  const args = diffArguments(sides, ['-r', '-z', '--raw', '--no-abbrev']);
  const options = { timeoutMs: TIMEOUT_MS, maxOutput: MAX_NAMES };
  for await (const chunk of readGit(target, args, options)) table.read(chunk);
  return new Map(table.files.map(({ file }) => [file.filename, file]));
}

export interface PatchHunk {
  /** The line that begins with `@@`. */
  header: string;
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
}

export interface PatchLine {
  /** The line after the first `@@` of the file is 1, and later ones with `@@` count too. */
  position: number;
  /** Undefined for a line that was added. */
  oldLine: number | undefined;
  /** Undefined for a line that was removed. */
  newLine: number | undefined;
  /** With the sign that it begins with. */
  text: string;
}

/** Called in the order of the patch. `filename` is the name of today, or the last one of a removed file. */
export interface PatchVisitor {
  hunk?(filename: string, hunk: PatchHunk): void;
  line?(filename: string, line: PatchLine): void;
}

export interface PatchChoice {
  /** Names of files, and those that they had before. */
  paths: readonly string[];
  /** Unchanged lines around those that changed. */
  context: number;
}

/**
 * Files without lines, such as binary ones, are passed over.
 * @throws {GitLimitExceeded} where there is too much to read.
 */
export async function walkPatches(
  target: GitTarget,
  sides: DiffSides,
  { paths, context }: PatchChoice,
  visitor: PatchVisitor,
): Promise<void> {
  if (paths.length === 0) return;
  const table = new FileTable(2 * paths.length);
  const format = ['-r', '-z', '--raw', '--no-abbrev', '-p', `-U${context}`];
  const options = { timeoutMs: TIMEOUT_MS, maxOutput: MAX_PATCHES };
  const output = readGit(target, diffArguments(sides, format, paths), options);
  const walker = new PatchWalker(table.files, visitor);
  for await (const line of splitLines(patchesIn(output, table))) walker.read(line);
}

/** What follows the list of files. */
async function* patchesIn(
  output: AsyncIterable<Buffer>,
  table: FileTable,
): AsyncGenerator<Buffer, void, void> {
  let isListed = false;
  for await (const chunk of output) {
    if (isListed) {
      yield chunk;
      continue;
    }
    const rest = table.read(chunk);
    if (rest === undefined) continue;
    isListed = true;
    yield rest;
  }
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Lines of content begin with a space, `+`, `-` or `\`, so that no content is taken for a head. */
class PatchWalker {
  readonly #files: readonly ListedFile[];
  readonly #visitor: PatchVisitor;
  /** Git prints the patches in the order of the files, and two for a file that becomes another kind. */
  #file = -1;
  #patchesLeft = 0;
  #position = -1;
  #isInHunk = false;
  #oldLine = 0;
  #newLine = 0;

  constructor(files: readonly ListedFile[], visitor: PatchVisitor) {
    this.#files = files;
    this.#visitor = visitor;
  }

  read(text: string): void {
    if (text.startsWith('diff --git ')) this.#beginPatch();
    else if (text.startsWith('@@ ')) this.#beginHunk(text);
    else if (this.#isInHunk) this.#readLine(text);
  }

  #beginPatch(): void {
    this.#isInHunk = false;
    if (this.#patchesLeft === 0) {
      this.#file += 1;
      this.#patchesLeft = this.#files[this.#file]?.patches ?? 1;
      this.#position = -1;
    }
    this.#patchesLeft -= 1;
  }

  #beginHunk(header: string): void {
    const [, oldStart, oldCount = '1', newStart, newCount = '1'] = HUNK.exec(header) ?? [];
    const file = this.#files[this.#file];
    if (oldStart === undefined || file === undefined) return;
    this.#isInHunk = true;
    this.#position += 1;
    this.#oldLine = Number(oldStart);
    this.#newLine = Number(newStart);
    this.#visitor.hunk?.(file.file.filename, {
      header,
      oldStart: this.#oldLine,
      oldCount: Number(oldCount),
      newStart: this.#newLine,
      newCount: Number(newCount),
    });
  }

  #readLine(text: string): void {
    this.#position += 1;
    const sign = text[0];
    // That the file does not end with a line feed is a line of the patch, and of no file.
    if (sign === '\\') return;
    const oldLine = sign === '+' ? undefined : this.#oldLine;
    const newLine = sign === '-' ? undefined : this.#newLine;
    if (oldLine !== undefined) this.#oldLine += 1;
    if (newLine !== undefined) this.#newLine += 1;
    const { filename } = this.#files[this.#file]!.file;
    this.#visitor.line?.(filename, { position: this.#position, oldLine, newLine, text });
  }
}
