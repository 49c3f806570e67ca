// The calls that a run has made with its token, by operation, with links to the documentation of each.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { ROOT } from '../../api/server.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { isOver, type RunDetail } from '../run.ts';
import { CALL_WORDS } from './call-words.ts';
import { LIVE_MS } from './run-queries.ts';

interface CallCounts {
  calls: number;
  refused: number;
  failed: number;
}

interface CalledOperation extends CallCounts {
  api: string;
  operation?: string;
  title?: string;
  detail?: string;
  docs?: string;
  lastAt: number;
  lastStatus: number;
}

interface RunCallList {
  items: CalledOperation[];
  others?: Omit<CalledOperation, 'api'>;
  total: CallCounts;
  keptDays: number;
}

/** The operations for which there is no row of their own are a row, too. */
const OTHERS = '';

export function RunCalls({ run }: { run: RunDetail }) {
  const { data, error, refetch } = useRead<RunCallList>(
    { call: { api: 'signalbox', path: path`/runs/${run.id}/calls` }, topics: ['run'] },
    { everyMs: isOver(run) ? undefined : LIVE_MS },
  );
  if (data === undefined) {
    if (error !== null) return <ReadProblem error={error} onRetry={() => void refetch()} />;
    return <Skeleton lines={6} />;
  }
  const { items, others, total, keptDays } = data;
  if (total.calls === 0) {
    const { title, running, over } = CALL_WORDS.empty;
    const text = isOver(run) ? over(formatCount(keptDays)) : running;
    return <EmptyState icon="link" title={title} text={text} />;
  }
  const rows = others === undefined ? items : [...items, { api: OTHERS, ...others }];
  return (
    <div className="stack stack--8 run-calls">
      <p className="muted t13">
        {CALL_WORDS.total(formatCount(total.calls), formatCount(total.refused + total.failed))}
      </p>
      <Table
        label={CALL_WORDS.label}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ api, operation = '' }) => `${api} ${operation}`}
        footer={<ListFoot list={{ rows }} nouns={CALL_WORDS.nouns} />}
      />
    </div>
  );
}

const COLUMNS: TableColumn<CalledOperation>[] = [
  {
    id: 'operation',
    head: CALL_WORDS.operation,
    isMain: true,
    cell: (called) => <OperationName called={called} />,
  },
  { id: 'calls', head: CALL_WORDS.calls, align: 'end', cell: ({ calls }) => formatCount(calls) },
  {
    id: 'failed',
    head: CALL_WORDS.failed,
    align: 'end',
    cell: ({ refused, failed }) => formatCount(refused + failed),
  },
  {
    id: 'status',
    head: CALL_WORDS.lastStatus,
    align: 'end',
    priority: 'mid',
    cell: ({ lastStatus }) => <span className="mono t12">{lastStatus}</span>,
  },
  { id: 'last', head: CALL_WORDS.last, cell: ({ lastAt }) => <Time at={lastAt} /> },
];

function OperationName({ called }: { called: CalledOperation }) {
  const { api, operation, title, detail, docs } = called;
  if (api === OTHERS) return <span>{CALL_WORDS.others}</span>;
  if (operation === undefined) return <span>{CALL_WORDS.unknown}</span>;
  return (
    <span className="stack stack--4">
      {docs === undefined ? (
        <span className="mono">{operation}</span>
      ) : (
        <TextLink href={`${ROOT}${docs}`} isExternal>
          {title ?? operation}
        </TextLink>
      )}
      <span className="mono t12 muted break">{detail ?? api}</span>
    </span>
  );
}
