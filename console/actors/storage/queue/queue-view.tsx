// One request queue: how far it is, what is next, what is locked and by whom, and each request.
import { useState } from 'react';
import { ApiError } from '../../../api/error.ts';
import { invalidateTopics } from '../../../api/read.ts';
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
import { toast } from '../../../ui/toast-store.ts';
import { StorageHead } from '../storage-head.tsx';
import { hrefOf, type Queue } from '../storage.ts';
import { AddRequests } from './add-requests.tsx';
import { DeleteRequests } from './delete-requests.tsx';
import { LockHolders } from './lock-holders.tsx';
import { QueueBar } from './queue-bar.tsx';
import { ErrorChips, type ErrorCounts } from './error-chips.tsx';
import { requestColumns } from './request-cells.tsx';
import { RequestPanel } from './request-panel.tsx';
import type { QueueRequest, RequestRow } from './request.ts';
import {
  REQUESTS,
  retryAll,
  useFailedRequests,
  useFollowedRequests,
  useFoundRequests,
  useRequests,
} from './requests.ts';
import { WORDS } from './queue-words.ts';

const VIEWS = ['head', 'locked', 'failed', 'all'] as const;
type View = (typeof VIEWS)[number];

const EMPTY: Readonly<Record<View, { title: string; text: string }>> = {
  head: WORDS.emptyHead,
  locked: WORDS.emptyLocked,
  failed: WORDS.emptyFailed,
  all: WORDS.emptyAll,
};
const COLUMNS = {
  head: requestColumns('head'),
  locked: requestColumns('locked'),
  failed: requestColumns('failed'),
  all: requestColumns('all'),
};

export function QueueView({ queue }: { queue: Queue }) {
  const { id } = queue;
  const search = useSearchState(hrefOf('queues', id));
  const [typed, setTyped] = useTypedFilter(search);
  const [isAdding, setAdding] = useState(false);
  const view = VIEWS.find((one) => one === search.get('view')) ?? 'head';
  const text = search.get('q') ?? '';
  const error = search.get('error');
  const opened = search.get('request');
  const head = useFollowedRequests(id, 'pending');
  const locked = useFollowedRequests(id, 'locked');
  const { data: failures } = useFailedRequests(id);
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
      <QueueBar
        queue={queue}
        locked={locked.requests.length}
        hasMoreLocked={locked.hasMore}
        failures={failures}
      />
      <Tabs
        label={WORDS.views}
        items={VIEWS.map((one) => ({
          href: search.href({ view: one === 'head' ? undefined : one, q: undefined, error: undefined }),
          label: WORDS[one],
          isCurrent: one === view,
          count: one === 'locked' ? locked.requests.length : one === 'failed' ? failures?.failed : undefined,
        }))}
      />
      <div className="list-bar">
        <FilterInput label={WORDS.filter} value={typed} onChange={setTyped} />
      </div>
      <div className={opened === undefined ? undefined : 'cols cols--panel'}>
        <div>
          {view === 'failed' && text === '' && failures !== undefined && (
            <ErrorChips failures={failures} chosen={error} onChoose={(next) => search.set({ error: next })} />
          )}
          {view === 'locked' && text === '' && <LockHolders queueId={id} locked={locked.requests} />}
          <Requests
            key={text === '' ? `${view} ${error ?? ''}` : 'found'}
            queueId={id}
            view={view}
            text={text}
            error={error}
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
  /** Of those that failed. */
  error: string | undefined;
  rowHref: (id: string) => string;
  onClear: () => void;
}

function Requests({ queueId, view, text, error, rowHref, onClear }: RequestsProps) {
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [isDeleting, setDeleting] = useState(false);
  const [isRetrying, setRetrying] = useState(false);
  const isFound = text.trim() !== '';
  const list = useRows(queueId, view, text, error);
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  const retry = async (requests: readonly QueueRequest[]) => {
    setRetrying(true);
    try {
      await retryAll(queueId, requests);
      toast({ text: WORDS.retriedAll(formatCount(requests.length)) });
      setSelected(new Set());
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      toast({ text: failure.message, tone: 'bad' });
    } finally {
      setRetrying(false);
      invalidateTopics([REQUESTS, 'request-queue']);
    }
  };
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
        {view === 'failed' && !isFound && (
          <Button
            size="sm"
            icon="redo"
            isBusy={isRetrying}
            onClick={() => void retry(list.rows.filter(({ id }) => selected.has(id)))}
          >
            {WORDS.retry}
          </Button>
        )}
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

function countOf(failures: ErrorCounts | undefined, error: string | undefined): number | undefined {
  if (error === undefined) return failures?.failed;
  return failures?.errors.find(({ text }) => text === error)?.count;
}

const STATES = { head: 'pending', locked: 'locked', failed: 'any', all: 'any' } as const;

function useRows(queueId: string, view: View, text: string, error: string | undefined) {
  const isFound = text.trim() !== '';
  const pages = useRequests(queueId, STATES[view]);
  const found = useFoundRequests(queueId, text);
  const failed = useFailedRequests(queueId, error);
  if (view === 'failed' && !isFound)
    return {
      rows: (failed.data?.items ?? []).map((request, index): RequestRow => ({
        ...request,
        place: index + 1,
      })),
      error: failed.data === undefined ? failed.error : null,
      retry: () => void failed.refetch(),
      isLoading: failed.isPending || failed.isPlaceholderData,
      total: countOf(failed.data, error),
    };
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
