// Finds comments, strings, numbers and keywords in code: enough to read it by. It looks at each character once, and never at what the
// code means.
import type { Language } from './languages.ts';

/** Classes: comment, string, number, keyword, name of a function or key. */
export type TokenKind = 'c' | 's' | 'n' | 'k' | 'f';

export interface Token {
  start: number;
  end: number;
  kind: TokenKind;
}

/** A comment or a string that goes on in the next line. */
export interface Open {
  kind: 'c' | 's';
  end: string;
  hasEscapes: boolean;
}

const NUMBER = String.raw`\b(?:0[xXoObB][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)\w{0,4}\b`;
const WORD = String.raw`[A-Za-z_$@][\w$]*`;
const KEY = String.raw`(?:^|(?<=[\s{;]))-{0,2}[\w.-]+(?=\s*:(?:\s|$))`;
const TAG = String.raw`<\/?[\w:-]+|\/?>`;

/** The tokens of each line. */
export function tokenizeLines(lines: readonly string[], language: Language): Token[][] {
  let open: Open | undefined;
  return lines.map((line) => {
    const { tokens, after } = tokenizeLine(line, language, open);
    open = after;
    return tokens;
  });
}

export interface TokenizedLine {
  tokens: Token[];
  /** What goes on in the next line. */
  after: Open | undefined;
}

export function tokenizeLine(line: string, language: Language, before: Open | undefined): TokenizedLine {
  const tokens: Token[] = [];
  return { after: readLine(line, language, finderOf(language), before, tokens), tokens };
}

function readLine(
  line: string,
  language: Language,
  finder: RegExp,
  before: Open | undefined,
  tokens: Token[],
): Open | undefined {
  let at = 0;
  let open = before;
  for (;;) {
    if (open !== undefined) {
      const end = endOf(line, at, open);
      // What is open began before the line, or with the token that was pushed last.
      const last = tokens.at(-1);
      if (last?.end === at && last.kind === open.kind && at > 0) last.end = end ?? line.length;
      else tokens.push({ start: at, end: end ?? line.length, kind: open.kind });
      if (end === undefined) return open;
      at = end;
      open = undefined;
    }
    finder.lastIndex = at;
    const found = finder.exec(line);
    if (found === null) return undefined;
    const { index } = found;
    const [text] = found;
    const { line: comment, block, quote, number, key, tag } = found.groups!;
    const end = index + text.length;
    at = end;
    if (comment !== undefined) {
      tokens.push({ start: index, end: line.length, kind: 'c' });
      return undefined;
    }
    if (block !== undefined) {
      tokens.push({ start: index, end, kind: 'c' });
      const ending = language.blockComments.find(([start]) => start === block)![1];
      open = { kind: 'c', end: ending, hasEscapes: false };
    } else if (quote !== undefined) {
      const string: Open = { kind: 's', end: quote, hasEscapes: true };
      tokens.push({ start: index, end, kind: 's' });
      if (language.longQuotes.includes(quote)) open = string;
      else tokens.at(-1)!.end = at = endOf(line, end, string) ?? line.length;
    } else if (number !== undefined) tokens.push({ start: index, end, kind: 'n' });
    else if (key !== undefined) tokens.push({ start: index, end, kind: 'f' });
    else if (tag !== undefined) tokens.push({ start: index, end, kind: 'k' });
    else {
      const kind = kindOfWord(text, line, end, language);
      if (kind !== undefined) tokens.push({ start: index, end, kind });
    }
  }
}

function kindOfWord(word: string, line: string, end: number, language: Language): TokenKind | undefined {
  if (language.keywords.has(language.ignoresCase ? word.toLowerCase() : word)) return 'k';
  return line[end] === '(' && !language.hasTags ? 'f' : undefined;
}

/** After the end; undefined where it is in another line. */
function endOf(line: string, from: number, { end, hasEscapes }: Open): number | undefined {
  if (!hasEscapes) {
    const found = line.indexOf(end, from);
    return found === -1 ? undefined : found + end.length;
  }
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line.startsWith(end, at)) return at + end.length;
  }
  return undefined;
}

const finders = new WeakMap<Language, RegExp>();

function finderOf(language: Language): RegExp {
  let finder = finders.get(language);
  if (finder === undefined) {
    finder = new RegExp(patternOf(language), 'g');
    finders.set(language, finder);
  }
  return finder;
}

function patternOf({ lineComments, blockComments, quotes, longQuotes, hasKeys, hasTags }: Language): string {
  const alternatives = [
    group(
      'block',
      blockComments.map(([start]) => escaped(start)),
    ),
    // In shells and the like the sign also stands inside of words.
    group(
      'line',
      lineComments.map((sign) => (sign === '#' ? String.raw`(?<=^|\s)#` : escaped(sign))),
    ),
    // The longer ones first: three quotes are one sign.
    group(
      'quote',
      [...longQuotes, ...quotes].sort((a, b) => b.length - a.length).map((sign) => escaped(sign)),
    ),
    group('key', hasKeys ? [KEY] : []),
    group('tag', hasTags ? [TAG] : []),
    group('number', [NUMBER]),
    WORD,
  ];
  return alternatives.join('|');
}

/** One that nothing fits where there are none. */
function group(name: string, alternatives: readonly string[]): string {
  return `(?<${name}>${alternatives.length === 0 ? '(?!)' : alternatives.join('|')})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
