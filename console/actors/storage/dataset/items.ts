// The items of a dataset, read in pages of a size that fits theirs, and only those that are looked at.
import { useQueries } from '@tanstack/react-query';
import { path, type Call } from '../../../api/call.ts';
import { send } from '../../../api/client.ts';
import type { ApiError } from '../../../api/error.ts';
import { keyOf, useRead } from '../../../api/read.ts';
import { useSettled } from '../../../lib/settled.ts';
import type { Dataset, Query } from '../storage.ts';
import type { Item } from './fields.ts';

const MAX_PAGE = 100;
/** A page of large items has fewer of them. */
const PAGE_BYTES = 1024 * 1024;
/** While somebody scrolls past, nothing is read. */
const SETTLE_MS = 80;
/** Items never change; those of pages far away are let go of. */
const KEPT_MS = 60_000;

export function itemsCall(id: string, query: Query): Call {
  return { api: 'actors', path: path`/datasets/${id}/items`, query };
}

function pageSizeOf({ itemCount, stats }: Dataset): number {
  if (itemCount === 0) return MAX_PAGE;
  const each = Math.max(1, stats.storageBytes / itemCount);
  return Math.max(1, Math.min(MAX_PAGE, Math.floor(PAGE_BYTES / each)));
}

/** The last page is read anew as it grows: its limit changes with the number of items. */
function pageCall({ id, itemCount }: Dataset, page: number, size: number): Call {
  const offset = page * size;
  return itemsCall(id, { offset, limit: Math.min(size, itemCount - offset) });
}

/** The page with this item. */
export function useItemPage(dataset: Dataset, offset: number) {
  const size = pageSizeOf(dataset);
  const page = Math.floor(Math.min(offset, Math.max(0, dataset.itemCount - 1)) / size);
  const read = useRead<Item[]>(
    { call: pageCall(dataset, page, size) },
    { isEnabled: dataset.itemCount > 0, keepsPrevious: true },
  );
  return { ...read, items: read.data ?? [], first: page * size, size };
}

export interface RowItems {
  /** Undefined while it is read. */
  itemAt: (index: number) => Item | undefined;
  error: ApiError | undefined;
  retry: () => void;
}

/** Of the rows that are in view. */
export function useRowItems(dataset: Dataset, firstRow: number, lastRow: number): RowItems {
  const size = pageSizeOf(dataset);
  const { itemCount } = dataset;
  const wanted = useSettled(`${Math.floor(firstRow / size)}-${Math.floor(lastRow / size)}`, SETTLE_MS);
  const [from = 0, to = 0] = wanted.split('-').map(Number);
  const pages = Array.from({ length: to - from + 1 }, (_, index) => from + index).filter(
    (page) => page * size < itemCount,
  );
  const results = useQueries({
    queries: pages.map((page) => {
      const call = pageCall(dataset, page, size);
      return {
        queryKey: keyOf(call),
        queryFn: async ({ signal }: { signal: AbortSignal }) => (await send<Item[]>(call, signal)).body,
        staleTime: Infinity,
        gcTime: KEPT_MS,
      };
    }),
  });
  const failed = results.find(({ error }) => error !== null);
  return {
    itemAt: (index) => results[pages.indexOf(Math.floor(index / size))]?.data?.[index % size],
    error: failed?.error as ApiError | undefined,
    retry: () => void failed?.refetch(),
  };
}
