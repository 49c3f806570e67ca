// One key-value store: its keys, and one record beside them.
import type { RecordHead } from '../../../api/types/signalbox.ts';
import { useState, type DragEvent } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { ListFoot, NoMatch, shownOf } from '../../../lib/list-foot.tsx';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../../lib/search-state.ts';
import { download } from '../../../lib/signed-link.ts';
import { Button } from '../../../ui/button.tsx';
import { FilterInput } from '../../../ui/input.tsx';
import { useKeys } from '../../../ui/keys.ts';
import { Bytes } from '../../../ui/numbers.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Table, type TableColumn } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { StorageHead } from '../storage-head.tsx';
import { hrefOf, type Store } from '../storage.ts';
import { NewRecord } from './new-record.tsx';
import { RecordPanel } from './record-panel.tsx';
import { archiveCall, useRecordHeads } from './records.ts';
import { UploadDialog } from './upload-dialog.tsx';
import { WORDS } from './store-words.ts';

const COLUMNS: TableColumn<RecordHead>[] = [
  {
    id: 'key',
    head: WORDS.key,
    isMain: true,
    cell: ({ key }) => <span className="mono t12 value-text">{key}</span>,
  },
  {
    id: 'type',
    head: WORDS.type,
    cell: ({ contentType }) => <span className="muted value-text">{contentType}</span>,
  },
  { id: 'size', head: WORDS.size, align: 'end', cell: ({ size }) => <Bytes value={size} /> },
  { id: 'modified', head: WORDS.modified, priority: 'mid', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export function StoreView({ store }: { store: Store }) {
  const { id } = store;
  const search = useSearchState(hrefOf('stores', id));
  const [typed, setTyped] = useTypedFilter(search, 'prefix');
  const [isCreating, setCreating] = useState(false);
  const [files, setFiles] = useState<File[]>();
  const drop = useDrop(setFiles);
  const key = search.get('key');
  const prefix = search.get('prefix') ?? '';
  useKeys({ c: () => setCreating(true) });
  const open = (next: string | undefined) => search.set({ key: next }, { isStep: next !== undefined });
  return (
    <main
      id="main"
      className={classNames('page', drop.isOver && 'is-dropping')}
      tabIndex={-1}
      data-drop={WORDS.dropHere}
      {...drop.props}
    >
      <StorageHead
        kind="stores"
        storage={store}
        actions={
          <>
            <Button icon="dl" onClick={() => void download(archiveCall(id, prefix))}>
              {WORDS.downloadAll}
            </Button>
            <Button icon="plus" keys="c" onClick={() => setCreating(true)}>
              {WORDS.newRecord}
            </Button>
            <Button tone="primary" icon="aup" onClick={() => setFiles([])}>
              {WORDS.upload}
            </Button>
          </>
        }
      />
      <div className="list-bar">
        <FilterInput label={WORDS.filter} value={typed} onChange={setTyped} />
      </div>
      <div className={key === undefined ? undefined : 'cols cols--panel'}>
        <RecordTable
          id={id}
          prefix={prefix}
          rowHref={(one) => search.href({ key: one })}
          onClear={() => setTyped('')}
          onUpload={() => setFiles([])}
        />
        {key !== undefined && (
          <RecordPanel key={key} storeId={id} recordKey={key} onClose={() => open(undefined)} />
        )}
      </div>
      {isCreating && <NewRecord storeId={id} onClose={() => setCreating(false)} onDone={open} />}
      {files !== undefined && (
        <UploadDialog storeId={id} dropped={files} onClose={() => setFiles(undefined)} />
      )}
    </main>
  );
}

interface RecordTableProps {
  id: string;
  prefix: string;
  rowHref: (key: string) => string;
  onClear: () => void;
  onUpload: () => void;
}

function RecordTable({ id, prefix, rowHref, onClear, onUpload }: RecordTableProps) {
  const list = useRecordHeads(id, prefix);
  const { data, error, isPending, isPlaceholderData, refetch } = list;
  const rows = data?.pages.flatMap(({ items }) => items) ?? [];
  if (data === undefined && error !== null)
    return <ReadProblem error={error} onRetry={() => void refetch()} />;
  return (
    <Table
      label={WORDS.records}
      columns={COLUMNS}
      rows={rows}
      rowKey={({ key }) => key}
      rowHref={({ key }) => rowHref(key)}
      isLoading={isPending || isPlaceholderData}
      emptyState={
        prefix === '' ? (
          <EmptyState
            icon="file"
            title={WORDS.empty.title}
            text={WORDS.empty.text}
            action={
              <Button tone="primary" icon="aup" onClick={onUpload}>
                {WORDS.upload}
              </Button>
            }
          />
        ) : (
          <NoMatch words={WORDS.noMatch} onClear={onClear} />
        )
      }
      footer={
        <>
          <ListFoot list={shownOf(list, rows)} nouns={WORDS.nouns} />
          <span className="push">
            <Button tone="ghost" size="sm" icon="redo" onClick={() => void refetch()}>
              {WORDS.refresh}
            </Button>
          </span>
        </>
      }
    />
  );
}

/** Files over the page: only those, so that text can still be dropped into fields. */
function useDrop(onFiles: (files: File[]) => void) {
  const [isOver, setOver] = useState(false);
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    isOver,
    props: {
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent<HTMLElement>) => {
        if (event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)) return;
        setOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      },
    },
  };
}
