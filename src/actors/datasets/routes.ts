// The routes of datasets: those of every storage, and those that push, read and summarize items.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route, Stream, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import { exporters, startExport, type Chunks } from '../export/exporters.ts';
import { type Item, toLines } from '../export/input.ts';
import { projector } from '../export/project.ts';
import {
  authorizeReading,
  READ_ACCESS,
  WRITE_ACCESS,
  isOwner,
  maySign,
  openStorage,
} from '../storages/access.ts';
import { toListedName, type Storage } from '../storages/model.ts';
import { ByReference, storageRoutes, type StorageType } from '../storages/routes.ts';
import { storeCharged } from '../runs/charges.ts';
import { enforceLimit } from '../storages/rate-limits.ts';
import { countTransfer, countUsage } from '../usage/usage-counter.ts';
import { checkDatasetSchema } from './item-schema.ts';
import {
  exportOptions,
  ItemsQuery,
  paginationHeaders,
  rangeOf,
  parseItemsQuery,
  type ItemsRequest,
} from './items-query.ts';
import { knownFields, appendItems, countReads, findCounts, listMeasures, insertDataset } from './store.ts';
import {
  DatasetDetail,
  DatasetStatistics,
  DatasetSummary,
  toDatasetDetail,
  toDatasetSummary,
  type DatasetCounts,
  measuredFields,
  measureItems,
} from './model.ts';
import { packItems, readItems } from './chunks.ts';
import { readTexts, readOutlines, type ItemRange } from './store-reads.ts';

const datasets: StorageType<DatasetCounts> = {
  kind: 'dataset',
  path: '/datasets',
  id: 'dataset',
  Detail: DatasetDetail,
  Summary: DatasetSummary,
  checkSchema: checkDatasetSchema,
  insertRows: (tx, { id, createdAt }) => insertDataset(tx, id, createdAt),
  findCounts: (storage, kernel) => countsOfDataset(kernel, storage),
  detail: (storage, counts, { publicUrl, clock }, caller) =>
    toDatasetDetail(storage, counts, {
      publicUrl,
      now: clock.now(),
      isOwner: isOwner(caller, storage),
      maySign: maySign(caller, storage),
    }),
  async summaries(storages, { db }) {
    const counts = await findCounts(
      db,
      storages.map(({ id }) => id),
    );
    return storages.flatMap((storage) => {
      const counted = counts.get(storage.id);
      return counted === undefined ? [] : [toListedName(toDatasetSummary(storage, counted))];
    });
  },
};

const pushItems = route(
  {
    id: 'dataset_items_post',
    method: 'POST',
    path: '/datasets/{storageId}/items',
    summary: 'Add one item or a list of them, all or none',
    isData: true,
    access: WRITE_ACCESS,
    params: ByReference,
    body: Type.Unknown({ description: 'A JSON object, or an array of JSON objects' }),
    reply: { 201: Type.Object({}) },
  },
  async (call, kernel) => {
    const { now, params, body, base } = call;
    const storage = await openStorage(kernel, 'dataset', 'write', call, { reference: params.storageId });
    await enforceLimit(kernel, 'dataset_push', storage.id, now);
    const items = await readItems(body);
    await kernel.services.itemChecker.check(items, storage.schema);
    if (items.length > 0) await storeItems(kernel, storage, items, now);
    countUsage(kernel, storage, 'DATASET_WRITES', items.length);
    return reply(201, {}, { location: `${base}/datasets/${storage.id}/items` });
  },
);

async function storeItems(
  kernel: Kernel,
  { id, schema, actRunId, chargesItems }: Storage,
  items: readonly Item[],
  now: number,
): Promise<void> {
  const known = await knownFields(kernel, id);
  const packed = await packItems(items, known);
  const measures = await measureItems(items, measuredFields(schema) ?? []);
  const append = async (tx?: Db) => {
    if (!(await appendItems(kernel.engine, id, packed, measures, now, tx))) throw datasetNotFound();
  };
  if (chargesItems && actRunId !== null)
    await storeCharged(kernel, { runId: actRunId, count: items.length, now }, append);
  else await append();
  for (const name of packed.newFields) known.add(name);
}

