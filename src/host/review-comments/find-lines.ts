// Finds lines in the difference of two commits: by their number on a side, or by their position in the patch.
import { listChangedFiles, walkPatches, type PatchLine } from '../git/history/patch-lines.ts';
import type { DiffSides } from '../git/history/diff.ts';
import type { GitTarget } from '../git/git-target.ts';
import type { DiffSide } from './review-comment.ts';

export type LineAddress = { side: DiffSide; line: number } | { position: number };

export interface WantedLine {
  path: string;
  at: LineAddress;
}

export interface FoundLine {
  side: DiffSide;
  line: number;
  position: number;
  /** Without the sign. */
  text: string;
  /** Counts those of the file: lines of the same one stand together. */
  hunk: number;
  /** The header of the hunk, and its lines to this one: the last of them, where there are too many. */
  diffHunk: string;
}

export interface FoundLines {
  /** Of the files that are asked for, those that the difference has. */
  paths: ReadonlySet<string>;
  /** Undefined where the difference does not have it. */
  lineAt(path: string, at: LineAddress): FoundLine | undefined;
}

/** As in the patches of replies. */
const CONTEXT = 3;
/** Names on one command line. */
const PATHS_AT_ONCE = 100;
const MAX_HUNK_LINES = 200;
const MAX_HUNK_LENGTH = 16_384;

/**
 * One reading for all.
 * @throws {GitLimitExceeded} where the files have too many changes to read them.
 */
export async function findLines(
  target: GitTarget,
  sides: DiffSides,
  wanted: readonly WantedLine[],
  files: readonly string[] = [],
): Promise<FoundLines> {
  const changed = await listChangedFiles(target, sides);
  const paths = new Set([...wanted.map(({ path }) => path), ...files].filter((path) => changed.has(path)));
  const keys = new Map<string, Set<string>>();
  for (const { path, at } of wanted) {
    const own = keys.get(path) ?? new Set();
    keys.set(path, own.add(keyOf(at)));
  }
  const found = new Map<string, FoundLine>();
  const asked = [...paths].filter((path) => keys.has(path));
  for (let start = 0; start < asked.length; start += PATHS_AT_ONCE) {
    const some = asked.slice(start, start + PATHS_AT_ONCE);
    const names = some.flatMap((path) => [path, changed.get(path)?.previousFilename ?? []].flat());
    const reader = new HunkReader((path, key, line) => {
      if (keys.get(path)?.has(key) === true) found.set(`${key}:${path}`, line());
    });
    await walkPatches(target, sides, { paths: names, context: CONTEXT }, reader);
  }
  return { paths, lineAt: (path, at) => found.get(`${keyOf(at)}:${path}`) };
}

/** Whether the hunk ends with this line, as far as it was kept. */
export function isLineOf(diffHunk: string, { text }: FoundLine): boolean {
  const last = diffHunk.slice(diffHunk.lastIndexOf('\n') + 2);
  return last === text.slice(0, MAX_HUNK_LENGTH - 1);
}

function keyOf(at: LineAddress): string {
  return 'position' in at ? `P${at.position}` : `${at.side}${at.line}`;
}

/** Gets each address of a line; what is found there is made only where somebody asks for it. */
type OfferLine = (path: string, key: string, line: () => FoundLine) => void;

/** Keeps the last lines of the hunk that is read. */
class HunkReader {
  readonly #offer: OfferLine;
  #header = '';
  #lines: string[] = [];
  #hunks = 0;

  constructor(offer: OfferLine) {
    this.#offer = offer;
  }

  hunk(_path: string, { header }: { header: string }): void {
    this.#hunks += 1;
    this.#header = header;
    this.#lines = [];
  }

  line(path: string, { position, oldLine, newLine, text }: PatchLine): void {
    this.#lines.push(text);
    if (this.#lines.length > 2 * MAX_HUNK_LINES) this.#lines.splice(0, MAX_HUNK_LINES);
    const found = (side: DiffSide, line: number) => () => ({
      side,
      line,
      position,
      text: text.slice(1),
      hunk: this.#hunks,
      diffHunk: this.#hunkText(),
    });
    if (newLine !== undefined) this.#offer(path, `RIGHT${newLine}`, found('RIGHT', newLine));
    if (oldLine !== undefined) this.#offer(path, `LEFT${oldLine}`, found('LEFT', oldLine));
    const own = newLine === undefined ? found('LEFT', oldLine!) : found('RIGHT', newLine);
    this.#offer(path, `P${position}`, own);
  }

  #hunkText(): string {
    const lines: string[] = [];
    let room = MAX_HUNK_LENGTH - this.#header.length;
    for (const line of this.#lines.slice(-MAX_HUNK_LINES).reverse()) {
      room -= line.length + 1;
      if (room < 0 && lines.length > 0) break;
      lines.unshift(line.slice(0, MAX_HUNK_LENGTH));
    }
    return [this.#header.slice(0, MAX_HUNK_LENGTH), ...lines].join('\n');
  }
}
