// What Tab, Shift+Tab and Enter do in the text of a source file: they move lines in and out, and keep how far in a line stands.

export interface Selection {
  start: number;
  end: number;
}

/** The part of the text that is replaced, by what, and what is selected then. */
export interface TextEdit {
  from: number;
  to: number;
  text: string;
  selection: Selection;
}

const USUAL = '  ';

export function indentLines(text: string, { start, end }: Selection): TextEdit {
  const unit = unitOf(text);
  if (!text.slice(start, end).includes('\n')) {
    const at = start + unit.length;
    return { from: start, to: end, text: unit, selection: { start: at, end: at } };
  }
  return changeLines(text, { start, end }, (line) => (line === '' ? line : unit + line));
}

/** Undefined where no line can move further out. */
export function outdentLines(text: string, selection: Selection): TextEdit | undefined {
  const edit = changeLines(text, selection, (line) =>
    line.startsWith('\t') ? line.slice(1) : line.replace(/^ {1,2}/, ''),
  );
  return edit.text === text.slice(edit.from, edit.to) ? undefined : edit;
}

/** The next line begins as far in as this one. */
export function breakLine(text: string, { start, end }: Selection): TextEdit {
  const line = text.slice(lineStart(text, start), start);
  const broken = `\n${/^[ \t]*/.exec(line)![0]}`;
  const at = start + broken.length;
  return { from: start, to: end, text: broken, selection: { start: at, end: at } };
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** All lines that the selection has a part of. */
function changeLines(text: string, { start, end }: Selection, change: (line: string) => string): TextEdit {
  const from = lineStart(text, start);
  // A selection of whole lines ends where the next one begins.
  const last = end > start && text[end - 1] === '\n' ? end - 1 : end;
  const found = text.indexOf('\n', last);
  const to = found === -1 ? text.length : found;
  const before = text.slice(from, to).split('\n');
  const after = before.map(change);
  const joined = after.join('\n');
  const first = after[0]!.length - before[0]!.length;
  return {
    from,
    to,
    text: joined,
    selection: {
      start: Math.max(from, start + first),
      end: Math.max(from, end + joined.length - (to - from)),
    },
  };
}

/** A tab where the text has lines that begin with one. */
function unitOf(text: string): string {
  return /^\t/m.test(text) ? '\t' : USUAL;
}
