// Translates filters of the segment list to SQL.
import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from 'kysely';
import type { Tables } from '../../kernel/storage/tables.ts';
import { couldBeKey } from '../fields.ts';
import {
  foldExpression,
  textsOf,
  truthOf,
  type Comparison,
  type Expression,
} from '../lists/filter-expression.ts';

export const SEGMENT_FILTERS = {
  excludedKeys: ['anyOf'],
  external: ['exists'],
  includedKeys: ['anyOf'],
  query: ['equals'],
  tags: ['anyOf'],
  unbounded: ['equals'],
} as const;

type Eb = ExpressionBuilder<Tables, 'segments'>;
type Condition = ExpressionWrapper<Tables, 'segments', SqlBool>;

export function conditionOf(filter: Expression, eb: Eb): Condition {
  return foldExpression<Condition>(
    filter,
    (comparison) => compare(comparison, eb),
    (kind, conditions) => (kind === 'all' ? eb.and(conditions) : eb.or(conditions)),
  );
}

function compare(comparison: Comparison, eb: Eb): Condition {
  switch (comparison.field) {
    case 'includedKeys':
      return eb('key', 'in', keysOf(comparison));
    case 'excludedKeys':
      return eb('key', 'not in', keysOf(comparison));
    case 'query':
      return eb.or(textsOf(comparison).map((text) => has(eb, 'words', plain(text).toLowerCase())));
    case 'tags':
      return eb.or(textsOf(comparison).map((tag) => has(eb, 'tags', JSON.stringify(plain(tag)))));
    case 'unbounded':
      return eb('is_unbounded', '=', Number(truthOf(comparison)));
    default:
      // `external`: no segment is synced from an external list.
      return eb(eb.lit(Number(truthOf(comparison))), '=', 0);
  }
}

/** Adds the empty key, which no segment has, because SQL has no empty lists. */
function keysOf(comparison: Comparison): string[] {
  return ['', ...textsOf(comparison).filter(couldBeKey)];
}

/** No stored text has a NUL, and PostgreSQL fails on one. */
function plain(text: string): string {
  return text.replaceAll('\0', '\n');
}

/** A substring test that is case-sensitive on both engines: removing the text changes the column's value. */
function has(eb: Eb, column: 'words' | 'tags', text: string): Condition {
  return eb(sql<string>`replace(${eb.ref(column)}, ${text}, '')`, '<>', eb.ref(column));
}
