// What two runs counted, and how their inputs or options differ, as tables.
import type { JsonDifference, RunComparison } from '../../api/types/signalbox.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { formatBytes, formatCount, formatDuration } from '../../ui/format.ts';
import { Table, type TableColumn } from '../../ui/table.tsx';
import type { CountName } from './compare-queries.ts';
import { COMPARE_WORDS } from './compare-words.ts';

interface CountRow {
  id: string;
  label: string;
  before: string;
  after: string;
  change: string;
}

const COUNT_COLUMNS: TableColumn<CountRow>[] = [
  { id: 'what', head: COMPARE_WORDS.what, isMain: true, cell: ({ label }) => label },
  { id: 'before', head: COMPARE_WORDS.before, align: 'end', cell: ({ before }) => before },
  { id: 'after', head: COMPARE_WORDS.after, align: 'end', cell: ({ after }) => after },
  {
    id: 'change',
    head: COMPARE_WORDS.change,
    align: 'end',
    cell: ({ change }) => <span className="muted">{change}</span>,
  },
];

export interface CountTableProps {
  counts: RunComparison['counts'];
  /** Their numbers, before and after. */
  builds: readonly [string, string];
}

export function CountTable({ counts, builds: [before, after] }: CountTableProps) {
  const rows = [
    {
      id: 'build',
      label: COMPARE_WORDS.build,
      before,
      after,
      change: before === after ? COMPARE_WORDS.same : '',
    },
    ...(Object.keys(COMPARE_WORDS.countNames) as CountName[]).map((name) => countRow(name, counts[name])),
  ];
  return (
    <Table
      label={COMPARE_WORDS.counts}
      columns={COUNT_COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      isCompact
    />
  );
}

function countRow(name: CountName, { before, after }: RunComparison['counts'][CountName]): CountRow {
  const show = (value: number | undefined) =>
    value === undefined ? COMPARE_WORDS.unknown : format(name, value);
  return {
    id: name,
    label: COMPARE_WORDS.countNames[name],
    before: show(before),
    after: show(after),
    change: before === undefined || after === undefined ? '' : changeOf(name, after - before),
  };
}

function changeOf(name: CountName, change: number): string {
  if (change === 0) return COMPARE_WORDS.same;
  return `${change > 0 ? '+' : '−'}${format(name, Math.abs(change))}`;
}

function format(name: CountName, value: number): string {
  if (name === 'durationMs') return formatDuration(value);
  if (name === 'memoryMaxBytes') return formatBytes(value);
  if (name === 'cpuAvgUsage') return `${formatCount(Math.round(value * 10) / 10)} %`;
  return formatCount(value);
}

const DIFFERENCE_COLUMNS: TableColumn<JsonDifference>[] = [
  {
    id: 'path',
    head: COMPARE_WORDS.place,
    isMain: true,
    cell: ({ path }) => <span className="mono t12 break">{path === '' ? COMPARE_WORDS.whole : path}</span>,
  },
  { id: 'before', head: COMPARE_WORDS.before, cell: ({ before }) => <ValueText value={before} /> },
  { id: 'after', head: COMPARE_WORDS.after, cell: ({ after }) => <ValueText value={after} /> },
];

const LONGEST = 500;

function ValueText({ value }: { value: unknown }) {
  if (value === undefined) return <span className="faint">{COMPARE_WORDS.nothing}</span>;
  const text = JSON.stringify(value);
  return (
    <span className="mono t12 break">{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</span>
  );
}

export interface DifferenceTableProps {
  label: string;
  rows: JsonDifference[];
  /** There may be more than are shown. */
  total: number;
}

export function DifferenceTable({ label, rows, total }: DifferenceTableProps) {
  return (
    <Table
      label={label}
      columns={DIFFERENCE_COLUMNS}
      rows={rows}
      rowKey={({ path }) => path}
      rowCount={total}
      footer={<ListFoot list={{ rows, total }} nouns={COMPARE_WORDS.differences} />}
    />
  );
}

interface FieldRow {
  field: string;
  side: string;
}

const FIELD_COLUMNS: TableColumn<FieldRow>[] = [
  {
    id: 'field',
    head: COMPARE_WORDS.field,
    isMain: true,
    cell: ({ field }) => <span className="mono t12 break">{field}</span>,
  },
  { id: 'side', head: COMPARE_WORDS.onlyIn, cell: ({ side }) => side },
];

/** Which names of fields only the items of one run have. */
export function OutputDifference({ output }: Pick<RunComparison, 'output'>) {
  const { added, missing, common, isKnown } = output;
  if (!isKnown) return <p className="muted t13">{COMPARE_WORDS.unknownOutput}</p>;
  if (added.length === 0 && missing.length === 0)
    return <p className="muted t13">{COMPARE_WORDS.sameOutput(formatCount(common))}</p>;
  const rows = [
    ...missing.map((field) => ({ field, side: COMPARE_WORDS.before })),
    ...added.map((field) => ({ field, side: COMPARE_WORDS.after })),
  ];
  return (
    <Table
      label={COMPARE_WORDS.output}
      columns={FIELD_COLUMNS}
      rows={rows}
      rowKey={({ field }) => field}
      isCompact
    />
  );
}
