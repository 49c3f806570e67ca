// The tokens of a text that is being edited: read as far as they are needed, and anew only where the text has changed.
import type { Language } from './languages.ts';
import { tokenizeLine, type Open, type Token, type TokenizedLine } from './tokenize.ts';

/** The tokens of the lines from one up to before another. */
export type TokenReader = (lines: readonly string[], from: number, to: number) => Token[][];

interface ReadLine extends TokenizedLine {
  before: Open | undefined;
}

export function openTokenReader(language: Language): TokenReader {
  let present: readonly string[] = [];
  let read: (ReadLine | undefined)[] = [];
  return (lines, from, to) => {
    if (lines !== present) {
      read = moveLines(read, present, lines);
      present = lines;
    }
    const end = Math.min(to, lines.length);
    let open: Open | undefined;
    for (let index = 0; index < end; index += 1) {
      let line = read[index];
      if (line === undefined || !isSame(line.before, open))
        read[index] = line = { before: open, ...tokenizeLine(lines[index]!, language, open) };
      open = line.after;
    }
    return read.slice(from, end).map((line) => line!.tokens);
  };
}

/** What is known of the lines before and after those that changed. */
function moveLines(
  read: readonly (ReadLine | undefined)[],
  before: readonly string[],
  after: readonly string[],
): (ReadLine | undefined)[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return Array.from({ length: after.length }, (_, index) => {
    if (index < start) return read[index];
    return index < after.length - end ? undefined : read[index - after.length + before.length];
  });
}

function isSame(one: Open | undefined, other: Open | undefined): boolean {
  return one?.kind === other?.kind && one?.end === other?.end;
}
