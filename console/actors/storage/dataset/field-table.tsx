// What a page of items says about each field. It says so of that page alone.
import { useMemo } from 'react';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Skeleton } from '../../../ui/states.tsx';
import { Table, type TableColumn } from '../../../ui/table.tsx';
import { WORDS } from './dataset-words.ts';
import { fieldsOf, measureFields, type FieldStatistics } from './fields.ts';
import type { ItemsPageProps } from './items-json.tsx';
import { useItemPage } from './items.ts';
import { PageBar } from './page-bar.tsx';

export function FieldTable({ dataset, offset, onOffset }: ItemsPageProps) {
  const { data, items, first, size, error, refetch } = useItemPage(dataset, offset);
  const rows = useMemo(() => measureFields(fieldsOf(dataset.fields, items), items), [dataset.fields, items]);
  const columns = useMemo(() => columnsOf(items.length), [items.length]);
  if (data === undefined)
    return error === null ? (
      <Skeleton rows={8} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  return (
    <div className="stack">
      <Banner tone="neutral">
        {WORDS.statisticsOf(formatCount(first + 1), formatCount(first + items.length))}
      </Banner>
      <PageBar first={first} count={items.length} size={size} total={dataset.itemCount} onOffset={onOffset} />
      <Table label={WORDS.fields} columns={columns} rows={rows} rowKey={({ name }) => name} isCompact />
    </div>
  );
}

function columnsOf(count: number): TableColumn<FieldStatistics>[] {
  return [
    {
      id: 'name',
      head: WORDS.field,
      isMain: true,
      cell: ({ name }) => <span className="mono t12 value-text">{name}</span>,
    },
    {
      id: 'type',
      head: WORDS.type,
      cell: ({ types }) => types.map((type) => WORDS.types[type]).join(', ') || '–',
    },
    {
      id: 'filled',
      head: WORDS.filled,
      align: 'end',
      cell: ({ filled }) => WORDS.of(formatCount(filled), formatCount(count)),
    },
    { id: 'distinct', head: WORDS.distinct, align: 'end', cell: ({ distinct }) => formatCount(distinct) },
    { id: 'range', head: WORDS.range, align: 'end', cell: ({ range }) => rangeText(range) },
  ];
}

function rangeText(range: FieldStatistics['range']): string {
  if (range === undefined) return '–';
  const { least, most, isLength } = range;
  return (isLength ? WORDS.lengths : WORDS.values)(formatCount(least), formatCount(most));
}
