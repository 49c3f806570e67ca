// Reads the text of a CODEOWNERS file: rules, and what is wrong with lines that are none.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { isBadPattern, parsePattern, type OwnerPattern } from './pattern.ts';

export interface CodeOwner {
  kind: 'user' | 'team' | 'email';
  /** The name without `@`, `organization/team`, or the address. */
  name: string;
  /** Where it stands in its line, from 1 on. */
  column: number;
}

export interface OwnerRule {
  /** From 1 on. */
  line: number;
  /** As it is written. */
  text: string;
  pattern: OwnerPattern;
  /** None where files of this pattern have no owner, whatever lines before say. */
  owners: readonly CodeOwner[];
  /** The beginning of the line. */
  source: string;
}

export type CodeownersErrorKind = 'Invalid pattern' | 'Invalid owner' | 'Unknown owner';

export interface CodeownersError {
  line: number;
  column: number;
  kind: CodeownersErrorKind;
  source: string;
  suggestion: string | null;
  /** Several lines, with a mark below the place. */
  message: string;
}

export interface Codeowners {
  rules: OwnerRule[];
  /** The first hundred. */
  errors: CodeownersError[];
}

export const MAX_CODEOWNERS_ERRORS = 100;
/** A line may have megabytes: this much of it is shown. */
const MAX_SOURCE = 500;
/** A longer line is wrong as a whole: it would be read at once, while other calls wait. */
const MAX_LINE = 32 * 1024;
const USER = /^@([A-Za-z0-9][\w-]{0,99})$/;
const TEAM = /^@([A-Za-z0-9][\w-]{0,99}\/[\w.-]{1,255})$/;
const EMAIL = /^[^\s@<>]{1,64}@[^\s@<>]{1,255}$/;

/** In slices, as the text may have three megabytes. A line with an error counts as a comment. */
export async function parseCodeowners(text: string): Promise<Codeowners> {
  const found: Codeowners = { rules: [], errors: [] };
  const slice = new TimeSlice();
  let line = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    line += 1;
    readLine(text.slice(start, end).replace(/\r$/, ''), line, found);
    start = end + 1;
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return found;
}

interface Word {
  text: string;
  column: number;
}

function readLine(source: string, line: number, { rules, errors }: Codeowners): void {
  let isWrong = false;
  const report = (kind: CodeownersErrorKind, column: number, suggestion: string | null = null) => {
    isWrong = true;
    if (errors.length < MAX_CODEOWNERS_ERRORS)
      errors.push(describeError({ line, column, kind, source, suggestion }));
  };
  if (source.length > MAX_LINE) {
    report('Invalid pattern', 1, `The line has more than ${MAX_LINE} characters.`);
    return;
  }
  const [first, ...rest] = wordsOf(source);
  if (first === undefined) return;
  const pattern = parsePattern(first.text);
  if (isBadPattern(pattern)) report('Invalid pattern', first.column, pattern.suggestion);
  const owners: CodeOwner[] = [];
  for (const { text, column } of rest) {
    const owner = ownerOf(text, column);
    if (owner === undefined) report('Invalid owner', column);
    else owners.push(owner);
  }
  if (!isWrong && !isBadPattern(pattern))
    rules.push({ line, text: first.text, pattern, owners, source: source.slice(0, MAX_SOURCE) });
}

/** Separated by spaces and tabs that have no backslash before them. A word that begins with `#` begins a comment. */
function wordsOf(source: string): Word[] {
  const words: Word[] = [];
  for (const { 0: text, index } of source.matchAll(/(?:\\.|[^\s\\]|\\$)+/g)) {
    if (text.startsWith('#')) break;
    words.push({ text, column: index + 1 });
  }
  return words;
}

function ownerOf(text: string, column: number): CodeOwner | undefined {
  const user = USER.exec(text)?.[1];
  if (user !== undefined) return { kind: 'user', name: user, column };
  const team = TEAM.exec(text)?.[1];
  if (team !== undefined) return { kind: 'team', name: team, column };
  return EMAIL.test(text) ? { kind: 'email', name: text, column } : undefined;
}

/** Also for owners that are read well and that nobody is. */
export function describeError({
  line,
  column,
  kind,
  source: whole,
  suggestion,
}: Omit<CodeownersError, 'message'>): CodeownersError {
  const source = whole.slice(0, MAX_SOURCE);
  const head = `${kind} on line ${line}:${suggestion === null ? '' : ` ${suggestion}`}`;
  // A mark beyond the end of what is shown would mark nothing.
  const mark = column > source.length ? '' : `\n  ${' '.repeat(column - 1)}^`;
  return { line, column, kind, source, suggestion, message: `${head}\n\n  ${source}${mark}` };
}
