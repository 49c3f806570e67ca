// The storages of the caller, by kind: the named ones, and on demand those that runs made for themselves.
import '../../styles/lists.css';
import { useState } from 'react';
import { useParams } from 'wouter';
import { prefetch } from '../../api/read.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { Chips } from '../../ui/chips.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CreateStorage } from './create-storage.tsx';
import { DeleteStorage } from './delete-storage.tsx';
import { storageColumns, type StorageRow } from './storage-cells.tsx';
import { MAX_HITS, storageRead, useStorageHits, useStorages } from './storage-queries.ts';
import { StorageSettings } from './storage-settings.tsx';
import { hrefOf, isKind, STORAGE_KINDS, titleOf, type Storage, type StorageKind } from './storage.ts';
import { KIND_WORDS, WORDS } from './storage-words.ts';

export default function StoragesPage() {
  const { kind } = useParams<{ kind?: string }>();
  if (kind === undefined || isKind(kind))
    return <KindPage key={kind ?? 'datasets'} kind={kind ?? 'datasets'} />;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <EmptyState icon="disk" title={WORDS.noSuchKind} text={WORDS.noSuchKindText} />
    </main>
  );
}

interface OpenDialog {
  what: 'settings' | 'delete';
  storage: Storage;
}

function KindPage({ kind }: { kind: StorageKind }) {
  const { many, one } = KIND_WORDS[kind];
  usePageInfo([
    { label: WORDS.storage, href: '/storage' },
    { label: many, href: `/storage/${kind}` },
  ]);
  const search = useSearchState(`/storage/${kind}`);
  const [typed, setTyped] = useTypedFilter(search);
  const [isCreating, setCreating] = useState(false);
  const [open, setOpen] = useState<OpenDialog>();
  const [columns] = useState(() => storageColumns(kind, (what, storage) => setOpen({ what, storage })));
  useKeys({ c: () => setCreating(true) });
  const list = useRows(kind, search.get('q') ?? '', search.get('unnamed') === 'true');
  const showUnnamed = (isShown: boolean) => search.set({ unnamed: isShown ? 'true' : undefined });
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={WORDS.storage}
        actions={
          <Button tone="primary" icon="plus" keys="c" onClick={() => setCreating(true)}>
            {WORDS.create(one)}
          </Button>
        }
      />
      <Tabs
        label={WORDS.kinds}
        items={STORAGE_KINDS.map((each) => ({
          href: `/storage/${each}`,
          label: KIND_WORDS[each].many,
          isCurrent: each === kind,
          count: each === kind ? list.total : undefined,
        }))}
      />
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput label={WORDS.filter} value={typed} onChange={setTyped} />
        </div>
        {!list.isFiltered && (
          <Chips
            label={WORDS.show}
            items={[
              {
                label: WORDS.unnamedToo,
                isOn: list.hasUnnamed,
                onToggle: () => showUnnamed(!list.hasUnnamed),
              },
            ]}
          />
        )}
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table<StorageRow>
          label={many}
          columns={columns}
          rows={list.rows}
          rowKey={({ id }) => id}
          rowLabel={(row) => titleOf(row)}
          rowHref={({ id }) => hrefOf(kind, id)}
          onPrefetch={({ id }) => prefetch(storageRead(kind, id))}
          isLoading={list.isLoading}
          rowCount={list.total}
          emptyState={
            list.isFiltered ? (
              <NoMatch words={WORDS.noMatch} onClear={() => setTyped('')} />
            ) : (
              <NoStorages
                kind={kind}
                hasUnnamed={list.hasUnnamed}
                onShowUnnamed={() => showUnnamed(true)}
                onCreate={() => setCreating(true)}
              />
            )
          }
          footer={
            list.isFiltered ? list.hitsNote : <ListFoot list={list.all} nouns={KIND_WORDS[kind].nouns} />
          }
        />
      )}
      {isCreating && <CreateStorage kind={kind} onClose={() => setCreating(false)} />}
      {open?.what === 'settings' && (
        <StorageSettings kind={kind} storage={open.storage} onClose={() => setOpen(undefined)} />
      )}
      {open?.what === 'delete' && (
        <DeleteStorage
          kind={kind}
          storage={open.storage}
          onClose={() => setOpen(undefined)}
          onDone={() => undefined}
        />
      )}
    </main>
  );
}

/** All of them page by page, or what the search finds. */
function useRows(kind: StorageKind, text: string, hasUnnamed: boolean) {
  const isFiltered = text.trim() !== '';
  const all = useStorages({ kind, hasUnnamed, isEnabled: !isFiltered });
  const hits = useStorageHits(kind, text);
  const found: StorageRow[] = (hits.data?.items ?? []).map(({ id, title, detail }) => ({
    id,
    name: detail === id || detail.startsWith('of run ') ? null : detail,
    title,
  }));
  const isFull = found.length === MAX_HITS;
  return {
    isFiltered,
    hasUnnamed,
    rows: isFiltered ? found : (all.rows as StorageRow[]),
    total: isFiltered ? undefined : all.total,
    isLoading: isFiltered ? hits.isPending || hits.isPlaceholderData : all.isLoading,
    error: isFiltered ? (hits.data === undefined ? hits.error : null) : all.error,
    retry: isFiltered ? () => void hits.refetch() : all.retry,
    newCount: isFiltered ? 0 : all.newCount,
    showNew: all.showNew,
    hitsNote: isFull ? WORDS.firstHits(formatCount(MAX_HITS)) : undefined,
    all,
  };
}

interface NoStoragesProps {
  kind: StorageKind;
  hasUnnamed: boolean;
  onShowUnnamed: () => void;
  onCreate: () => void;
}

function NoStorages({ kind, hasUnnamed, onShowUnnamed, onCreate }: NoStoragesProps) {
  const { many, one, what } = KIND_WORDS[kind];
  if (hasUnnamed)
    return (
      <EmptyState
        icon="disk"
        title={WORDS.none(many)}
        text={what}
        action={
          <Button tone="primary" onClick={onCreate}>
            {WORDS.create(one)}
          </Button>
        }
      />
    );
  return (
    <EmptyState
      icon="disk"
      title={WORDS.noNamed(many)}
      text={`${what} ${WORDS.noNamedText}`}
      action={<Button onClick={onShowUnnamed}>{WORDS.showUnnamed}</Button>}
    />
  );
}
