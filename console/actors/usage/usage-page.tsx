// What the caller's runs and storages used: by Actor, day by day, and against the limits of the account; and for those who administer the server, by member.
import '../../styles/usage.css';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Card, Figures } from '../../ui/card.tsx';
import { Meter } from '../../ui/chart.tsx';
import { formatBytes, formatCount, formatDuration } from '../../ui/format.ts';
import { PageHead, Section } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import {
  useLimits,
  useMonthlyUsage,
  useMemberUsage,
  useRunUsage,
  type AccountLimits,
  type Used,
} from './usage-queries.ts';
import { ActorUsageTable, computeText, DayUsageTable, MemberUsageTable } from './usage-tables.tsx';
import { USAGE_WORDS } from './usage-words.ts';

type Span = keyof typeof USAGE_WORDS.spans;
const SPANS: readonly Span[] = ['1', '7', '30', '90'];
const VIEWS = ['actor', 'member'] as const;
const ADMINISTER = [{ action: 'administerServer', resource: 'acct' }];

export default function UsagePage() {
  usePageInfo([{ label: USAGE_WORDS.usage, href: '/usage' }]);
  const search = useSearchState('/usage');
  const span = SPANS.find((one) => one === search.get('days')) ?? '30';
  const [mayAdminister = false] = useMay(ADMINISTER) ?? [];
  const isByMember = mayAdminister && search.get('by') === 'member';
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={USAGE_WORDS.usage}
        actions={
          <>
            {mayAdminister && (
              <Segmented
                label={USAGE_WORDS.by}
                value={isByMember ? 'member' : 'actor'}
                options={VIEWS.map((value) => ({ value, label: USAGE_WORDS.views[value] }))}
                onChange={(by) => search.set({ by: by === 'member' ? by : '' })}
              />
            )}
            <Segmented
              label={USAGE_WORDS.span}
              value={span}
              options={SPANS.map((value) => ({ value, label: USAGE_WORDS.spans[value] }))}
              onChange={(days) => search.set({ days })}
            />
          </>
        }
      />
      <div className="stack stack--16">
        {isByMember ? (
          <MemberParts span={span} />
        ) : (
          <>
            <RunParts span={span} />
            <MonthFigures />
            <LimitsCard />
          </>
        )}
      </div>
    </main>
  );
}

function RunParts({ span }: { span: Span }) {
  const { data, error, refetch } = useRunUsage(span);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={8} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  const { total, actors, days, isPartial } = data;
  if (total.runs === 0)
    return <EmptyState icon="gauge" title={USAGE_WORDS.empty.title} text={USAGE_WORDS.empty.text} />;
  return (
    <>
      <UsedFigures total={total} />
      {isPartial && <p className="muted t13">{USAGE_WORDS.partial}</p>}
      <Section title={USAGE_WORDS.byActor}>
        <ActorUsageTable actors={actors} span={span} />
      </Section>
      <Section title={USAGE_WORDS.byDay}>
        <DayUsageTable days={days} />
      </Section>
    </>
  );
}

function MemberParts({ span }: { span: Span }) {
  const { data, error, refetch } = useMemberUsage(span);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={8} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  const { total, members, isPartial } = data;
  if (members.length === 0)
    return (
      <EmptyState icon="gauge" title={USAGE_WORDS.emptyMembers.title} text={USAGE_WORDS.emptyMembers.text} />
    );
  return (
    <>
      <UsedFigures total={total} />
      {isPartial && <p className="muted t13">{USAGE_WORDS.partialMembers}</p>}
      <Section title={USAGE_WORDS.byMember}>
        <MemberUsageTable members={members} />
      </Section>
    </>
  );
}

function UsedFigures({ total }: { total: Used }) {
  return (
    <Figures
      label={USAGE_WORDS.figures}
      items={[
        {
          label: USAGE_WORDS.runs,
          value: formatCount(total.runs),
          note: USAGE_WORDS.failed(formatCount(total.failed)),
        },
        { label: USAGE_WORDS.duration, value: formatDuration(total.durationMs) },
        {
          label: USAGE_WORDS.compute,
          value: computeText(total.computeUnits),
          note: USAGE_WORDS.computeNote,
        },
      ]}
    />
  );
}

const GIGABYTE = 1e9;

function MonthFigures() {
  const usage = useMonthlyUsage()?.monthlyServiceUsage;
  if (usage === undefined) return null;
  const names = Object.keys(USAGE_WORDS.services) as (keyof typeof USAGE_WORDS.services)[];
  const sent = (usage['DATA_TRANSFER_EXTERNAL_GBYTES']?.quantity ?? 0) * GIGABYTE;
  return (
    <Section title={USAGE_WORDS.month}>
      <Figures
        items={[
          ...names.map((name) => ({
            label: USAGE_WORDS.services[name],
            value: formatCount(usage[name]?.quantity ?? 0, { isShort: true }),
          })),
          { label: USAGE_WORDS.transfer, value: formatBytes(sent) },
        ]}
      />
    </Section>
  );
}

const GIBI = 1024 ** 3;

const LIMITS: readonly [name: keyof typeof USAGE_WORDS.limitNames, current: string, limit: string][] = [
  ['actors', 'actorCount', 'maxActorCount'],
  ['tasks', 'actorTaskCount', 'maxActorTaskCount'],
  ['schedules', 'scheduleCount', 'maxScheduleCount'],
  ['jobs', 'activeActorJobCount', 'maxConcurrentActorJobs'],
  ['memory', 'actorMemoryGbytes', 'maxActorMemoryGbytes'],
];

/** From here on a limit is near. */
const NEAR = 0.8;

function LimitsCard() {
  const account = useLimits();
  if (account === undefined) return null;
  return (
    <Card title={USAGE_WORDS.limits}>
      <ul className="usage-limits">
        {LIMITS.map(([name, current, limit]) => (
          <LimitRow key={name} name={name} account={account} current={current} limit={limit} />
        ))}
      </ul>
    </Card>
  );
}

interface LimitRowProps {
  name: keyof typeof USAGE_WORDS.limitNames;
  account: AccountLimits;
  current: string;
  limit: string;
}

function LimitRow({ name, account, current, limit }: LimitRowProps) {
  const used = account.current[current] ?? 0;
  const most = account.limits[limit] ?? 0;
  const show = (value: number) => (name === 'memory' ? formatBytes(value * GIBI) : formatCount(value));
  const text = USAGE_WORDS.of(show(used), show(most));
  return (
    <li>
      <span>{USAGE_WORDS.limitNames[name]}</span>
      <Meter
        label={USAGE_WORDS.limitNames[name]}
        value={used}
        max={most}
        text={text}
        tone={most > 0 && used >= most * NEAR ? 'warn' : undefined}
      />
      <span className="muted t12 nw">{text}</span>
    </li>
  );
}
