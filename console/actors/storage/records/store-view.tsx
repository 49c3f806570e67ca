// One key-value store: its keys, and one record beside them.
import { useState, type DragEvent } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { ListFoot, NoMatch, shownOf } from '../../../lib/list-foot.tsx';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../../lib/search-state.ts';
import { download } from '../../../lib/signed-link.ts';
import { Button } from '../../../ui/button.tsx';
import { FilterInput, SelectInput } from '../../../ui/input.tsx';
import { useKeys } from '../../../ui/keys.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { StorageHead } from '../storage-head.tsx';
import { hrefOf, type Store } from '../storage.ts';
import { FolderWay, KEY_COLUMNS } from './key-folders.tsx';
import { NewRecord } from './new-record.tsx';
import { RecordPanel } from './record-panel.tsx';
import { archiveCall, useKeyRows, type KeyRow } from './records.ts';
import { UploadDialog } from './upload-dialog.tsx';
import { WORDS } from './store-words.ts';

/** Keys cannot have slashes; these are what programs put in their place. */
const DELIMITERS = ['-', '_', '.'] as const;

export function StoreView({ store }: { store: Store }) {
  const { id } = store;
  const search = useSearchState(hrefOf('stores', id));
  const [typed, setTyped] = useTypedFilter(search, 'prefix');
  const [isCreating, setCreating] = useState(false);
  const [files, setFiles] = useState<File[]>();
  const drop = useDrop(setFiles);
  const key = search.get('key');
  const prefix = search.get('prefix') ?? '';
  const delimiter = DELIMITERS.find((one) => one === search.get('by'));
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
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput label={WORDS.filter} value={typed} onChange={setTyped} />
        </div>
        <SelectInput
          className="in--auto"
          aria-label={WORDS.folders}
          value={delimiter ?? ''}
          onValue={(by) => search.set({ by })}
          options={[
            { value: '', label: WORDS.noFolders },
            ...DELIMITERS.map((one) => ({ value: one, label: WORDS.foldersBy(one) })),
          ]}
        />
      </div>
      {delimiter !== undefined && prefix !== '' && (
        <FolderWay
          prefix={prefix}
          delimiter={delimiter}
          hrefOf={(folder) => search.href({ prefix: folder, key: undefined })}
        />
      )}
      <div className={key === undefined ? undefined : 'cols cols--panel'}>
        <RecordTable
          id={id}
          prefix={prefix}
          delimiter={delimiter}
          rowHref={({ name, record }) =>
            search.href(record === undefined ? { prefix: name, key: undefined } : { key: name })
          }
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
  delimiter: string | undefined;
  rowHref: (row: KeyRow) => string;
  onClear: () => void;
  onUpload: () => void;
}

function RecordTable({ id, prefix, delimiter, rowHref, onClear, onUpload }: RecordTableProps) {
  const list = useKeyRows(id, prefix, delimiter);
  const { data, rows, error, isPending, isPlaceholderData, refetch } = list;
  if (data === undefined && error !== null)
    return <ReadProblem error={error} onRetry={() => void refetch()} />;
  return (
    <Table
      label={WORDS.records}
      columns={KEY_COLUMNS}
      rows={rows}
      rowKey={({ name }) => name}
      rowHref={rowHref}
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
          <ListFoot
            list={shownOf(list, rows)}
            nouns={delimiter === undefined ? WORDS.nouns : WORDS.rowNouns}
          />
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
