// What a filter of the list of segments means in SQL.
import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from 'kysely';
import type { Tables } from '../../kernel/storage/tables.ts';
import { couldBeKey } from '../fields.ts';
import { foldExpression, textsOf, truthOf, type Comparison, type Expression } from '../filter-expression.ts';

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
      // `external`: none is kept in step with a list elsewhere.
      return eb(eb.lit(Number(truthOf(comparison))), '=', 0);
  }
}

/** An empty list is no SQL; nothing has the empty key. */
function keysOf(comparison: Comparison): string[] {
  return ['', ...textsOf(comparison).filter(couldBeKey)];
}

/** What holds a NUL is nowhere, and PostgreSQL could not be asked for it. */
function plain(text: string): string {
  return text.replaceAll('\0', '\n');
}

/** Taking the text out makes a difference: both engines know how to, and tell capitals from small letters. */
function has(eb: Eb, column: 'words' | 'tags', text: string): Condition {
  return eb(sql<string>`replace(${eb.ref(column)}, ${text}, '')`, '<>', eb.ref(column));
}
