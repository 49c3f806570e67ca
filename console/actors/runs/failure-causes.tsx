// Failed runs by what made them fail: one row for each cause, with its last error and a way to the runs.
import { useRead } from '../../api/read.ts';
import type { FailureGroups } from '../../api/types/signalbox.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { RunStatusView } from '../../lib/run-status.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { hrefOfRun } from '../run.ts';
import { WORDS } from '../words.ts';
import { RUNS_WORDS } from './runs-words.ts';

type FailureGroup = FailureGroups['items'][number];

const { causes: CAUSES } = RUNS_WORDS;

const COLUMNS: TableColumn<FailureGroup>[] = [
  {
    id: 'cause',
    head: CAUSES.cause,
    isMain: true,
    cell: ({ message, error }) => (
      <span className="two">
        <b className="break">{message ?? CAUSES.unknown}</b>
        {error !== undefined && error !== message && <small className="mono break">{error}</small>}
      </span>
    ),
  },
  {
    id: 'actor',
    head: WORDS.actor,
    cell: ({ actor: { id, name, title } }) => title ?? name ?? <span className="mono t12">{id}</span>,
  },
  { id: 'status', head: WORDS.status, cell: ({ status }) => <RunStatusView status={status} /> },
  {
    id: 'count',
    head: WORDS.runs,
    align: 'end',
    cell: ({ actor, status, count }) => (
      <TextLink
        href={`/runs?actor=${encodeURIComponent(actor.name ?? actor.id)}&status=${encodeURIComponent(status)}`}
      >
        {formatCount(count)}
      </TextLink>
    ),
  },
  { id: 'first', head: CAUSES.first, priority: 'low', cell: ({ firstAt }) => <Time at={firstAt} /> },
  { id: 'last', head: CAUSES.last, cell: ({ lastAt }) => <Time at={lastAt} /> },
];

/** Since then, in epoch milliseconds. Each row opens the newest run of its cause beside the last good one. */
export function FailureCauses({ since }: { since: number }) {
  const { data, error, isPending, refetch } = useRead<FailureGroups>({
    call: { api: 'signalbox', path: '/runs/failures', query: { since } },
    topics: ['run'],
  });
  if (data === undefined && error !== null)
    return <ReadProblem error={error} onRetry={() => void refetch()} />;
  const rows = data?.items ?? [];
  return (
    <Table
      label={CAUSES.table}
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      rowHref={({ runs: [newest = ''] }) => hrefOfRun(newest)}
      isLoading={isPending}
      emptyState={<EmptyState icon="check" title={CAUSES.none} text={CAUSES.noneText} />}
      footer={
        <>
          <ListFoot list={{ rows }} nouns={CAUSES.nouns} />
          <span>{data?.isPartial === true ? CAUSES.partial : CAUSES.alike}</span>
        </>
      }
    />
  );
}
