// Removes from a text of Markdown what is not prose: blocks and spans of code, and comments of HTML. In linear time.

interface Fence {
  mark: string;
  length: number;
}

const OPENING = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})/;
const CLOSING = /^[\s>]*(`{3,}|~{3,})\s*$/;
/** One that is not closed goes on to the end. */
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;

/** A backtick stands where code was, so that what surrounds it is not joined. */
export function withoutCode(text: string): string {
  const kept: string[] = [];
  let paragraph: string[] = [];
  let fence: Fence | undefined;
  const endParagraph = () => {
    if (paragraph.length > 0) kept.push(withoutSpans(paragraph.join('\n')));
    paragraph = [];
  };
  for (const line of text.split(/\r\n?|\n/)) {
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
      continue;
    }
    fence = fenceIn(line);
    if (fence !== undefined || line.trim() === '') endParagraph();
    else paragraph.push(line);
  }
  endParagraph();
  return kept.join('\n\n').replaceAll(COMMENT, ' ');
}

function fenceIn(line: string): Fence | undefined {
  const [all = '', run] = OPENING.exec(line) ?? [];
  if (run === undefined) return undefined;
  const [mark] = run as unknown as [string];
  // Otherwise it is a span of code in a line of text.
  return mark === '`' && line.includes('`', all.length) ? undefined : { mark, length: run.length };
}

function closes(line: string, { mark, length }: Fence): boolean {
  const run = CLOSING.exec(line)?.[1];
  return run !== undefined && run.startsWith(mark) && run.length >= length;
}

/** A span ends with as many backticks as it begins with. */
function withoutSpans(paragraph: string): string {
  if (!paragraph.includes('`')) return paragraph;
  const runs = Array.from(paragraph.matchAll(/`+/g), ({ 0: { length }, index }) => ({ length, index }));
  const byLength = Map.groupBy(runs.keys(), (at) => runs[at]!.length);
  // How far each list has been read: what lies before a run is never looked at again.
  const read = new Map<number, number>();
  const nextOf = (length: number, after: number): number | undefined => {
    const some = byLength.get(length) ?? [];
    let at = read.get(length) ?? 0;
    while (at < some.length && some[at]! <= after) at += 1;
    read.set(length, at);
    return some[at];
  };
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const { index, length } = runs[at]!;
    const isEscaped = /(?:^|[^\\])\\(?:\\\\)*$/.test(paragraph.slice(Math.max(from, index - 20), index));
    const end = nextOf(length - Number(isEscaped), at);
    if (end === undefined) continue;
    kept.push(paragraph.slice(from, index), '`');
    from = runs[end]!.index + runs[end]!.length;
    at = end;
  }
  return kept.join('') + paragraph.slice(from);
}
