// One request queue: how far it is, what is next, what is locked and by whom, and each request.
import { useState } from 'react';
import { ListFoot, NoMatch } from '../../../lib/list-foot.tsx';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../../lib/search-state.ts';
import { Button } from '../../../ui/button.tsx';
import { formatCount } from '../../../ui/format.ts';
import { FilterInput } from '../../../ui/input.tsx';
import { useKeys } from '../../../ui/keys.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { SelectionBar, Table } from '../../../ui/table.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { StorageHead } from '../storage-head.tsx';
import { hrefOf, type Queue } from '../storage.ts';
import { AddRequests } from './add-requests.tsx';
import { DeleteRequests } from './delete-requests.tsx';
import { LockHolders } from './lock-holders.tsx';
import { QueueBar } from './queue-bar.tsx';
import { requestColumns } from './request-cells.tsx';
import { RequestPanel } from './request-panel.tsx';
import type { RequestRow } from './request.ts';
import { useFollowedRequests, useFoundRequests, useRequests } from './requests.ts';
import { WORDS } from './queue-words.ts';

const VIEWS = ['head', 'locked', 'all'] as const;
type View = (typeof VIEWS)[number];

const EMPTY: Readonly<Record<View, { title: string; text: string }>> = {
  head: WORDS.emptyHead,
  locked: WORDS.emptyLocked,
  all: WORDS.emptyAll,
};
const COLUMNS = {
  head: requestColumns('head'),
  locked: requestColumns('locked'),
  all: requestColumns('all'),
};

export function QueueView({ queue }: { queue: Queue }) {
  const { id } = queue;
  const search = useSearchState(hrefOf('queues', id));
  const [typed, setTyped] = useTypedFilter(search);
  const [isAdding, setAdding] = useState(false);
  const view = VIEWS.find((one) => one === search.get('view')) ?? 'head';
  const text = search.get('q') ?? '';
  const opened = search.get('request');
  const head = useFollowedRequests(id, 'pending');
  const locked = useFollowedRequests(id, 'locked');
  useKeys({ c: () => setAdding(true) });
  return (
    <main id="main" className="page" tabIndex={-1}>
      <StorageHead
        kind="queues"
        storage={queue}
        meta={<span>{WORDS.total(formatCount(queue.totalRequestCount))}</span>}
        actions={
          <Button tone="primary" icon="plus" keys="c" onClick={() => setAdding(true)}>
            {WORDS.add}
          </Button>
        }
      />
      <QueueBar queue={queue} locked={locked.requests.length} hasMoreLocked={locked.hasMore} />
      <Tabs
        label={WORDS.views}
        items={VIEWS.map((one) => ({
          href: search.href({ view: one === 'head' ? undefined : one, q: undefined }),
          label: WORDS[one],
          isCurrent: one === view,
          count: one === 'locked' ? locked.requests.length : undefined,
        }))}
      />
      <div className="list-bar">
        <FilterInput label={WORDS.filter} value={typed} onChange={setTyped} />
      </div>
      <div className={opened === undefined ? undefined : 'cols cols--panel'}>
        <div>
          {view === 'locked' && text === '' && <LockHolders queueId={id} locked={locked.requests} />}
          <Requests
            key={text === '' ? view : 'found'}
            queueId={id}
            view={view}
            text={text}
            rowHref={(one) => search.href({ request: one })}
            onClear={() => setTyped('')}
          />
        </div>
        {opened !== undefined && (
          <RequestPanel
            key={opened}
            queueId={id}
            requestId={opened}
            head={head.requests}
            onClose={() => search.set({ request: undefined })}
          />
        )}
      </div>
      {isAdding && <AddRequests queueId={id} onClose={() => setAdding(false)} />}
    </main>
  );
}

interface RequestsProps {
  queueId: string;
  view: View;
  text: string;
  rowHref: (id: string) => string;
  onClear: () => void;
}

function Requests({ queueId, view, text, rowHref, onClear }: RequestsProps) {
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [isDeleting, setDeleting] = useState(false);
  const isFound = text.trim() !== '';
  const list = useRows(queueId, view, text);
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  const chosen = list.rows.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  const shownAs = isFound ? 'all' : view;
  return (
    <>
      <Table
        label={isFound ? WORDS.all : WORDS[view]}
        columns={COLUMNS[shownAs]}
        rows={list.rows}
        rowKey={({ id }) => id}
        rowLabel={({ url }) => url}
        rowHref={({ id }) => rowHref(id)}
        selection={{ selected, onChange: setSelected }}
        isLoading={list.isLoading}
        emptyState={
          isFound ? (
            <NoMatch words={WORDS.noFound} onClear={onClear} />
          ) : (
            <EmptyState icon="hour" title={EMPTY[view].title} text={EMPTY[view].text} />
          )
        }
        footer={<ListFoot list={list} nouns={WORDS.nouns} />}
      />
      <SelectionBar count={chosen.length} onClear={() => setSelected(new Set())}>
        <Button size="sm" tone="danger" icon="trash" onClick={() => setDeleting(true)}>
          {WORDS.remove}
        </Button>
      </SelectionBar>
      {isDeleting && (
        <DeleteRequests
          queueId={queueId}
          requestIds={chosen}
          onClose={() => setDeleting(false)}
          onDone={() => setSelected(new Set())}
        />
      )}
    </>
  );
}

const STATES = { head: 'pending', locked: 'locked', all: 'any' } as const;

function useRows(queueId: string, view: View, text: string) {
  const isFound = text.trim() !== '';
  const pages = useRequests(queueId, STATES[view]);
  const found = useFoundRequests(queueId, text);
  const shown = isFound ? (found.data?.items ?? []) : (pages.data?.pages.flatMap(({ items }) => items) ?? []);
  const read = isFound ? found : pages;
  return {
    rows: shown.map((request, index): RequestRow => ({ ...request, place: index + 1 })),
    error: read.data === undefined ? read.error : null,
    retry: () => void read.refetch(),
    isLoading: read.isPending || read.isPlaceholderData,
    hasMore: !isFound && pages.hasNextPage,
    isReadingMore: pages.isFetchingNextPage,
    readMore: () => void pages.fetchNextPage(),
  };
}
