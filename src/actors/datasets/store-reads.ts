// Reads a range of a dataset's items page by page, so that no transaction stays open while a slow client reads.
import { sql, type ExpressionBuilder } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { SEPARATOR } from '../export/input.ts';

/** The size of a page, give or take a chunk: rendering one blocks the event loop. */
const PAGE_BYTES = 256 * 1024;
const MIN_CHUNKS = 8;
const MAX_CHUNKS = 512;

const EMPTY_ITEM = '{}';

/** Items by their sequence numbers; `end` is exclusive. */
export interface ItemRange {
  first: number;
  end: number;
  desc: boolean;
}

interface ReadChunk {
  first_seq: number;
  item_count: number;
  items: string;
}

/**
 * The items in the requested order, as texts of several joined. Items are only ever appended, so the range stays the same
 * however long reading takes. The next page is read ahead. Throws when the dataset is deleted meanwhile, because a part
 * of the items must not look like all of them.
 */
export async function* readTexts(db: Db, id: string, range: ItemRange): AsyncGenerator<string[], void> {
  let { first, end } = range;
  const { desc } = range;
  let width = MIN_CHUNKS;
  const fetch = () => {
    const page = first < end ? readPage(db, id, { first, end, desc }, width) : Promise.resolve([]);
    page.catch(() => {}); // awaited below, unless the reader stops early
    return page;
  };
  let next = fetch();
  while (first < end) {
    const page = await next;
    const texts: string[] = [];
    for (const chunk of page) {
      const chunkEnd = chunk.first_seq + chunk.item_count;
      const isNext = desc
        ? chunk.first_seq < end && chunkEnd >= end
        : chunk.first_seq <= first && chunkEnd > first;
      if (!isNext) throw datasetNotFound();
      texts.push(cut(chunk, first, end, desc));
      if (desc) end = chunk.first_seq;
      else first = chunkEnd;
    }
    if (page.length === 0) throw datasetNotFound();
    width = Math.min(Math.max(2 * page.length, MIN_CHUNKS), MAX_CHUNKS);
    next = fetch();
    yield texts;
  }
}

/**
 * Texts of as many items as the range has, with the same columns: from the outlines of chunks, padded with empty items, and
 * the items themselves where there is no outline. In ascending order only, because outlines are.
 */
export async function* readOutlines(
  db: Db,
  id: string,
  { first, end }: Pick<ItemRange, 'first' | 'end'>,
): AsyncGenerator<string[], void> {
  for (let at = first; at < end;) {
    const rows = await outlineQuery(db, id, at, end).execute();
    if (rows.length === 0) throw datasetNotFound();
    for (const { first_seq, item_count, outline } of rows) {
      const chunkEnd = first_seq + item_count;
      if (outline !== null && first_seq >= at && chunkEnd <= end) {
        const summaries = outline === '' ? [] : outline.split(SEPARATOR);
        const rest = Array.from({ length: item_count - summaries.length }, () => EMPTY_ITEM);
        yield [[...summaries, ...rest].join(SEPARATOR)];
      } else {
        yield* readTexts(db, id, { first: at, end: Math.min(chunkEnd, end), desc: false });
      }
      at = chunkEnd;
    }
  }
}

function outlineQuery(db: Db, id: string, first: number, end: number) {
  return db
    .selectFrom('dataset_chunks')
    .select(['first_seq', 'item_count', 'outline'])
    .where('dataset_id', '=', id)
    .where('first_seq', '<', end)
    .where('first_seq', '>=', startOf(id, first))
    .orderBy('first_seq')
    .limit(MAX_CHUNKS);
}

/** The text of those items of a chunk that are in the range. */
function cut({ first_seq, item_count, items }: ReadChunk, first: number, end: number, desc: boolean): string {
  const from = Math.max(first - first_seq, 0);
  const to = Math.min(end - first_seq, item_count);
  if (!desc && from === 0 && to === item_count) return items;
  const texts = items.split(SEPARATOR).slice(from, to);
  return (desc ? texts.reverse() : texts).join(SEPARATOR);
}

function datasetNotFound(): Failure {
  return new Failure('not-found', 'The dataset was deleted while it was read');
}

/** The next chunks of the range, as many as make a page and at least one. */
async function readPage(db: Db, id: string, range: ItemRange, width: number): Promise<ReadChunk[]> {
  const rows = await pageQuery(db, id, range, width).execute();
  return rows.sort((a, b) => (range.desc ? b.first_seq - a.first_seq : a.first_seq - b.first_seq));
}

/** Sums up sizes first, so that the contents of chunks beyond the page are not read. */
export function pageQuery(db: Db, id: string, { first, end, desc }: ItemRange, width: number) {
  const order = desc ? 'desc' : 'asc';
  return db
    .with('ahead', (query) =>
      query
        .selectFrom('dataset_chunks')
        .select(['first_seq', 'bytes'])
        .where('dataset_id', '=', id)
        .where('first_seq', '<', end)
        .where('first_seq', '>=', startOf(id, first))
        .orderBy('first_seq', order)
        .limit(width),
    )
    .with('measured', (query) =>
      query
        .selectFrom('ahead')
        .select([
          'first_seq',
          sql<number>`sum(bytes) over (order by first_seq ${sql.raw(order)} rows unbounded preceding) - bytes`.as(
            'before',
          ),
        ]),
    )
    .selectFrom('measured')
    .innerJoin('dataset_chunks as chunk', (join) =>
      join.on('chunk.dataset_id', '=', id).onRef('chunk.first_seq', '=', 'measured.first_seq'),
    )
    .where('measured.before', '<', PAGE_BYTES)
    .select(['chunk.first_seq', 'chunk.item_count', 'chunk.items']);
}

/** The start of the chunk that contains this item: a range may begin in the middle of one. */
function startOf(id: string, first: number) {
  return (query: ExpressionBuilder<Tables, 'dataset_chunks'>) =>
    query
      .selectFrom('dataset_chunks as start')
      .select(({ fn }) => fn.coalesce(fn.max('start.first_seq'), sql<number>`0`).as('first_seq'))
      .where('start.dataset_id', '=', id)
      .where('start.first_seq', '<=', first);
}
