// Evaluations by day and variation: bars whose parts have the colours of the variations, or a table of the same figures.
import { formatCount } from '../../ui/format.ts';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { letterOf, variationText, type Flag } from '../flag.ts';
import { VariationMark } from '../served.tsx';
import type { DayCount } from './usage-queries.ts';
import { USAGE_WORDS as WORDS } from './usage-words.ts';

const DAY_MS = 86_400_000;
const HEIGHT = 100;
/** Of the day that a bar takes. */
const BAR = 0.8;

/** The code's own default stands for no variation. */
const NONE = -1;

function variationLabel(flag: Flag, index: number): string {
  if (index === NONE) return WORDS.codeDefault;
  const variation = flag.variations[index];
  return variation === undefined ? WORDS.unknown(index) : variationText(variation);
}

interface UsageDay {
  at: number;
  /** By variation. */
  counts: Map<number, number>;
  total: number;
}

/** Every day has a place, also those without an evaluation. */
export function daysOf(since: number, count: number, found: readonly DayCount[]): UsageDay[] {
  const byDay = Map.groupBy(found, ({ at }) => at);
  return Array.from({ length: count }, (_, index) => {
    const at = since + index * DAY_MS;
    const counts = new Map((byDay.get(at) ?? []).map((one) => [one.variation ?? NONE, one.count]));
    return { at, counts, total: [...counts.values()].reduce((sum, one) => sum + one, 0) };
  });
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export interface UsageViewProps {
  flag: Flag;
  days: readonly UsageDay[];
}

export function UsageBars({ flag, days }: UsageViewProps) {
  const top = Math.max(...days.map(({ total }) => total), 1);
  const sum = days.reduce((all, { total }) => all + total, 0);
  return (
    <div>
      <svg
        className="usage-bars"
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={WORDS.summary(formatCount(sum), days.length)}
      >
        {days.map((day, index) => (
          <UsageBar key={day.at} flag={flag} day={day} x={index} top={top} />
        ))}
      </svg>
      <div className="usage-days t12 muted" aria-hidden="true">
        <span>{dayFormat.format(days[0]!.at)}</span>
        <span>{dayFormat.format(days.at(-1)!.at)}</span>
      </div>
    </div>
  );
}

function UsageBar({ flag, day, x, top }: { flag: Flag; day: UsageDay; x: number; top: number }) {
  const parts = [...day.counts].toSorted(([one], [other]) => one - other);
  const words = parts.map(([index, count]) => `${variationLabel(flag, index)} ${formatCount(count)}`);
  const heights = parts.map(([, count]) => (count / top) * HEIGHT);
  return (
    <g>
      <title>{WORDS.bar(dayFormat.format(day.at), words.join(', ') || '0')}</title>
      <rect className="usage-bars__all" x={x} y={0} width={1} height={HEIGHT} />
      {parts.map(([index], at) => {
        const below = heights.slice(0, at).reduce((sum, one) => sum + one, 0);
        return (
          <rect
            key={index}
            className={index === NONE ? 'usage-none' : `v${letterOf(index)}`}
            x={x + (1 - BAR) / 2}
            y={HEIGHT - below - heights[at]!}
            width={BAR}
            height={heights[at]}
          />
        );
      })}
    </g>
  );
}

/** Letters, names and sums, so that no colour is needed. */
export function UsageLegend({ flag, days }: UsageViewProps) {
  const sums = new Map<number, number>();
  for (const { counts } of days)
    for (const [index, count] of counts) sums.set(index, (sums.get(index) ?? 0) + count);
  const all = [...sums.values()].reduce((sum, one) => sum + one, 0);
  return (
    <ul className="row row--wrap">
      {[...sums]
        .toSorted(([one], [other]) => one - other)
        .map(([index, count]) => (
          <li key={index} className="row row--4 t13">
            {index !== NONE && <VariationMark index={index} />}
            <span className="cut">{variationLabel(flag, index)}</span>
            <span className="muted">
              {formatCount(count)} · {WORDS.share(((count / all) * 100).toFixed(1))}
            </span>
          </li>
        ))}
    </ul>
  );
}

interface UsageRow {
  key: string;
  at: number;
  index: number;
  count: number;
}

export function UsageTable({ flag, days }: UsageViewProps) {
  const rows = days
    .toReversed()
    .flatMap(({ at, counts }) =>
      [...counts].map(([index, count]): UsageRow => ({ key: `${at} ${index}`, at, index, count })),
    );
  const columns: TableColumn<UsageRow>[] = [
    { id: 'day', head: WORDS.day, isMain: true, cell: ({ at }) => dayFormat.format(at) },
    { id: 'variation', head: WORDS.variation, cell: ({ index }) => variationLabel(flag, index) },
    { id: 'count', head: WORDS.count, align: 'end', cell: ({ count }) => formatCount(count) },
  ];
  return <Table label={WORDS.table} columns={columns} rows={rows} rowKey={({ key }) => key} isCompact />;
}
