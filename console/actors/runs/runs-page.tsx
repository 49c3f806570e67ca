// The runs of the caller, newest first. Nothing is started here.
import { usePageInfo } from '../../app/page-info.ts';
import { prefetch } from '../../api/read.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Chips } from '../../ui/chips.tsx';
import { formatCount } from '../../ui/format.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { runRead } from '../queries.ts';
import { useRuns } from './runs-queries.ts';
import { ActorName, RunDuration, RunStatusView } from '../run-cells.tsx';
import type { Run, RunStatus } from '../run.ts';
import { originWord, STATUS_WORDS, WORDS } from '../words.ts';

/** In the order in which a run goes through them. */
const STATUSES = Object.keys(STATUS_WORDS) as RunStatus[];

const COLUMNS: TableColumn<Run>[] = [
  { id: 'actor', head: WORDS.actor, isMain: true, cell: ({ actId }) => <ActorName id={actId} /> },
  { id: 'status', head: WORDS.status, cell: ({ status }) => <RunStatusView status={status} /> },
  { id: 'started', head: WORDS.started, cell: ({ startedAt }) => <Time at={startedAt} /> },
  { id: 'duration', head: WORDS.duration, align: 'end', cell: (run) => <RunDuration run={run} /> },
  {
    id: 'origin',
    head: WORDS.origin,
    priority: 'mid',
    cell: ({ meta }) => <span className="muted">{originWord(meta.origin)}</span>,
  },
  {
    id: 'build',
    head: WORDS.build,
    priority: 'low',
    cell: ({ buildNumber = '' }) => <span className="mono t12">{buildNumber}</span>,
  },
];

export default function RunsPage() {
  usePageInfo([{ label: WORDS.runs, href: '/runs' }]);
  const search = useSearchState('/runs');
  const asked = search.get('status')?.split(',') ?? [];
  const chosen = STATUSES.filter((status) => asked.includes(status));
  const list = useRuns(chosen.length === 0 ? undefined : chosen.join(','));
  const toggle = (status: RunStatus) => {
    const next = STATUSES.filter((one) => (one === status) !== chosen.includes(one));
    search.set({ status: next.join(',') });
  };
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={WORDS.runs}
        badge={list.total !== undefined && <span className="muted">{formatCount(list.total)}</span>}
      />
      <div className="list-chips">
        <Chips
          label={WORDS.statusFilter}
          items={STATUSES.map((status) => ({
            label: STATUS_WORDS[status],
            isOn: chosen.includes(status),
            onToggle: () => toggle(status),
          }))}
        />
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table
          label={WORDS.table}
          columns={COLUMNS}
          rows={list.rows}
          rowKey={({ id }) => id}
          rowHref={({ id }) => `/runs/${encodeURIComponent(id)}`}
          onPrefetch={({ id }) => prefetch(runRead(id))}
          isLoading={list.isLoading}
          rowCount={list.total}
          emptyState={
            chosen.length === 0 ? (
              <NoRuns />
            ) : (
              <NoMatch words={WORDS.noMatch} onClear={() => search.set({ status: undefined })} />
            )
          }
          footer={
            <ListFoot
              shown={list.rows.length}
              total={list.total}
              nouns={WORDS.nouns}
              hasMore={list.hasMore}
              isReadingMore={list.isReadingMore}
              onMore={list.readMore}
            />
          }
        />
      )}
    </main>
  );
}

function NoRuns() {
  return <EmptyState icon="actor" title={WORDS.empty.title} text={WORDS.empty.text} />;
}
