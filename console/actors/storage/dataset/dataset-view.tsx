// One dataset: its items as a table or as JSON, its fields, and ways out.
import { ORIGIN } from '../../../api/server.ts';
import { useSearchState, type SearchState } from '../../../lib/search-state.ts';
import { formatCount } from '../../../ui/format.ts';
import { EmptyState, Skeleton } from '../../../ui/states.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { StorageHead } from '../storage-head.tsx';
import { hrefOf, type Dataset } from '../storage.ts';
import { CellPanel } from './cell-panel.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { WORDS } from './dataset-words.ts';
import { ExportPopover } from './export-popover.tsx';
import { FieldTable } from './field-table.tsx';
import { ItemTable } from './item-table.tsx';
import { ItemsJson } from './items-json.tsx';
import { ShareButton } from './share-dialog.tsx';
import { useColumns, type Columns } from './use-columns.ts';

const VIEWS = ['table', 'json', 'fields'] as const;

export function DatasetView({ dataset }: { dataset: Dataset }) {
  const { id, itemCount } = dataset;
  const href = hrefOf('datasets', id);
  const search = useSearchState(href);
  const columns = useColumns(dataset, search);
  const view = VIEWS.find((one) => one === search.get('view')) ?? 'table';
  const offset = numberIn(search, 'offset', itemCount);
  const shared = { dataset, fields: columns.names, shown: columns.shown };
  const setOffset = (row: number) => {
    if (row !== offset) search.set({ offset: row === 0 ? undefined : String(row) });
  };
  return (
    <main id="main" className="page" tabIndex={-1}>
      <StorageHead
        kind="datasets"
        storage={dataset}
        meta={
          <>
            <span>{WORDS.itemCount(formatCount(itemCount))}</span>
            <span>{WORDS.fieldCount(formatCount(columns.names.length))}</span>
          </>
        }
        actions={
          itemCount > 0 && (
            <>
              <ShareButton {...shared} />
              <ExportPopover {...shared} />
            </>
          )
        }
      />
      <div className="row row--wrap ds-bar">
        <div className="grow">
          <Tabs
            label={WORDS.views}
            items={VIEWS.map((one) => ({
              href: search.href({
                view: one === 'table' ? undefined : one,
                item: undefined,
                cell: undefined,
              }),
              label: WORDS[one],
              isCurrent: one === view,
              count: one === 'fields' ? columns.names.length : undefined,
            }))}
          />
        </div>
        {view === 'table' && itemCount > 0 && (
          <ColumnChooser
            names={columns.names}
            columns={columns.described}
            pinned={columns.pinned}
            widths={columns.widths}
            onChange={columns.choose}
            onPin={columns.pin}
            onWidth={columns.setWidth}
          />
        )}
      </div>
      {itemCount === 0 ? (
        <EmptyState
          icon="disk"
          title={WORDS.empty.title}
          text={WORDS.empty.text}
          command={`curl -X POST '${ORIGIN}/v2/datasets/${id}/items' -H "authorization: Bearer $SIGNALBOX_TOKEN" -H 'content-type: application/json' -d '[{"title":"First"}]'`}
        />
      ) : (
        <Content
          view={view}
          dataset={dataset}
          columns={columns}
          offset={offset}
          search={search}
          onOffset={setOffset}
        />
      )}
    </main>
  );
}

interface ContentProps {
  view: (typeof VIEWS)[number];
  dataset: Dataset;
  columns: Columns;
  offset: number;
  search: SearchState;
  onOffset: (row: number) => void;
}

function Content({ view, dataset, columns, offset, search, onOffset }: ContentProps) {
  if (view === 'json') return <ItemsJson dataset={dataset} offset={offset} onOffset={onOffset} />;
  if (view === 'fields') return <FieldTable dataset={dataset} offset={offset} onOffset={onOffset} />;
  if (!columns.isRead) return <Skeleton rows={10} />;
  const item = search.get('item');
  const opened =
    item === undefined
      ? undefined
      : {
          row: numberIn(search, 'item', dataset.itemCount),
          field: search.get('cell') ?? columns.shown[0] ?? '',
        };
  const open = (place: { row: number; field: string } | undefined) =>
    search.set({ item: place && String(place.row), cell: place?.field });
  return (
    <div className={opened === undefined ? undefined : 'cols cols--panel'}>
      <div className="ds-main">
        <ItemTable
          dataset={dataset}
          columns={columns.described}
          pinned={columns.pinned}
          widths={columns.widths}
          onWidth={columns.setWidth}
          startRow={offset}
          opened={opened}
          onOpen={open}
          onTop={onOffset}
        />
      </div>
      {opened !== undefined && (
        <CellPanel
          dataset={dataset}
          place={opened}
          onMove={(row) => open({ ...opened, row })}
          onClose={() => open(undefined)}
        />
      )}
    </div>
  );
}

/** A whole number below `end`; 0 where it is none. */
function numberIn(search: SearchState, name: string, end: number): number {
  const number = Number(search.get(name) ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? Math.min(number, Math.max(0, end - 1)) : 0;
}
