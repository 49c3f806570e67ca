// How a flag is used: its status in each environment, evaluations per variation by day, and the SDKs that evaluate it.
import type { FlagUsageReport } from '../../api/types/signalbox.ts';
import '../../styles/flag-tabs.css';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, type SearchState } from '../../lib/search-state.ts';
import { formatCount } from '../../ui/format.ts';
import { Banner } from '../../ui/banner.tsx';
import { Section } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Flag } from '../flag.ts';
import { useCurrentEnvironment } from '../flag/current-environment.ts';
import { daysOf, UsageBars, UsageLegend, UsageTable } from './usage-chart.tsx';
import { useFlagStatuses, useFlagUsage, type FlagStatus } from './usage-queries.ts';
import { USAGE_WORDS as WORDS } from './usage-words.ts';

const RANGES = [7, 30, 60];
const USUAL_RANGE = 30;

export default function UsageTab({ project, flag }: { project: string; flag: Flag }) {
  const page = `/flags/${encodeURIComponent(project)}/${encodeURIComponent(flag.key)}/usage`;
  const search = useSearchState(page);
  const environment = useCurrentEnvironment(project).current?.key;
  return (
    <div className="stack stack--24">
      {environment !== undefined && (
        <Evaluations project={project} flag={flag} environment={environment} search={search} />
      )}
      <Section title={WORDS.statuses}>
        <Statuses project={project} flag={flag} />
      </Section>
    </div>
  );
}

interface EvaluationsProps {
  project: string;
  flag: Flag;
  environment: string;
  search: SearchState;
}

function Evaluations({ project, flag, environment, search }: EvaluationsProps) {
  const asked = Number(search.get('days'));
  const range = RANGES.includes(asked) ? asked : USUAL_RANGE;
  const { data, error, refetch } = useFlagUsage(project, flag.key, environment, range);
  const isTable = search.get('view') === 'table';
  return (
    <Section
      title={WORDS.evaluations(environment)}
      actions={
        <span className="row row--wrap">
          <Segmented
            label={WORDS.range}
            size="sm"
            value={String(range)}
            onChange={(days) => search.set({ days: days === String(USUAL_RANGE) ? undefined : days })}
            options={RANGES.map((days) => ({ value: String(days), label: WORDS.days(days) }))}
          />
          <Segmented
            label={WORDS.view}
            size="sm"
            value={isTable ? 'table' : 'chart'}
            onChange={(view) => search.set({ view: view === 'table' ? view : undefined })}
            options={[
              { value: 'chart', label: WORDS.chart },
              { value: 'table', label: WORDS.table },
            ]}
          />
        </span>
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton shape="tile" />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Figures flag={flag} usage={data} range={range} isTable={isTable} />
      )}
    </Section>
  );
}

interface FiguresProps {
  flag: Flag;
  usage: FlagUsageReport;
  range: number;
  isTable: boolean;
}

function Figures({ flag, usage, range, isTable }: FiguresProps) {
  if (usage.days.length === 0) return <EmptyState icon="gauge" title={WORDS.none} text={WORDS.noneText} />;
  const days = daysOf(usage.since, range, usage.days);
  return (
    <div className="stack stack--16">
      {!usage.isComplete && <Banner tone="warn">{WORDS.cut}</Banner>}
      {isTable ? <UsageTable flag={flag} days={days} /> : <UsageBars flag={flag} days={days} />}
      <UsageLegend flag={flag} days={days} />
      <Table
        label={WORDS.sdks}
        columns={SDK_COLUMNS}
        rows={usage.sdks}
        rowKey={({ name, version }) => `${name} ${version}`}
        isCompact
      />
    </div>
  );
}

const SDK_COLUMNS: TableColumn<FlagUsageReport['sdks'][number]>[] = [
  { id: 'sdk', head: WORDS.sdk, isMain: true, cell: ({ name }) => <span className="code-path">{name}</span> },
  { id: 'version', head: WORDS.version, cell: ({ version }) => <span className="mono t12">{version}</span> },
  { id: 'seen', head: WORDS.seen, cell: ({ lastSeen }) => <Time at={lastSeen} mode="absolute" /> },
  { id: 'count', head: WORDS.count, align: 'end', cell: ({ count }) => formatCount(count) },
];

interface StatusRow extends FlagStatus {
  key: string;
  environment: string;
}

const TONES: Readonly<Record<string, 'ok' | 'acc' | 'warn'>> = {
  active: 'ok',
  launched: 'acc',
  inactive: 'warn',
};

const STATUS_COLUMNS: TableColumn<StatusRow>[] = [
  {
    id: 'environment',
    head: WORDS.environment,
    isMain: true,
    cell: ({ key, environment }) => (
      <span className="two">
        <b className="cut">{environment}</b>
        <small className="mono cut">{key}</small>
      </span>
    ),
  },
  {
    id: 'status',
    head: WORDS.status,
    cell: ({ name }) => {
      const [label, text] = WORDS.names[name] ?? [name, ''];
      return (
        <span className="row row--wrap row--4">
          <Badge tone={TONES[name]}>{label}</Badge>
          <span className="muted t12">{text}</span>
        </span>
      );
    },
  },
  {
    id: 'last',
    head: WORDS.last,
    cell: ({ lastRequested }) =>
      lastRequested === undefined ? (
        <span className="muted">{WORDS.never}</span>
      ) : (
        <Time at={Date.parse(lastRequested)} />
      ),
  },
  {
    id: 'default',
    head: WORDS.default,
    priority: 'mid',
    cell: (row) =>
      row.default === undefined ? '' : <code className="value-text">{JSON.stringify(row.default)}</code>,
  },
];

function Statuses({ project, flag }: { project: string; flag: Flag }) {
  const { data, error, isPending, refetch } = useFlagStatuses(project, flag.key);
  if (error !== null && data === undefined)
    return <ReadProblem error={error} onRetry={() => void refetch()} />;
  const rows = Object.entries(data?.environments ?? {}).map(([key, status]) => ({
    ...status,
    key,
    environment: flag.environments?.[key]?._environmentName ?? key,
  }));
  return (
    <Table
      label={WORDS.statuses}
      columns={STATUS_COLUMNS}
      rows={rows}
      rowKey={({ key }) => key}
      isLoading={isPending}
    />
  );
}
