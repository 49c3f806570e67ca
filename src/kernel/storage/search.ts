// Search by words in a column of texts, with the full-text indexes of the engines.
import { sql } from 'kysely';
import type { Engine } from './engine.ts';

/** The words of texts in lower case, joined by spaces: the content of a searched column on both engines. */
export function wordsOf(...texts: (string | null | undefined)[]): string {
  const words = texts.flatMap((text) => text?.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return [...new Set(words)].join(' ');
}

/**
 * For migrations: the index over `words` of a table with an immutable numeric `key`. `settled`: PostgreSQL puts new rows in
 * their places at once, and does not collect them in a list that every search then reads through.
 */
export function searchIndex(kind: Engine['kind'], table: string, key: string, settled?: 'settled'): string[] {
  if (kind === 'postgres') {
    const options = settled === undefined ? '' : ' with (fastupdate = off)';
    return [`create index ${table}_words on ${table} using gin (${vectorOf(table)})${options}`];
  }
  return [
    `create virtual table ${table}_words using fts5 (words, content='${table}', content_rowid='${key}',
       tokenize='unicode61 remove_diacritics 0')`,
    `create trigger ${table}_words_insert after insert on ${table} when new.words is not null begin
       insert into ${table}_words (rowid, words) values (new.${key}, new.words); end`,
    `create trigger ${table}_words_delete after delete on ${table} when old.words is not null begin
       insert into ${table}_words (${table}_words, rowid, words) values ('delete', old.${key}, old.words); end`,
  ];
}

function vectorOf(table: string): string {
  return `array_to_tsvector(string_to_array(${table}.words, ' '))`;
}

/** What a row must have in its words. No term has quotation marks, apostrophes or backslashes: `wordsOf` leaves none. */
export interface SearchTerms {
  /** For each, a word that begins so. */
  prefixes: readonly string[];
  /** Each of them, whole. */
  words?: readonly string[];
  /** At least one of them, whole; where it is empty, nothing is found. */
  anyOf?: readonly string[];
}

export interface SearchedTable {
  table: string;
  key: string;
}

/**
 * Keys of the rows that have, for each word of `text`, a word that begins with it: those below the cursor in descending
 * order, or those above it in ascending order. `text` must have at least one word.
 */
export async function searchByWords(
  { kind, db }: Engine,
  { table, key, text }: SearchedTable & { text: string },
  cursor: number,
  limit: number,
  order: 'desc' | 'asc' = 'desc',
): Promise<number[]> {
  const number = sql.ref(key);
  const beyond = sql.raw(order === 'desc' ? '<' : '>');
  const ordered = sql.raw(order);
  const terms = { prefixes: wordsOf(text).split(' ') };
  const found =
    kind === 'postgres'
      ? sql<{ key: number }>`(
          select ${number} as key from ${sql.table(table)}
          where ${sql.raw(vectorOf(table))} @@ ${tsQueryOf(terms)}::tsquery
            and ${number} ${beyond} ${cursor}
          order by ${number} ${ordered} limit ${limit})`
      : sql<{ key: number }>`(
          select rowid as key from ${sql.table(`${table}_words`)}
          where ${sql.table(`${table}_words`)} match ${matchOf(terms)}
            and rowid ${beyond} ${cursor}
          order by rowid ${ordered} limit ${limit})`;
  // A built query, because the driver sends raw ones to the writer.
  const rows = await db.selectFrom(found.as('found')).select('found.key').execute();
  return rows.map((row) => row.key);
}

/**
 * The keys of rows that have the terms, of which there must be at least one, the newest first. The index finds them all, up to
 * a bound, before they are sorted: its planner cannot know how rare a term is, and would otherwise look through the table.
 */
export async function searchByTerms(
  { kind, db }: Pick<Engine, 'kind' | 'db'>,
  { table, key }: SearchedTable,
  terms: SearchTerms,
  limit: number,
): Promise<number[]> {
  if (terms.anyOf?.length === 0) return [];
  const number = sql.ref(key);
  const words = sql.table(`${table}_words`);
  const found =
    kind === 'postgres'
      ? sql<{ key: number }>`(
          with matching as materialized (
            select ${number} as key from ${sql.table(table)}
            where ${sql.raw(vectorOf(table))} @@ ${tsQueryOf(terms)}::tsquery limit ${sql.lit(MAX_SORTED)})
          select key from matching order by key desc limit ${sql.lit(limit)})`
      : sql<{ key: number }>`(
          select rowid as key from ${words} where ${words} match ${matchOf(terms)}
          order by rowid desc limit ${limit})`;
  const rows = await db.selectFrom(found.as('found')).select('found.key').execute();
  return rows.map((row) => row.key);
}

/** Limits are written out: with parameters, PostgreSQL expects a tenth of the table, and reads all of it. */
const MAX_SORTED = 20_000;

function tsQueryOf({ prefixes, words = [], anyOf = [] }: SearchTerms): string {
  return [
    ...prefixes.map((word) => `'${word}':*`),
    ...words.map((word) => `'${word}'`),
    ...(anyOf.length === 0 ? [] : [`(${anyOf.map((word) => `'${word}'`).join(' | ')})`]),
  ].join(' & ');
}

function matchOf({ prefixes, words = [], anyOf = [] }: SearchTerms): string {
  return [
    ...prefixes.map((word) => `"${word}"*`),
    ...words.map((word) => `"${word}"`),
    ...(anyOf.length === 0 ? [] : [`(${anyOf.map((word) => `"${word}"`).join(' OR ')})`]),
  ].join(' AND ');
}

/** Escapes for a `like` with the backslash as escape character. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (special) => `\\${special}`);
}
