// The first items that a run has stored, as a table, with ways to all of them.
import { path } from '../../api/call.ts';
import { hasPage } from '../../app/pages.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { download } from '../../lib/signed-link.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { isOver, type RunDetail } from '../run.ts';
import { hrefOfStorage } from '../storage-link.tsx';
import { LIVE_MS, useDataset, useFirstItems, type DatasetItem } from './run-queries.ts';
import { RUN_WORDS } from './run-words.ts';

const MAX_COLUMNS = 8;
const MAX_TEXT = 200;

export function RunOutput({ run }: { run: RunDetail }) {
  const id = run.defaultDatasetId;
  const everyMs = isOver(run) ? undefined : LIVE_MS;
  const { data: dataset } = useDataset(id, everyMs);
  const { data: items, error, refetch } = useFirstItems(id, everyMs);
  if (items === undefined) {
    if (error !== null) return <ReadProblem error={error} onRetry={() => void refetch()} />;
    return <Skeleton rows={8} />;
  }
  if (items.length === 0) return <EmptyState icon="disk" title={RUN_WORDS.noItems} />;
  const fields = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const all = dataset?.data.itemCount ?? items.length;
  const href = hrefOfStorage('datasets', id);
  return (
    <div className="run-table run-table--items">
      <Table
        label={RUN_WORDS.outputTable}
        columns={columnsOf(fields, items)}
        rows={items.map((item, index) => ({ item, number: index + 1 }))}
        rowKey={({ number }) => String(number)}
        isCompact
        footer={
          <>
            <span>
              {all > items.length
                ? RUN_WORDS.firstItems(formatCount(items.length), formatCount(all))
                : RUN_WORDS.allItems(formatCount(items.length))}
              {fields.length > MAX_COLUMNS &&
                `. ${RUN_WORDS.moreFields(formatCount(fields.length - MAX_COLUMNS))}`}
            </span>
            <span className="row row--4 row--wrap push">
              <DownloadButton id={id} format="csv" label={RUN_WORDS.downloadCsv} />
              <DownloadButton id={id} format="json" label={RUN_WORDS.downloadJson} />
              {hasPage(href) && (
                <ButtonLink size="sm" href={href}>
                  {RUN_WORDS.openDataset}
                </ButtonLink>
              )}
            </span>
          </>
        }
      />
    </div>
  );
}

function DownloadButton({ id, format, label }: { id: string; format: string; label: string }) {
  const call = {
    api: 'actors',
    path: path`/datasets/${id}/items`,
    query: { format, attachment: true },
  } as const;
  return (
    <Button size="sm" tone="ghost" icon="dl" onClick={() => void download(call)}>
      {label}
    </Button>
  );
}

interface ItemRow {
  item: DatasetItem;
  number: number;
}

function columnsOf(fields: readonly string[], items: readonly DatasetItem[]): TableColumn<ItemRow>[] {
  const isNumber = (field: string) => items.every((item) => typeof (item[field] ?? 0) === 'number');
  return [
    { id: ' number', head: RUN_WORDS.item, isMain: true, cell: ({ number }) => formatCount(number) },
    ...fields.slice(0, MAX_COLUMNS).map((field) => ({
      id: field,
      head: field,
      cardLabel: field,
      align: isNumber(field) ? ('end' as const) : undefined,
      cell: ({ item }: ItemRow) => <Value value={item[field]} />,
    })),
  ];
}

/** Texts only: what a program has stored is never more than that. */
function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null || value === '') return <span className="faint">–</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <span
      className={typeof value === 'object' ? 'run-cell mono t12' : 'run-cell'}
      title={text.slice(0, 1000)}
    >
      {text.slice(0, MAX_TEXT)}
    </span>
  );
}
