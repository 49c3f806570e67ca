// The windows that are open now: used, left, the countdown to the end, and when they would be spent.
import { useContext } from 'react';
import { useSecond } from '../../lib/clock.ts';
import { Meter } from '../../ui/chart.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { TimeZoneContext } from '../../ui/time.tsx';
import { forecastOf, type LimitState } from './limits-queries.ts';
import { LIMITS } from './limits-words.ts';

export function limitName({ api, category, scope }: Pick<LimitState, 'api' | 'category' | 'scope'>): string {
  const name = `${LIMITS.api(api)}: ${category}`;
  return scope === undefined ? name : `${name} (${scope})`;
}

export function LimitTable({ items, isLoading }: { items: LimitState[]; isLoading: boolean }) {
  const now = useSecond();
  const open = items
    .filter(({ resetAt, used }) => resetAt > now && used > 0)
    .toSorted((one, other) => other.used / other.limit - one.used / one.limit);
  return (
    <Table
      label={LIMITS.table}
      columns={COLUMNS}
      rows={open}
      rowKey={(row) => `${row.budget} ${limitName(row)}`}
      rowLabel={limitName}
      isLoading={isLoading}
      emptyState={<EmptyState icon="gauge" title={LIMITS.none.title} text={LIMITS.none.text} />}
    />
  );
}

const COLUMNS: TableColumn<LimitState>[] = [
  {
    id: 'limit',
    head: LIMITS.columns.limit,
    isMain: true,
    cell: (row) => (
      <span className="two">
        <b className="cut">{limitName(row)}</b>
        <small>{LIMITS.per(formatCount(row.limit), LIMITS.window(row.seconds))}</small>
      </span>
    ),
  },
  {
    id: 'budget',
    head: LIMITS.columns.budget,
    priority: 'mid',
    cell: ({ budget }) => LIMITS.budgets[budget],
  },
  {
    id: 'used',
    head: LIMITS.columns.used,
    cell: (row) => {
      const { used, limit } = row;
      const text = LIMITS.used(formatCount(used), formatCount(limit));
      return (
        <span className="limits__used">
          <span className="t13">{text}</span>
          <Meter
            label={LIMITS.meter(limitName(row))}
            value={used}
            max={limit}
            text={text}
            tone={used >= limit ? 'bad' : used >= limit * 0.8 ? 'warn' : undefined}
          />
        </span>
      );
    },
  },
  {
    id: 'remaining',
    head: LIMITS.columns.remaining,
    align: 'end',
    cell: ({ remaining }) => formatCount(remaining),
  },
  { id: 'reset', head: LIMITS.columns.reset, cell: ({ resetAt }) => <Countdown to={resetAt} /> },
  { id: 'forecast', head: LIMITS.columns.forecast, cell: (row) => <ForecastText row={row} /> },
];

function Countdown({ to }: { to: number }) {
  const left = Math.max(0, Math.ceil((to - useSecond()) / 1000));
  const minutes = Math.floor(left / 60);
  const seconds = String(left % 60).padStart(2, '0');
  return (
    <span className="nw">
      {minutes}:{seconds}
    </span>
  );
}

function ForecastText({ row }: { row: LimitState }) {
  const timeZone = useContext(TimeZoneContext);
  const forecast = forecastOf(row, useSecond());
  if (forecast.kind === 'empty') return <Badge tone="bad">{LIMITS.empty}</Badge>;
  if (forecast.kind !== 'spent') return <span className="muted">{LIMITS[forecast.kind]}</span>;
  const time = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    ...(row.seconds < 600 && { second: '2-digit' }),
    ...(timeZone !== undefined && { timeZone }),
  }).format(forecast.at);
  return <Badge tone="warn">{LIMITS.spent(time)}</Badge>;
}
