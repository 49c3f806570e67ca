// What runs used by Actor, by member and by day. From each Actor a link leads to the runs behind the numbers.
import { useState } from 'react';
import { ListFoot } from '../../lib/list-foot.tsx';
import { cssVars } from '../../ui/css-vars.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import type { ActorUsage, DayUsage, MemberUse, Used } from './usage-queries.ts';
import { USAGE_WORDS } from './usage-words.ts';

const LEAST_SHOWN = 0.001;
const units = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });

export function computeText(value: number): string {
  return value > 0 && value < LEAST_SHOWN ? `< ${units.format(LEAST_SHOWN)}` : units.format(value);
}

function columnsOf<Row extends Used>(most: number): TableColumn<Row>[] {
  return [
    { id: 'runs', head: USAGE_WORDS.runs, align: 'end', cell: ({ runs }) => formatCount(runs) },
    { id: 'failed', head: USAGE_WORDS.failures, align: 'end', cell: ({ failed }) => formatCount(failed) },
    {
      id: 'duration',
      head: USAGE_WORDS.duration,
      align: 'end',
      priority: 'mid',
      cell: ({ durationMs }) => formatDuration(durationMs),
    },
    {
      id: 'compute',
      head: USAGE_WORDS.compute,
      cell: ({ computeUnits }) => (
        <span className="usage-bar">
          <span className="nw">{computeText(computeUnits)}</span>
          <i aria-hidden="true" style={cssVars({ w: most > 0 ? (computeUnits / most) * 100 : 0 })} />
        </span>
      ),
    },
  ];
}

const mostOf = (rows: readonly Used[]) => Math.max(0, ...rows.map(({ computeUnits }) => computeUnits));

/** Of the spans that the list of runs knows. */
const RUN_SPANS: Readonly<Record<string, string>> = { '1': '24h', '7': '7d', '30': '30d' };
const STEP = 25;

export function ActorUsageTable({ actors, span }: { actors: ActorUsage[]; span: string }) {
  const [shown, setShown] = useState(STEP);
  const rows = actors.slice(0, shown);
  const since = RUN_SPANS[span];
  return (
    <Table
      label={USAGE_WORDS.byActor}
      columns={[actorColumn(since), ...columnsOf<ActorUsage>(mostOf(actors))]}
      rows={rows}
      rowKey={({ id }) => id}
      footer={
        <ListFoot
          list={{
            rows,
            total: actors.length,
            hasMore: actors.length > shown,
            readMore: () => setShown(shown + STEP),
          }}
          nouns={USAGE_WORDS.nouns}
        />
      }
    />
  );
}

function actorColumn(since: string | undefined): TableColumn<ActorUsage> {
  return {
    id: 'actor',
    head: USAGE_WORDS.actor,
    isMain: true,
    cell: (actor) => <UsedActor actor={actor} since={since} />,
  };
}

/** Leads to the runs behind the numbers. */
function UsedActor({ actor, since }: { actor: ActorUsage; since: string | undefined }) {
  const { id, name, title } = actor;
  if (name === undefined)
    return (
      <span className="muted">
        <span className="mono t12">{id}</span> {USAGE_WORDS.gone}
      </span>
    );
  const span = since === undefined ? '' : `&since=${since}`;
  return <TextLink href={`/runs?actor=${encodeURIComponent(name)}${span}`}>{title ?? name}</TextLink>;
}

export function MemberUsageTable({ members }: { members: MemberUse[] }) {
  const [shown, setShown] = useState(STEP);
  const rows = members.slice(0, shown);
  return (
    <Table
      label={USAGE_WORDS.byMember}
      columns={[
        MEMBER_COLUMN,
        ...columnsOf<MemberUse>(mostOf(members)),
        {
          id: 'reads',
          head: USAGE_WORDS.reads,
          align: 'end',
          priority: 'mid',
          cell: ({ reads }) => formatCount(reads),
        },
        {
          id: 'writes',
          head: USAGE_WORDS.writes,
          align: 'end',
          priority: 'mid',
          cell: ({ writes }) => formatCount(writes),
        },
      ]}
      rows={rows}
      rowKey={({ id }) => id}
      footer={
        <ListFoot
          list={{
            rows,
            total: members.length,
            hasMore: members.length > shown,
            readMore: () => setShown(shown + STEP),
          }}
          nouns={USAGE_WORDS.memberNouns}
        />
      }
    />
  );
}

const MEMBER_COLUMN: TableColumn<MemberUse> = {
  id: 'member',
  head: USAGE_WORDS.member,
  isMain: true,
  cell: (member) => <UsedBy member={member} />,
};

/** Runs of others are not shown, so that the link leads to the member. */
function UsedBy({ member: { id, username, name, isService } }: { member: MemberUse }) {
  if (username === undefined)
    return (
      <span className="muted">
        <span className="mono t12">{id}</span> {USAGE_WORDS.gone}
      </span>
    );
  if (isService)
    return (
      <span>
        {username} <span className="muted t12">{USAGE_WORDS.service}</span>
      </span>
    );
  return <TextLink href={`/account/members?member=${encodeURIComponent(id)}`}>{name ?? username}</TextLink>;
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
});

export function DayUsageTable({ days }: { days: DayUsage[] }) {
  const rows = days.toReversed();
  return (
    <Table
      label={USAGE_WORDS.byDay}
      columns={[
        { id: 'day', head: USAGE_WORDS.day, isMain: true, cell: ({ day }) => dayFormat.format(day) },
        ...columnsOf<DayUsage>(mostOf(days)),
      ]}
      rows={rows}
      rowKey={({ day }) => String(day)}
      footer={<ListFoot list={{ rows }} nouns={USAGE_WORDS.dayNouns} />}
    />
  );
}