const getItems = route(
  {
    id: 'dataset_items_get',
    method: 'GET',
    path: '/datasets/{storageId}/items',
    isContent: true,
    summary: 'Get items in one of seven formats',
    description: 'The page is described in the `X-Apify-Pagination-*` headers.',
    access: READ_ACCESS,
    params: ByReference,
    query: ItemsQuery,
    // The items as they are: they stand in no envelope.
    produces: 'application/json',
    reply: { 200: Type.Array(Type.Record(Type.String(), Type.Unknown())) },
  },
  async (call, kernel) => {
    const { method, now, params, query } = call;
    const storage = await openStorage(kernel, 'dataset', 'read', call, {
      reference: params.storageId,
      signature: query.signature,
    });
    await enforceLimit(kernel, 'dataset', storage.id, now);
    const request = parseItemsQuery(query, storage.schema);
    const { itemCount } = await countsOfDataset(kernel, storage);
    const range = rangeOf(request, itemCount);
    const label = storage.name ?? storage.id;
    const { contentType, extension } = exporters[request.format];
    const headers = {
      ...userContentHeaders(contentType, request.isAttachment ? `dataset_${label}.${extension}` : undefined),
      ...paginationHeaders(request, range, itemCount),
    };
    // HEAD asks for the counts in the headers only.
    if (method === 'HEAD') return reply(200, undefined, headers);
    const options = exportOptions(query, {
      feedTitle: `Dataset ${label}`,
      feedDescription: `The items of the dataset with the id ${storage.id}`,
      feedLink: `${kernel.publicUrl}/v2/datasets/${storage.id}/items`,
    });
    const chunks = await startExport(writeItems(kernel, storage.id, request, range, options));
    countReads(kernel.db, storage.id, range.end - range.first).catch((error: unknown) => {
      kernel.log.warn({ err: error, dataset: storage.id }, 'cannot count reads');
    });
    countUsage(kernel, storage, 'DATASET_READS', range.end - range.first);
    return new Stream(countTransfer(kernel, storage, chunks), headers);
  },
  authorizeReading('dataset', 'signed'),
);

/** Without a transformation, stored texts are sent without parsing them. Everything else is rendered in a worker thread. */
export function writeItems(
  { db, services }: Kernel,
  id: string,
  { format, projection }: ItemsRequest,
  range: ItemRange,
  options: ReturnType<typeof exportOptions>,
): Chunks {
  const { writeTexts } = exporters[format];
  const items = () => readTexts(db, id, range);
  if (writeTexts !== undefined && projector(projection) === undefined) {
    return writeTexts(async function* () {
      const slice = new TimeSlice();
      for await (const texts of items()) {
        yield format === 'json' ? texts : texts.map(toLines);
        // A quick reader with pages at hand would otherwise never yield to other calls.
        if (slice.isOver) await slice.yieldToEventLoop();
      }
    }, options);
  }
  // Outlines give the order of columns in ascending order only.
  const outlines = range.desc ? {} : { outlines: () => readOutlines(db, id, range) };
  return services.exportWriter.write({ format, projection, options }, { items, ...outlines });
}

const getStatistics = route(
  {
    id: 'dataset_statistics_get',
    method: 'GET',
    path: '/datasets/{storageId}/statistics',
    summary: "Get statistics of the fields that the dataset's schema names",
    access: READ_ACCESS,
    params: ByReference,
    reply: { 200: DatasetStatistics },
  },
  async (call, kernel) => {
    const { now, params } = call;
    const storage = await openStorage(kernel, 'dataset', 'read', call, { reference: params.storageId });
    await enforceLimit(kernel, 'dataset', storage.id, now);
    const measured = measuredFields(storage.schema);
    if (measured === undefined) return { fieldStatistics: null };
    const known = new Map(
      (await listMeasures(kernel.db, storage.id)).map(({ field, ...measure }) => [field, measure]),
    );
    const none = { min: null, max: null, nullCount: 0, emptyCount: 0 };
    const fields = measured.map((field) => [field, known.get(field) ?? none] as const);
    return { fieldStatistics: Object.fromEntries(fields) };
  },
  authorizeReading('dataset'),
);

export const datasetRoutes: Route[] = [
  ...storageRoutes(datasets),
  pushItems,
  getItems,
  getStatistics,
] as Route[];

export async function countsOfDataset({ db }: Kernel, { id }: Storage): Promise<DatasetCounts> {
  const counts = (await findCounts(db, [id])).get(id);
  if (counts === undefined) throw datasetNotFound();
  return counts;
}

function datasetNotFound(): Failure {
  return new Failure('not-found', 'The dataset was not found');
}
