// Equal lines far from any change are folded into one row.
import type { DiffLine } from './diff-line.ts';

export type DiffPiece = { kind: 'line'; line: DiffLine } | { kind: 'fold'; from: number; count: number };

/** Equal lines that stay visible around a change. */
const context = 3;

/** `opened` holds the first lines of the folds that were opened. */
export function foldEqualLines(lines: DiffLine[], opened: ReadonlySet<number>): DiffPiece[] {
  const isNear = nearChange(lines);
  const pieces: DiffPiece[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    let end = at;
    while (end < lines.length && isNear[end] !== true) end += 1;
    // A fold of one line would save nothing.
    if (end - at > 1 && !opened.has(at)) {
      pieces.push({ kind: 'fold', from: at, count: end - at });
      at = end - 1;
      continue;
    }
    for (let next = at; next < Math.max(end, at + 1); next += 1) {
      const line = lines[next];
      if (line !== undefined) pieces.push({ kind: 'line', line });
    }
    at = Math.max(end, at + 1) - 1;
  }
  return pieces;
}

function nearChange(lines: DiffLine[]): boolean[] {
  const isNear = Array.from<boolean>({ length: lines.length }).fill(false);
  for (const [index, line] of lines.entries()) {
    if (line.kind === 'same') continue;
    isNear.fill(true, Math.max(0, index - context), Math.min(lines.length, index + context + 1));
  }
  return isNear;
}
