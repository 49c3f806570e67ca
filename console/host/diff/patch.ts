// The patch of a file, taken apart: hunks, lines with their numbers, and of lines that replace each other the part that differs.

export interface PatchLine {
  kind: 'same' | 'add' | 'del';
  text: string;
  before?: number;
  after?: number;
  /** The part that differs from the line that it replaces, or is replaced by. */
  mark?: { start: number; end: number };
  /** It is the last of the file and has no line ending. */
  isUnended?: true;
}

export interface Hunk {
  /** What git found above it, such as the name of a function; may be empty. */
  title: string;
  /** The first lines of it, before and after. */
  before: number;
  after: number;
  lines: PatchLine[];
}

const HEAD = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

/** Lines that are not understood are left out. */
export function parsePatch(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let before = 0;
  let after = 0;
  // The patch ends with a line feed, after which nothing follows.
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const head = HEAD.exec(line);
    const hunk = hunks.at(-1);
    if (head !== null) {
      before = Number(head[1]);
      after = Number(head[2]);
      hunks.push({ title: head[3]!, before, after, lines: [] });
    } else if (hunk === undefined) continue;
    else if (line.startsWith('\\')) {
      const last = hunk.lines.at(-1);
      if (last !== undefined) last.isUnended = true;
    } else {
      const text = line.slice(1);
      if (line.startsWith('+')) hunk.lines.push({ kind: 'add', text, after: after++ });
      else if (line.startsWith('-')) hunk.lines.push({ kind: 'del', text, before: before++ });
      else hunk.lines.push({ kind: 'same', text, before: before++, after: after++ });
    }
  }
  for (const { lines } of hunks)
    for (const [removed, added] of replacedPairs(lines)) markPair(removed, added);
  return hunks;
}

/** Of a run of removed lines and the added ones after it, the first and the first, the second and the second. */
function* replacedPairs(lines: readonly PatchLine[]): Generator<[PatchLine, PatchLine]> {
  for (const { removed, added } of blocksOf(lines))
    for (const [index, line] of removed.entries()) {
      const other = added[index];
      if (other !== undefined) yield [line, other];
    }
}

interface ChangeBlock {
  /** Equal lines before what changed. */
  same: PatchLine[];
  removed: PatchLine[];
  added: PatchLine[];
}

function* blocksOf(lines: readonly PatchLine[]): Generator<ChangeBlock> {
  let block: ChangeBlock = { same: [], removed: [], added: [] };
  for (const line of lines) {
    const isNext =
      (line.kind === 'same' && block.removed.length + block.added.length > 0) ||
      (line.kind === 'del' && block.added.length > 0);
    if (isNext) {
      yield block;
      block = { same: [], removed: [], added: [] };
    }
    if (line.kind === 'same') block.same.push(line);
    else if (line.kind === 'del') block.removed.push(line);
    else block.added.push(line);
  }
  yield block;
}

/** Nothing is marked where little is common: marks would hide more than they show. */
const LEAST_COMMON = 0.3;

function markPair(removed: PatchLine, added: PatchLine): void {
  const a = removed.text;
  const b = added.text;
  const shortest = Math.min(a.length, b.length);
  let start = 0;
  while (start < shortest && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shortest - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  // Half of a character that is written as two units would be no character.
  if (start > 0 && isHighSurrogate(a, start - 1)) start -= 1;
  if (end > 0 && isLowSurrogate(a, a.length - end)) end -= 1;
  const isAlike = a.trim() !== '' && start + end >= LEAST_COMMON * Math.max(a.length, b.length);
  if (!isAlike || a === b) return;
  removed.mark = { start, end: a.length - end };
  added.mark = { start, end: b.length - end };
}

function isHighSurrogate(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at] ?? '');
}

function isLowSurrogate(text: string, at: number): boolean {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '');
}

export interface SplitRow {
  left?: PatchLine;
  right?: PatchLine;
}

/** Side by side: what was removed stands beside what replaced it. */
export function splitRows(lines: readonly PatchLine[]): SplitRow[] {
  return [...blocksOf(lines)].flatMap(({ same, removed, added }) => [
    ...same.map((line) => ({ left: line, right: line })),
    ...Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => ({
      ...(removed[index] && { left: removed[index] }),
      ...(added[index] && { right: added[index] }),
    })),
  ]);
}
