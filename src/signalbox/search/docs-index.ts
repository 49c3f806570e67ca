// The index of the documentation, in memory: it is small, and the same for every caller.
import { memoizeAsync } from '../../kernel/collections/memoize-async.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { guideRecords, operationRecords, type DocsRecord } from './docs-records.ts';
import type { FoundItem } from './model.ts';
import { splitWords, wholeOf, type SearchQuery } from './terms.ts';

export const DOCS_KINDS = ['operation', 'guide'] as const;
export type DocsKind = (typeof DOCS_KINDS)[number];

export interface RankedDocs {
  item: FoundItem;
  rank: number;
}

/** Of those that are found by words, in the order of `DocsRecord.texts`. */
const WORD_RANK = 3;
const BODY = 2;
/** Shorter words begin too many words of what guides say. */
const MIN_BODY_WORD = 3;

interface Words {
  /** In order. */
  sorted: readonly string[];
  /** By word: the number of each record that has it, and the first of its texts that does. */
  places: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

interface Index extends Words {
  records: readonly DocsRecord[];
  /** By record: its names without spaces and signs. */
  wholes: readonly (readonly string[])[];
}

/** Made when somebody searches first. */
export class DocsIndex {
  readonly #apis: readonly Api[];
  readonly #read: () => Promise<Index>;
  /** By the name of the API, and by the id of the operation. */
  readonly #operations = new Map<string, ReadonlyMap<string, FoundItem>>();

  constructor(apis: readonly Api[]) {
    this.#apis = apis;
    this.#read = memoizeAsync(async () =>
      indexRecords([...apis.flatMap(operationRecords), ...(await guideRecords())]),
    );
  }

  /** Undefined where the API has no such operation, or no more. */
  operation(api: string, id: string): FoundItem | undefined {
    let known = this.#operations.get(api);
    if (known === undefined) {
      const documented = this.#apis.find(({ protocol }) => protocol.name === api);
      if (documented === undefined) return undefined;
      known = new Map(operationRecords(documented).map(({ item }) => [item.id, item]));
      this.#operations.set(api, known);
    }
    return known.get(`${api}/${id}`);
  }

  /** The best first; of equals in the order of the documentation. */
  async find(kind: DocsKind, query: SearchQuery, limit: number): Promise<RankedDocs[]> {
    const whole = wholeOf(query.text);
    // A letter alone begins too much of it.
    if (whole.length < 2) return [];
    const { records, wholes, ...words } = await this.#read();
    const byWords = findByWords(words, query.words);
    const found = records.flatMap(({ item }, at) => {
      if (item.kind !== kind) return [];
      const names = wholes[at]!;
      const rank = names.includes(whole)
        ? 1
        : names.some((name) => name.startsWith(whole))
          ? 2
          : byWords.get(at);
      return rank === undefined ? [] : [{ item, rank }];
    });
    return found.toSorted((one, other) => one.rank - other.rank).slice(0, limit);
  }
}

async function indexRecords(records: readonly DocsRecord[]): Promise<Index> {
  const places = new Map<string, Map<number, number>>();
  const wholes: string[][] = [];
  const slice = new TimeSlice();
  for (const [at, { texts }] of records.entries()) {
    wholes.push(texts[0].map(wholeOf));
    for (const [tier, text] of texts.entries())
      for (const word of splitWords(...[text].flat())) {
        let found = places.get(word);
        if (found === undefined) places.set(word, (found = new Map()));
        if (!found.has(at)) found.set(at, tier);
      }
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return { records, wholes, places, sorted: [...places.keys()].toSorted() };
}

/** Those that have, for each of the words, a word that begins with it: by the last of their texts that is needed for one. */
function findByWords({ sorted, places }: Words, words: readonly string[]): Map<number, number> {
  let found: Map<number, number> | undefined;
  for (const word of words) {
    const last = word.length < MIN_BODY_WORD ? BODY - 1 : BODY;
    const next = new Map<number, number>();
    for (let at = firstFrom(sorted, word); sorted[at]?.startsWith(word) === true; at += 1)
      for (const [record, tier] of places.get(sorted[at]!)!) {
        const before = found === undefined ? WORD_RANK : found.get(record);
        if (tier > last || before === undefined) continue;
        const rank = Math.max(before, WORD_RANK + tier);
        next.set(record, Math.min(rank, next.get(record) ?? rank));
      }
    found = next;
  }
  return found ?? new Map();
}

/** The place of the first word that is not before this one. */
function firstFrom(sorted: readonly string[], word: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
