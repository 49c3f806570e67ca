// Query parameters of lists: `limit`, `offset`, `sort`, `expand` and `filter`.
import { Failure } from '../../kernel/failure.ts';
import { clampLimit, type Slice } from '../../kernel/http/reply/page.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { isPaged } from '../version.ts';

export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 0 })),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
};

const MAX_PAGE = 1000;

export function sliceOf(query: { limit?: number; offset: number }, usual = 20, most = MAX_PAGE): Slice {
  return { offset: query.offset, limit: clampLimit(query.limit, usual, most) };
}

/** For lists that come in pages only since a newer version of the API: before, all came that fit on the largest page. */
export function sliceInVersion(
  call: Parameters<typeof isPaged>[0] & { query: { limit?: number; offset: number } },
  usual = 20,
): Slice {
  return sliceOf(call.query, isPaged(call) ? usual : MAX_PAGE, MAX_PAGE);
}

export function ExpandQuery(names: readonly string[]) {
  return {
    expand: Type.Optional(
      Type.String({ description: `Attributes to add, joined by commas: ${names.join(', ')}` }),
    ),
  };
}

/** Fails for unknown attributes. */
export function readExpand<Word extends string>(
  text: string | undefined,
  names: readonly Word[],
): ReadonlySet<Word> {
  const asked = splitList(text);
  for (const name of asked) if (!isOneOf(name, names)) throw unknown('expand', name, names);
  return new Set(asked as Word[]);
}

export interface SortOrder<Field extends string> {
  field: Field;
  desc: boolean;
}

export function SortQuery(fields: readonly string[]) {
  return {
    sort: Type.Optional(
      Type.String({ description: `By ${fields.join(', ')}; \`-\` in front turns the order around` }),
    ),
  };
}

export function readSort<Field extends string>(
  text: string | undefined,
  fields: readonly Field[],
): SortOrder<Field>[] {
  return splitList(text).map((word) => {
    const field = word.replace(/^-/, '');
    if (!isOneOf(field, fields)) throw unknown('sort', field, fields);
    return { field, desc: word.startsWith('-') };
  });
}

export function FilterQuery(fields: readonly string[]) {
  return {
    filter: Type.Optional(
      Type.String({ description: `\`field:value\` pairs joined by commas; fields: ${fields.join(', ')}` }),
    ),
  };
}

/**
 * Reads `field:value,field:{"before":1}`: pairs joined by commas. A value ends at the next comma outside JSON brackets
 * and quotes, so that a plain value with a comma is quoted. The reader of each field checks its value.
 */
export function readFieldFilter<Field extends string>(
  text: string | undefined,
  fields: readonly Field[],
): Partial<Record<Field, string>> {
  const found: Partial<Record<Field, string>> = {};
  for (const pair of splitOutside(text ?? '')) {
    const colon = pair.indexOf(':');
    if (colon < 0) throw new Failure('malformed', `filter: "${shorten(pair)}" must be a field:value pair`);
    const field = pair.slice(0, colon).trim();
    if (!isOneOf(field, fields)) throw unknown('filter', field, fields);
    const value = pair.slice(colon + 1).trim();
    found[field] =
      value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
  }
  return found;
}

/** Splits at commas outside quotes and brackets. */
function splitOutside(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"' && text[at - 1] !== '\\') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (letter === '{' || letter === '[') depth += 1;
    else if (letter === '}' || letter === ']') depth -= 1;
    else if (letter === ',' && depth === 0) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces.filter((piece) => piece.trim() !== '');
}

function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function isOneOf<Word extends string>(word: string, words: readonly Word[]): word is Word {
  return (words as readonly string[]).includes(word);
}

function unknown(parameter: string, word: string, words: readonly string[]): Failure {
  return new Failure(
    'malformed',
    `${parameter}: there is no "${shorten(word)}" here. There are: ${words.join(', ')}.`,
  );
}
