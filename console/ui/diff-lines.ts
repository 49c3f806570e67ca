// The difference of two texts line by line, with the words that changed. It is bounded: what differs too much is
// shown as removed and added whole, and no call takes longer than a few frames.
import { diffLines, diffWordsWithSpace } from 'diff';
import type { DiffLine, DiffPart } from './diff-line.ts';

export interface LineDiff {
  lines: DiffLine[];
  /** The two differ too much to be compared line by line. */
  isWhole: boolean;
}

/** In milliseconds; then the difference is shown whole. */
const timeLimit = 60;
/** Longer lines get no marks on words. */
const longestMarkedLine = 1000;
/** Nor do lines beyond these of one replaced part. */
const mostMarkedLines = 60;

export function compareLines(before: string, after: string): LineDiff {
  const changes = diffLines(ended(before), ended(after), { timeout: timeLimit });
  if (changes === undefined) {
    return { lines: numbered([...linesOf('del', before), ...linesOf('add', after)]), isWhole: true };
  }
  const lines: DiffLine[] = [];
  for (const [index, change] of changes.entries()) {
    const kind = change.added ? 'add' : change.removed ? 'del' : 'same';
    const earlier = changes[index - 1];
    // Marked already, together with what it replaces.
    if (kind === 'add' && earlier?.removed) continue;
    const next = changes[index + 1];
    if (kind === 'del' && next?.added) lines.push(...replaced(split(change.value), split(next.value)));
    else lines.push(...linesOf(kind, change.value));
  }
  return { lines: numbered(lines), isWhole: false };
}

/** Lines that stand for each other get marks on their words. */
function replaced(before: string[], after: string[]): DiffLine[] {
  const pairs = before.slice(0, mostMarkedLines).map((text, index) => markedPair(text, after[index] ?? ''));
  return [
    ...before.map((text, index) => pairs[index]?.[0] ?? plain('del', text)),
    ...after.map((text, index) => pairs[index]?.[1] ?? plain('add', text)),
  ];
}

/** Nothing where the two have little in common: then marks on words would hide more than they show. */
function markedPair(before: string, after: string): [DiffLine, DiffLine] | undefined {
  const longest = Math.max(before.length, after.length);
  if (longest > longestMarkedLine) return undefined;
  const parts = diffWordsWithSpace(before, after);
  const common = parts.filter((part) => !part.added && !part.removed).map((part) => part.value.trim().length);
  if (common.reduce((sum, length) => sum + length, 0) * 3 < longest) return undefined;
  const of = (side: 'add' | 'del'): DiffPart[] =>
    parts
      .filter((part) => (side === 'add' ? !part.removed : !part.added))
      .map((part) => ({ text: part.value, isChanged: part.added || part.removed }));
  return [
    { kind: 'del', parts: of('del') },
    { kind: 'add', parts: of('add') },
  ];
}

function linesOf(kind: DiffLine['kind'], text: string): DiffLine[] {
  return split(text).map((line) => plain(kind, line));
}

function plain(kind: DiffLine['kind'], text: string): DiffLine {
  return { kind, parts: [{ text, isChanged: false }] };
}

function split(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** A last line without an end would differ from the same line with one. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function numbered(lines: DiffLine[]): DiffLine[] {
  let before = 0;
  let after = 0;
  return lines.map((line) => {
    if (line.kind !== 'add') before += 1;
    if (line.kind !== 'del') after += 1;
    return {
      ...line,
      ...(line.kind === 'add' ? {} : { before }),
      ...(line.kind === 'del' ? {} : { after }),
    };
  });
}
