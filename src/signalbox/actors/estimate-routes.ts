// How large an export of a dataset will be: by rendering a sample of its items.
import { countsOfDataset, writeItems } from '../../actors/datasets/routes.ts';
import {
  exportOptions,
  ItemsQuery,
  parseItemsQuery,
  rangeOf,
  type ItemsRequest,
} from '../../actors/datasets/items-query.ts';
import { readTexts, type ItemRange } from '../../actors/datasets/store-reads.ts';
import { SEPARATOR } from '../../actors/export/input.ts';
import { authorizeReading, openStorage } from '../../actors/storages/access.ts';
import { enforceLimit } from '../../actors/storages/rate-limits.ts';
import { route } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';

/** A sample has at most so many items, and about so many bytes of JSON. */
const SAMPLE_ITEMS = 200;
const SAMPLE_BYTES = 1024 * 1024;

const ExportEstimate = Type.Object(
  {
    count: Type.Integer({
      description: 'How many items are read; unwinding makes more of them, and leaving out empty ones fewer',
    }),
    bytes: Type.Integer({ description: 'About the size of the file' }),
    isExact: Type.Boolean({
      description: 'Whether the size was not estimated, because all items were rendered',
    }),
  },
  { $id: 'ExportEstimate' },
);

const { signature: _signature, attachment: _attachment, ...EXPORT_QUERY } = ItemsQuery.properties;

const estimateExport = route(
  {
    id: 'estimateDatasetExport',
    method: 'GET',
    path: '/datasets/{storageId}/export-estimate',
    summary: 'Estimate the size of an export',
    description: 'With the query that the items of the dataset would be exported with.',
    access: { action: 'viewStorage', ofOwner: true },
    params: Type.Object({ storageId: Type.String() }),
    query: Type.Object(EXPORT_QUERY),
    reply: { 200: ExportEstimate },
  },
  async (call, kernel) => {
    const { params, query, now } = call;
    const storage = await openStorage(kernel, 'dataset', 'read', call, { reference: params.storageId });
    await enforceLimit(kernel, 'dataset', storage.id, now);
    const request = parseItemsQuery(query, storage.schema);
    const range = rangeOf(request, (await countsOfDataset(kernel, storage)).itemCount);
    const count = range.end - range.first;
    const feedLink = `${kernel.publicUrl}/v2/datasets/${storage.id}/items`;
    const options = exportOptions(query, { feedTitle: '', feedDescription: '', feedLink });
    const render = (some: ItemRange) => measure(kernel, storage.id, request, some, options);
    const head = await sampleOf(kernel, storage.id, range);
    if (head === count) return { count, bytes: await render(range), isExact: true };
    // What a file has but once, such as the names of columns, does not grow with the items.
    const whole = await render(part(range, 0, head));
    const half = Math.floor(head / 2);
    const perHeadItem = half === 0 ? whole : (whole - (await render(part(range, 0, half)))) / (head - half);
    const once = Math.max(0, whole - perHeadItem * head);
    const middle = Math.floor(count / 2);
    const length = await sampleOf(kernel, storage.id, part(range, middle, count));
    const perMiddleItem = ((await render(part(range, middle, middle + length))) - once) / length;
    const bytes = Math.max(0, Math.round(once + ((perHeadItem + perMiddleItem) / 2) * count));
    return { count, bytes, isExact: false };
  },
  authorizeReading('dataset'),
);

/** Items of the range by their places in the requested order. */
function part({ first, end, desc }: ItemRange, from: number, to: number): ItemRange {
  return desc ? { first: end - to, end: end - from, desc } : { first: first + from, end: first + to, desc };
}

/** How many items from the beginning of the range make a sample: at least one, if there is any. */
async function sampleOf({ db }: Kernel, id: string, range: ItemRange): Promise<number> {
  const wanted = Math.min(SAMPLE_ITEMS, range.end - range.first);
  let [items, bytes] = [0, 0];
  for await (const texts of readTexts(db, id, part(range, 0, wanted))) {
    for (const text of texts)
      for (const item of text.split(SEPARATOR)) {
        if (items > 0 && bytes + item.length > SAMPLE_BYTES) return items;
        items += 1;
        bytes += item.length;
      }
  }
  return items;
}

async function measure(
  kernel: Kernel,
  id: string,
  request: ItemsRequest,
  range: ItemRange,
  options: ReturnType<typeof exportOptions>,
): Promise<number> {
  let bytes = 0;
  for await (const chunk of writeItems(kernel, id, request, range, options))
    bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
  return bytes;
}

export const estimateRoutes = [estimateExport];
