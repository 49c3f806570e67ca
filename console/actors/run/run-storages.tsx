// The storages of a run: the default ones, and those that its build declares beside them.
import { formatCount } from '../../ui/format.ts';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { isOver, type RunDetail } from '../run.ts';
import { StorageLink, type StorageKind } from '../storage-link.tsx';
import { LIVE_MS, useDataset, useQueue, useStore } from './run-queries.ts';
import { RUN_WORDS } from './run-words.ts';

interface StorageRow {
  kind: StorageKind;
  alias: string;
  id: string;
  isLive: boolean;
}

const COLUMNS: TableColumn<StorageRow>[] = [
  { id: 'kind', head: RUN_WORDS.kind, isMain: true, cell: ({ kind }) => RUN_WORDS.kinds[kind] },
  { id: 'alias', head: RUN_WORDS.name, cell: (row) => <StorageName row={row} /> },
  { id: 'content', head: RUN_WORDS.content, cell: (row) => <Content row={row} /> },
  {
    id: 'id',
    head: RUN_WORDS.id,
    cell: ({ kind, id }) => (
      <StorageLink kind={kind} id={id} copyLabel={RUN_WORDS.copyId(RUN_WORDS.kinds[kind].toLowerCase())} />
    ),
  },
];

export function RunStorages({ run }: { run: RunDetail }) {
  return (
    <Table
      label={RUN_WORDS.storages}
      columns={COLUMNS}
      rows={rowsOf(run)}
      rowKey={({ kind, alias }) => `${kind} ${alias}`}
    />
  );
}

function rowsOf(run: RunDetail): StorageRow[] {
  const { storageIds } = run;
  const isLive = !isOver(run);
  const rows = (kind: StorageKind, ids: Readonly<Record<string, string>>) =>
    Object.entries(ids).map(([alias, id]) => ({ kind, alias, id, isLive }));
  return [
    ...rows('datasets', storageIds?.datasets ?? { default: run.defaultDatasetId }),
    ...rows('stores', storageIds?.keyValueStores ?? { default: run.defaultKeyValueStoreId }),
    ...rows('queues', storageIds?.requestQueues ?? { default: run.defaultRequestQueueId }),
  ];
}

function StorageName({ row: { alias } }: { row: StorageRow }) {
  return <span>{alias === 'default' ? RUN_WORDS.defaultStorage : alias}</span>;
}

function Content({ row }: { row: StorageRow }) {
  if (row.kind === 'datasets') return <DatasetContent row={row} />;
  return row.kind === 'queues' ? <QueueContent row={row} /> : <StoreContent row={row} />;
}

function DatasetContent({ row: { id, isLive } }: { row: StorageRow }) {
  const { data, error } = useDataset(id, isLive ? LIVE_MS : undefined);
  if (data === undefined) return <NotThere isGone={error?.status === 404} />;
  return <span>{RUN_WORDS.allItems(formatCount(data.data.itemCount))}</span>;
}

function QueueContent({ row: { id, isLive } }: { row: StorageRow }) {
  const { data, error } = useQueue(id, isLive ? LIVE_MS : undefined);
  if (data === undefined) return <NotThere isGone={error?.status === 404} />;
  const { totalRequestCount, pendingRequestCount } = data.data;
  return (
    <span>{RUN_WORDS.requestCount(formatCount(totalRequestCount), formatCount(pendingRequestCount))}</span>
  );
}

function StoreContent({ row: { id } }: { row: StorageRow }) {
  const { data, error } = useStore(id);
  if (data === undefined) return <NotThere isGone={error?.status === 404} />;
  return <span>{data.data.name ?? '–'}</span>;
}

function NotThere({ isGone }: { isGone: boolean }) {
  return <span className="faint">{isGone ? RUN_WORDS.gone : '…'}</span>;
}
