// Bounds how deep lists and quotes of a text are nested: the parser looks at each of them on each line, and no reader can follow them. ADR 0168.

/** About as many lists as nest within these columns, and as many quotes and lists as one line may open. */
const MAX_COLUMNS = 96;
const MAX_OPENED = 48;

const ITEM = String.raw`(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)`;
const TOO_FAR_IN = new RegExp(String.raw`^([ \t]{${MAX_COLUMNS}})[ \t]+(?=${ITEM}|>)`, 'gm');
const TOO_MANY = new RegExp(String.raw`^((?:[ \t]*(?:>|${ITEM})){${MAX_OPENED}})[ \t]*(?=>|${ITEM})`, 'gm');

/** What is nested deeper stands at the deepest level, and what a line opens beyond it is its text. */
export function boundNesting(text: string): string {
  return text.replaceAll(TOO_FAR_IN, '$1').replaceAll(TOO_MANY, '$1 \\');
}
