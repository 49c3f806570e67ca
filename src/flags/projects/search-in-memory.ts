// Searches and sorts lists that fit in memory: projects, and the environments of one.
import { compareCodePoints } from '../../kernel/text/fold-case.ts';
import type { SortOrder } from '../lists/list-query.ts';

interface Searchable {
  key: string;
  name: string;
  tags: readonly string[];
}

export interface MemorySearch {
  /** Part of the name or the key. */
  query?: string;
  /** Joined by `+`: all of them. A plus sign that a client did not encode arrives as a space. */
  tags?: string;
  /** Joined by `|`: any of them. */
  keys?: string;
}

/** Case-insensitive. */
export function searchInMemory<Thing extends Searchable>(
  things: readonly Thing[],
  { query, tags, keys }: MemorySearch,
): Thing[] {
  const text = query?.toLowerCase() ?? '';
  const wantedTags = wordsOf(tags, /[+\s]+/);
  const wantedKeys = keys === undefined ? undefined : new Set(wordsOf(keys, '|'));
  return things.filter(({ key, name, tags: own }) => {
    if (wantedKeys !== undefined && !wantedKeys.has(key.toLowerCase())) return false;
    if (!key.toLowerCase().includes(text) && !name.toLowerCase().includes(text)) return false;
    const ownTags = own.map((tag) => tag.toLowerCase());
    return wantedTags.every((tag) => ownTags.includes(tag));
  });
}

function wordsOf(text: string | undefined, separator: string | RegExp): string[] {
  return (text ?? '')
    .toLowerCase()
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

type Rank<Thing> = (thing: Thing) => string | number;

/** The sort is stable. Strings are compared by code points. */
export function sortBy<Thing, Field extends string>(
  things: readonly Thing[],
  orders: readonly SortOrder<Field>[],
  ranks: Record<Field, Rank<Thing>>,
): Thing[] {
  if (orders.length === 0) return [...things];
  // Computed once for each, because folding a name takes longer than comparing it.
  const ranked = things.map((thing) => ({ thing, by: orders.map(({ field }) => ranks[field](thing)) }));
  ranked.sort((one, other) => {
    for (const [index, { desc }] of orders.entries()) {
      const order = compare(one.by[index]!, other.by[index]!);
      if (order !== 0) return desc ? -order : order;
    }
    return 0;
  });
  return ranked.map(({ thing }) => thing);
}

function compare(one: string | number, other: string | number): number {
  return typeof one === 'number' || typeof other === 'number'
    ? Number(one) - Number(other)
    : compareCodePoints(one, other);
}
