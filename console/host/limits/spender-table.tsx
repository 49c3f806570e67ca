// The tokens that made calls in the last 24 hours: how many, when, of which limit, and how many were refused.
import { useMinute } from '../../lib/clock.ts';
import { Sparkline } from '../../ui/chart.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { limitName } from './limit-table.tsx';
import { DAY_MS, HOUR_MS, useTokenDay, type SpendingToken, type UsedHour } from './limits-queries.ts';
import { LIMITS } from './limits-words.ts';
import { RefusedCount } from './route-table.tsx';

export function SpenderTable({ tokens, isLoading }: { tokens: SpendingToken[]; isLoading: boolean }) {
  const now = useMinute();
  const rows = tokens
    .filter(({ lastUse }) => lastUse !== undefined && lastUse.at > now - DAY_MS)
    .toSorted((one, other) => other.lastUse!.at - one.lastUse!.at);
  return (
    <Table
      label={LIMITS.tokens}
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      rowLabel={nameOf}
      rowHref={({ id }) => `/account/tokens?all=1&token=${encodeURIComponent(id)}`}
      isLoading={isLoading}
      emptyState={<EmptyState icon="key" title={LIMITS.noTokens.title} text={LIMITS.noTokens.text} />}
    />
  );
}

function nameOf({ name }: SpendingToken): string {
  return name === '' ? LIMITS.unnamed : name;
}

/** All cells of a row share one reading. */
function useDay(id: string): { hours: UsedHour[] | undefined; hour: number } {
  const hour = Math.floor(useMinute() / HOUR_MS) * HOUR_MS;
  return { hours: useTokenDay(id, hour), hour };
}

const sum = (hours: readonly UsedHour[], of: 'calls' | 'refused') =>
  hours.reduce((total, one) => total + one[of], 0);

const COLUMNS: TableColumn<SpendingToken>[] = [
  {
    id: 'name',
    head: LIMITS.token.name,
    isMain: true,
    cell: (token) => (
      <span className="two">
        <b className="cut">{nameOf(token)}</b>
        <small>…{token.ending}</small>
      </span>
    ),
  },
  { id: 'hour', head: LIMITS.token.hour, align: 'end', cell: ({ id }) => <ThisHour id={id} /> },
  { id: 'day', head: LIMITS.token.day, cell: ({ id }) => <Day id={id} /> },
  { id: 'refused', head: LIMITS.token.refused, align: 'end', cell: ({ id }) => <Refused id={id} /> },
  {
    id: 'categories',
    head: LIMITS.token.categories,
    priority: 'mid',
    cell: ({ id }) => <Categories id={id} />,
  },
];

function ThisHour({ id }: { id: string }) {
  const { hours, hour } = useDay(id);
  if (hours === undefined) return <Skeleton lines={1} />;
  return formatCount(
    sum(
      hours.filter(({ at }) => at >= hour),
      'calls',
    ),
  );
}

function Day({ id }: { id: string }) {
  const { hours = [], hour } = useDay(id);
  const byHour = Map.groupBy(hours, ({ at }) => at);
  const values = Array.from({ length: 24 }, (_, index) =>
    sum(byHour.get(hour - (23 - index) * HOUR_MS) ?? [], 'calls'),
  );
  const total = sum(hours, 'calls');
  return (
    <span className="row">
      <Sparkline values={values} label={LIMITS.spark(total)} />
      <span>{formatCount(total)}</span>
    </span>
  );
}

function Refused({ id }: { id: string }) {
  return <RefusedCount of={sum(useDay(id).hours ?? [], 'refused')} />;
}

function Categories({ id }: { id: string }) {
  const { hours = [] } = useDay(id);
  const groups = [...Map.groupBy(hours, limitName)]
    .map(([name, some]) => ({ name, calls: sum(some, 'calls') }))
    .toSorted((one, other) => other.calls - one.calls);
  return (
    <ul className="t12 muted">
      {groups.map(({ name, calls }) => (
        <li key={name}>{LIMITS.calls(name, formatCount(calls))}</li>
      ))}
    </ul>
  );
}
