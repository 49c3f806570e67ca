// Search by words in a column of texts, on the engines' own word indexes.
import { sql } from 'kysely';
import type { Engine } from './engine.ts';

/** A text as its words, in small letters and joined by spaces: what a searched column holds on both engines. */
export function wordsOf(...texts: (string | null | undefined)[]): string {
  const words = texts.flatMap((text) => text?.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return [...new Set(words)].join(' ');
}

/** For migrations: the index over `words` of a table whose rows have the number `key` and never change. */
export function searchIndex(kind: Engine['kind'], table: string, key: string): string[] {
  if (kind === 'postgres') return [`create index ${table}_words on ${table} using gin (${vectorOf(table)})`];
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

/**
 * The numbers of rows that have a word beginning with each of the words sought: those below the edge from the highest on, or
 * those above it from the lowest on. `text` must have at least one word.
 */
export async function searchByWords(
  { kind, db }: Engine,
  { table, key, text }: { table: string; key: string; text: string },
  edge: number,
  limit: number,
  order: 'desc' | 'asc' = 'desc',
): Promise<number[]> {
  const sought = wordsOf(text).split(' ');
  const number = sql.ref(key);
  const beyond = sql.raw(order === 'desc' ? '<' : '>');
  const ordered = sql.raw(order);
  const found =
    kind === 'postgres'
      ? sql<{ key: number }>`(
          select ${number} as key from ${sql.table(table)}
          where ${sql.raw(vectorOf(table))} @@ ${sought.map((word) => `'${word}':*`).join(' & ')}::tsquery
            and ${number} ${beyond} ${edge}
          order by ${number} ${ordered} limit ${limit})`
      : sql<{ key: number }>`(
          select rowid as key from ${sql.table(`${table}_words`)}
          where ${sql.table(`${table}_words`)} match ${sought.map((word) => `"${word}"*`).join(' ')}
            and rowid ${beyond} ${edge}
          order by rowid ${ordered} limit ${limit})`;
  // Built, not raw, so that SQLite's reader does it.
  const rows = await db.selectFrom(found.as('found')).select('found.key').execute();
  return rows.map((row) => row.key);
}
