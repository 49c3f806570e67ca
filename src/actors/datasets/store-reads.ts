// Reads a range of a dataset's items page by page, so that no transaction stays open while a slow client reads.
import { sql, type ExpressionBuilder } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { SEPARATOR } from '../../kernel/export/item-texts.ts';

/** What is read in one trip, give or take a chunk; whoever renders it holds up the event loop meanwhile. */
const PAGE_BYTES = 256 * 1024;
const LEAST_CHUNKS = 8;
const MOST_CHUNKS = 512;

/** An item without columns. */
const NOTHING = '{}';

/** Items by their sequence numbers, the last one not included. */
export interface Range {
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
 * The items in the order asked for, in texts of several joined. Items are only ever appended, so the range is the
 * same however long reading takes. The next page is read while one is worked on. Fails when the dataset is deleted
 * meanwhile: what came so far must not pass for everything.
 */
export async function* readTexts(db: Db, id: string, range: Range): AsyncGenerator<string[], void> {
  let { first, end } = range;
  const { desc } = range;
  let width = LEAST_CHUNKS;
  const fetch = () => {
    const page = first < end ? readPage(db, id, { first, end, desc }, width) : Promise.resolve([]);
    page.catch(() => {}); // who reads the page hears of it; nobody may
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
      if (!isNext) throw gone();
      texts.push(cut(chunk, first, end, desc));
      if (desc) end = chunk.first_seq;
      else first = chunkEnd;
    }
    if (page.length === 0) throw gone();
    width = Math.min(Math.max(2 * page.length, LEAST_CHUNKS), MOST_CHUNKS);
    next = fetch();
    yield texts;
  }
}

/**
 * Texts of items that have the columns of all those in the range, and are as many: blanks from the outlines of chunks, and
 * the items themselves where there is no outline. Only forwards, as an outline tells which columns came first that way.
 */
export async function* readOutlines(
  db: Db,
  id: string,
  { first, end }: Pick<Range, 'first' | 'end'>,
): AsyncGenerator<string[], void> {
  for (let at = first; at < end;) {
    const rows = await outlineQuery(db, id, at, end).execute();
    if (rows.length === 0) throw gone();
    for (const { first_seq, item_count, outline } of rows) {
      const chunkEnd = first_seq + item_count;
      if (outline !== null && first_seq >= at && chunkEnd <= end) {
        const told = outline === '' ? [] : outline.split(SEPARATOR);
        const rest = Array.from({ length: item_count - told.length }, () => NOTHING);
        yield [[...told, ...rest].join(SEPARATOR)];
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
    .limit(MOST_CHUNKS);
}

/** The items of a chunk that are in the range; as they are where that is all of them. */
function cut({ first_seq, item_count, items }: ReadChunk, first: number, end: number, desc: boolean): string {
  const from = Math.max(first - first_seq, 0);
  const to = Math.min(end - first_seq, item_count);
  if (!desc && from === 0 && to === item_count) return items;
  const texts = items.split(SEPARATOR).slice(from, to);
  return (desc ? texts.reverse() : texts).join(SEPARATOR);
}

function gone(): Failure {
  return new Failure('not-found', 'The dataset was deleted while it was read');
}

/** Chunks from the end of the range where reading goes on, as many as make a page and at least one. */
async function readPage(db: Db, id: string, range: Range, width: number): Promise<ReadChunk[]> {
  const rows = await pageQuery(db, id, range, width).execute();
  return rows.sort((a, b) => (range.desc ? b.first_seq - a.first_seq : a.first_seq - b.first_seq));
}

/** Sizes first, by the index, so that chunks beyond the page are not read. */
export function pageQuery(db: Db, id: string, { first, end, desc }: Range, width: number) {
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

/** Where the chunk with this item begins: a range may begin in the middle of one. */
function startOf(id: string, first: number) {
  return (query: ExpressionBuilder<Tables, 'dataset_chunks'>) =>
    query
      .selectFrom('dataset_chunks as start')
      .select(({ fn }) => fn.coalesce(fn.max('start.first_seq'), sql<number>`0`).as('first_seq'))
      .where('start.dataset_id', '=', id)
      .where('start.first_seq', '<=', first);
}
