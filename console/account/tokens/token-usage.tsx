// The calls of a token in the last seven days: bars by hour, or a table of the same figures.
import { useContext, useState } from 'react';
import { Figures } from '../../ui/card.tsx';
import { formatAbsolute, formatCount } from '../../ui/format.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time, TimeZoneContext } from '../../ui/time.tsx';
import { useMinute } from '../../lib/clock.ts';
import { DAY_MS, HOUR_MS, type TokenHour } from './token-model.ts';
import { useTokenUsage } from './tokens-queries.ts';
import { TOKENS, USAGE } from './tokens-words.ts';

const DAYS = 7;
const HOURS = DAYS * 24;
const HEIGHT = 56;

export interface UsageSum {
  calls: number;
  refused: number;
}

export function sumOf(hours: readonly UsageSum[]): UsageSum {
  return hours.reduce(
    (sum, { calls, refused }) => ({ calls: sum.calls + calls, refused: sum.refused + refused }),
    { calls: 0, refused: 0 },
  );
}

export function TokenUsageView({ id }: { id: string }) {
  const { data, error, refetch } = useTokenUsage(id);
  const [view, setView] = useState<'chart' | 'table'>('chart');
  if (error !== null && data === undefined)
    return <ErrorState error={error} isPlain onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={3} />;
  if (data.hours.length === 0)
    return (
      <p className="t13 muted">
        {USAGE.none} {USAGE.later}
      </p>
    );
  return (
    <div className="stack">
      <div>
        <Segmented
          label={USAGE.view}
          size="sm"
          value={view}
          onChange={setView}
          options={[
            { value: 'chart', label: USAGE.chart },
            { value: 'table', label: USAGE.table },
          ]}
        />
      </div>
      {view === 'chart' ? <UsageChart hours={data.hours} /> : <UsageTable hours={data.hours} />}
    </div>
  );
}

interface Bar extends UsageSum {
  at: number;
}

/** All hours of the week, those without a call too, oldest first. */
function toBars(hours: readonly TokenHour[], now: number): Bar[] {
  const byHour = Map.groupBy(hours, ({ at }) => Math.floor(at / HOUR_MS));
  const last = Math.floor(now / HOUR_MS);
  return Array.from({ length: HOURS }, (_, index) => {
    const hour = last - HOURS + 1 + index;
    return { at: hour * HOUR_MS, ...sumOf(byHour.get(hour) ?? []) };
  });
}

export function UsageChart({ hours }: { hours: readonly TokenHour[] }) {
  const timeZone = useContext(TimeZoneContext);
  const now = useMinute();
  const bars = toBars(hours, now);
  const { calls, refused } = sumOf(bars);
  const top = Math.max(1, ...bars.map((bar) => bar.calls));
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / top) * HEIGHT));
  return (
    <div className="stack stack--8">
      <Figures
        items={[
          { label: USAGE.calls, value: formatCount(calls, { isShort: true }) },
          { label: USAGE.refused, value: formatCount(refused, { isShort: true }) },
          { label: USAGE.busiest, value: formatCount(top, { isShort: true }) },
        ]}
      />
      <svg
        className="bars"
        viewBox={`0 0 ${HOURS} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={USAGE.summary(calls, refused)}
      >
        {bars.map((bar, index) => (
          <g key={bar.at}>
            <title>{USAGE.bar(formatAbsolute(bar.at, now, timeZone), bar.calls, bar.refused)}</title>
            <rect className="bars__all" x={index} y={0} width={1} height={HEIGHT} />
            <rect
              x={index}
              y={HEIGHT - heightOf(bar.calls)}
              width={0.82}
              height={heightOf(bar.calls)}
              className="bars__calls"
            />
            <rect
              x={index}
              y={HEIGHT - heightOf(bar.refused)}
              width={0.82}
              height={heightOf(bar.refused)}
              className="bars__refused"
            />
          </g>
        ))}
      </svg>
      <div className="bars__days" aria-hidden="true">
        {Array.from({ length: DAYS }, (_, index) => (
          <span key={index}>{dayName(now - (DAYS - 1 - index) * DAY_MS, timeZone)}</span>
        ))}
      </div>
      <p className="row row--12 t12 muted" aria-hidden="true">
        <span>
          <i className="bars__k bars__k--calls" /> {USAGE.calls}
        </span>
        <span>
          <i className="bars__k bars__k--refused" /> {USAGE.refused}
        </span>
      </p>
    </div>
  );
}

function dayName(at: number, timeZone: string | undefined): string {
  return new Date(at).toLocaleDateString('en-GB', {
    weekday: 'short',
    ...(timeZone !== undefined && { timeZone }),
  });
}

const COLUMNS: TableColumn<TokenHour>[] = [
  { id: 'at', head: USAGE.hour, isMain: true, cell: ({ at }) => <Time at={at} mode="absolute" /> },
  { id: 'api', head: USAGE.api, cell: ({ api }) => TOKENS.api(api) },
  { id: 'category', head: USAGE.category, cell: ({ category }) => category },
  { id: 'calls', head: USAGE.calls, align: 'end', cell: ({ calls }) => formatCount(calls) },
  { id: 'refused', head: USAGE.refused, align: 'end', cell: ({ refused }) => formatCount(refused) },
];

function UsageTable({ hours }: { hours: readonly TokenHour[] }) {
  return (
    <div className="bars__tb">
      <Table
        label={USAGE.calls}
        isCompact
        columns={COLUMNS}
        rows={hours.toSorted((one, other) => other.at - one.at)}
        rowKey={({ at, api, category }) => `${at} ${api} ${category}`}
      />
    </div>
  );
}
