// What the page of one run reads and changes.
import { path } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import type { RunDetail } from '../run.ts';

/** Numbers of a run that goes on. */
export const LIVE_MS = 3000;
const SHOWN_ITEMS = 20;

export interface DatasetInfo {
  id: string;
  name?: string | null;
  itemCount: number;
}

export interface QueueInfo {
  id: string;
  name?: string | null;
  totalRequestCount: number;
  handledRequestCount: number;
  pendingRequestCount: number;
}

export interface StoreInfo {
  id: string;
  name?: string | null;
}

export function useDataset(id: string, everyMs?: number) {
  return useRead<{ data: DatasetInfo }>(
    { call: { api: 'actors', path: path`/datasets/${id}` }, topics: ['run'] },
    { everyMs },
  );
}

export function useQueue(id: string, everyMs?: number) {
  return useRead<{ data: QueueInfo }>(
    { call: { api: 'actors', path: path`/request-queues/${id}` }, topics: ['run'] },
    { everyMs },
  );
}

export function useStore(id: string) {
  return useRead<{ data: StoreInfo }>({
    call: { api: 'actors', path: path`/key-value-stores/${id}` },
    topics: ['run'],
  });
}

export type DatasetItem = Readonly<Record<string, unknown>>;

export function useFirstItems(datasetId: string, everyMs?: number) {
  return useRead<DatasetItem[]>(
    {
      call: { api: 'actors', path: path`/datasets/${datasetId}/items`, query: { limit: SHOWN_ITEMS } },
      topics: ['run'],
    },
    { everyMs, keepsPrevious: true },
  );
}

/** The input as the run got it: secrets are encrypted in it. */
export function useRunInput({ defaultKeyValueStoreId, metamorphs }: RunDetail) {
  const key = metamorphs?.at(-1)?.inputKey ?? 'INPUT';
  return useRead<unknown>({
    call: { api: 'actors', path: path`/key-value-stores/${defaultKeyValueStoreId}/records/${key}` },
  });
}

export function useAbort(id: string) {
  return useChange<{ isGraceful: boolean }>(
    ({ isGraceful }) => ({
      api: 'actors',
      method: 'POST',
      path: path`/actor-runs/${id}/abort`,
      query: { gracefully: isGraceful },
    }),
    ['run'],
  );
}

export function useResurrect(id: string) {
  return useChange<void>(
    () => ({ api: 'actors', method: 'POST', path: path`/actor-runs/${id}/resurrect` }),
    ['run'],
  );
}

export function useDeleteRun(id: string) {
  return useChange<void>(() => ({ api: 'actors', method: 'DELETE', path: path`/actor-runs/${id}` }), ['run']);
}
