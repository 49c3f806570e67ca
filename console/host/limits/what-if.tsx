// How the last 24 hours would have gone with another limit. The address holds the limit and the number.
import type { LimitPeaks } from '../../api/types/signalbox.ts';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { useMinute } from '../../lib/clock.ts';
import { Sparkline } from '../../ui/chart.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { limitName } from './limit-table.tsx';
import { HOUR_MS, whatIf, type WhatIf } from './limits-queries.ts';
import { LIMITS } from './limits-words.ts';
import { RefusedCount } from './route-table.tsx';

const { what } = LIMITS;

const keyOf = ({ api, category }: LimitPeaks) => `${api}.${category}`;

export function WhatIfPart({ items }: { items: LimitPeaks[] | undefined }) {
  const state = useSearchState('/limits');
  const [typed, setTyped] = useTypedFilter(state, 'what');
  if (items === undefined) return <Skeleton rows={3} />;
  const limits = [...new Map(items.map((item) => [keyOf(item), item])).values()].toSorted((one, other) =>
    limitName(one) < limitName(other) ? -1 : 1,
  );
  const chosen = limits.find((one) => keyOf(one) === state.get('limit')) ?? limits[0];
  if (chosen === undefined) return <EmptyState icon="gauge" title={what.none.title} text={what.none.text} />;
  const isNumber = typed === '' || /^[1-9]\d{0,8}$/.test(typed);
  const limit = typed === '' || !isNumber ? chosen.limit : Number(typed);
  const rows = items
    .filter((item) => keyOf(item) === keyOf(chosen))
    .map((item) => ({ ...item, would: whatIf(item, limit) }))
    .toSorted((one, other) => other.would.fullest - one.would.fullest);
  return (
    <div className="stack stack--12">
      <div className="limits__form">
        <Field label={what.limit}>
          <SelectInput
            value={keyOf(chosen)}
            onValue={(name) => state.set({ limit: name, what: undefined })}
            options={limits.map((one) => ({ value: keyOf(one), label: limitName(one) }))}
          />
        </Field>
        <Field
          label={what.number}
          help={what.present(formatCount(chosen.limit), LIMITS.window(chosen.seconds))}
          error={isNumber ? undefined : what.invalid}
        >
          <TextInput
            inputMode="numeric"
            autoComplete="off"
            placeholder={String(chosen.limit)}
            value={typed}
            onValue={(text) => setTyped(text.trim())}
          />
        </Field>
      </div>
      <p className="t13" role="status">
        {summaryOf(
          rows.map(({ would }) => would),
          chosen.seconds,
        )}
      </p>
      <Table
        label={what.table}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ member }) => member.id}
        rowLabel={({ member }) => member.username}
      />
    </div>
  );
}

function summaryOf(all: readonly WhatIf[], seconds: number): string {
  const short = all.filter(({ hours }) => hours > 0);
  const fullest = Math.max(0, ...all.map((one) => one.fullest));
  if (short.length === 0) return what.enough(formatCount(fullest), LIMITS.window(seconds));
  const count = formatCount(short.reduce((sum, { refused }) => sum + refused, 0));
  const words = short.some(({ isLeast }) => isLeast) ? what.least(count) : count;
  return what.short(words.charAt(0).toUpperCase() + words.slice(1), short.length);
}

type Row = LimitPeaks & { would: WhatIf };

function DayOf({ row: { hours, member, would } }: { row: Row }) {
  const hour = Math.floor(useMinute() / HOUR_MS) * HOUR_MS;
  const byHour = new Map(hours.map(({ at, most }) => [at, most]));
  const values = Array.from({ length: 24 }, (_, index) => byHour.get(hour - (23 - index) * HOUR_MS) ?? 0);
  return <Sparkline values={values} label={what.spark(member.username, formatCount(would.fullest))} />;
}

const COLUMNS: TableColumn<Row>[] = [
  { id: 'member', head: what.member, isMain: true, cell: ({ member }) => member.username },
  { id: 'day', head: what.day, cell: (row) => <DayOf row={row} /> },
  { id: 'fullest', head: what.fullest, align: 'end', cell: ({ would }) => formatCount(would.fullest) },
  { id: 'over', head: what.over, align: 'end', cell: ({ would }) => formatCount(would.hours) },
  {
    id: 'refused',
    head: what.refused,
    align: 'end',
    cell: ({ would: { isLeast, refused } }) =>
      isLeast && refused > 0 ? (
        <span className="bad w5">{what.least(formatCount(refused))}</span>
      ) : (
        <RefusedCount of={refused} />
      ),
  },
];
