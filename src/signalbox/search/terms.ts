// The words that things are indexed by, and how a query matches them. ADR 0145.
import { wordsOf, type SearchTerms } from '../../kernel/storage/search.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { SearchKind } from './model.ts';

/** Runs and builds have no names of their own, and the documentation is not in the database. */
export type IndexedKind = Exclude<SearchKind, 'run' | 'build' | 'operation' | 'guide'>;

/** One thing that can be found, as it is now. */
export interface SearchRecord {
  kind: IndexedKind;
  id: string;
  name: string;
  key?: string;
  /** Further texts that it is found by, such as tags. */
  texts?: readonly string[];
  /** Ids of what decides who sees it, such as its owner: see `SearchSource.scopesOf`. */
  scopes: readonly string[];
}

/** The engines index no word of thousands of letters. */
const MAX_WORD_LENGTH = 50;
const MAX_WORDS = 200;
const MAX_SOUGHT_WORDS = 12;

/**
 * Every word in the index begins with the mark of its kind, so that a search of one kind reads no words of the others. The
 * marks are characters for private use: letters to the index, and none to `wordsOf`, so that no query has them. They are
 * stored, and must not change.
 */
const KIND_MARKS: Readonly<Record<IndexedKind, string>> = {
  flag: '\u{e101}',
  segment: '\u{e102}',
  project: '\u{e103}',
  environment: '\u{e104}',
  actor: '\u{e105}',
  task: '\u{e106}',
  schedule: '\u{e107}',
  dataset: '\u{e108}',
  'key-value-store': '\u{e109}',
  'request-queue': '\u{e10a}',
  repository: '\u{e10b}',
  issue: '\u{e10c}',
  pull: '\u{e10d}',
  gist: '\u{e10e}',
  member: '\u{e10f}',
  team: '\u{e110}',
  token: '\u{e111}',
};

/** After the mark of the kind: a scope, a whole name, or the beginning of one. */
const SCOPE = '\u{e000}';
const WHOLE = '\u{e001}';
const HEAD = '\u{e002}';
/** Whole names differ by the thousand, their beginnings do not: looking through those is cheaper. */
const HEAD_LENGTH = 8;

export interface SearchQuery {
  /** As typed, folded and without spaces around it. */
  text: string;
  words: readonly string[];
}

export function parseQuery(text: string): SearchQuery {
  return { text: foldCase(text.normalize('NFC').trim()), words: splitWords(text).slice(0, MAX_SOUGHT_WORDS) };
}

export function splitWords(...texts: string[]): string[] {
  const words = wordsOf(...texts.map((text) => text.normalize('NFC'))).split(' ');
  return [...new Set(words.filter((word) => word !== '').map(cutWord))];
}

function cutWord(word: string): string {
  return Array.from(word).slice(0, MAX_WORD_LENGTH).join('');
}

/** The letters and digits of a name: `dark-mode` and `Dark mode` are the same. */
export function wholeOf(text: string): string {
  return cutWord(
    text
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ''),
  );
}

function headOf(whole: string): string {
  return Array.from(whole).slice(0, HEAD_LENGTH).join('');
}

function scopeOf(text: string): string {
  return SCOPE + text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** The content of the indexed column. */
export function indexedWords({ kind, name, key, texts = [], scopes }: SearchRecord): string {
  const names = key === undefined ? [name] : [name, key];
  const wholes = names.map(wholeOf).filter((whole) => whole !== '');
  const words = [
    ...scopes.map(scopeOf),
    ...wholes.flatMap((whole) => [WHOLE + whole, HEAD + headOf(whole)]),
    ...splitWords(...names, ...texts).slice(0, MAX_WORDS),
  ];
  return [...new Set(words)].map((word) => KIND_MARKS[kind] + word).join(' ');
}

interface SoughtKind {
  kind: IndexedKind;
  /** Only within these; undefined, within all. */
  scopes: readonly string[] | undefined;
}

/** What to look for in the index, one after the other: what is named so, what has a name that begins so, and what has the words. */
export function stagesOf({ text, words }: SearchQuery, { kind, scopes }: SoughtKind): SearchTerms[] {
  const whole = wholeOf(text);
  if (whole === '') return [];
  const marked = (terms: readonly string[]) => terms.map((term) => KIND_MARKS[kind] + term);
  const limits = { ...(scopes !== undefined && { anyOf: marked(scopes.map(scopeOf)) }) };
  const head = headOf(whole);
  const isCut = Array.from(head).length === HEAD_LENGTH;
  // A letter alone begins too many words: it only finds names that begin with it.
  const selective = words.filter((word) => word.length > 1 || word > '\u{7f}');
  return [
    { prefixes: [], words: marked([WHOLE + whole]), ...limits },
    isCut
      ? { prefixes: [], words: marked([HEAD + head]), ...limits }
      : { prefixes: marked([HEAD + head]), ...limits },
    ...(selective.length === 0 ? [] : [{ prefixes: marked(selective), ...limits }]),
  ];
}

/** The smaller, the better: its id or key, its name, the beginning of a name, the words. Undefined where it does not match. */
export function rankOf(query: SearchQuery, { id, key, name, texts = [] }: SearchRecord): number | undefined {
  const { text, words } = query;
  // Ids that are small numbers are the server's own: nobody looks for them.
  if ((id.length > 16 && text === id) || (key !== undefined && text === foldCase(key))) return 0;
  const names = key === undefined ? [name] : [name, key];
  const whole = wholeOf(text);
  const wholes = names.map(wholeOf);
  if (whole === '') return undefined;
  if (wholes.includes(whole)) return 1;
  if (wholes.some((one) => one.startsWith(whole))) return 2;
  const own = splitWords(...names, ...texts);
  return words.every((word) => own.some((one) => one.startsWith(word))) ? 3 : undefined;
}
