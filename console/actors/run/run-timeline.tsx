// What happened to a run, as far as the server has recorded it.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { type RunStatus, RunStatusView, STATUS_LOOK, STATUS_WORDS } from '../../lib/run-status.tsx';
import { Card } from '../../ui/card.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import type { IconName } from '../../ui/icon.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Timeline, type TimelineItem } from '../../ui/timeline.tsx';
import { hrefOfRun, type RunDetail } from '../run.ts';
import { originWord } from '../words.ts';
import { RUN_WORDS } from './run-words.ts';

interface RunEvent {
  at: number;
  kind: string;
  origin?: string;
  parent?: string;
  message?: string | null;
  status?: RunStatus;
  exitCode?: number | null;
  isGraceful?: boolean;
  actorId?: string;
  run?: { id: string; status?: RunStatus };
  dispatch?: { id: string; eventType: string; requestUrl?: string; status?: string };
}

const ICONS: Readonly<Record<string, IconName>> = {
  created: 'plus',
  waiting: 'hour',
  started: 'play',
  resurrected: 'redo',
  restarted: 'redo',
  rebooted: 'redo',
  migrated: 'aright',
  metamorphosed: 'fork',
  aborting: 'stop',
  'timing-out': 'hour',
  child: 'actor',
  webhook: 'hook',
  message: 'info',
};

export function RunTimeline({ run }: { run: RunDetail }) {
  const { data, error, refetch } = useRead<{ items: RunEvent[]; isPartial: boolean }>({
    call: { api: 'signalbox', path: path`/runs/${run.id}/timeline` },
    topics: ['run', 'delivery'],
  });
  if (data === undefined) {
    if (error !== null) return <ReadProblem error={error} onRetry={() => void refetch()} />;
    return <Skeleton lines={6} />;
  }
  return (
    <Card footer={data.isPartial ? RUN_WORDS.partialTimeline : undefined}>
      <Timeline
        label={RUN_WORDS.timelineLabel}
        items={data.items.map((event, index) => showEvent(event, index, data.items[0]?.at))}
      />
    </Card>
  );
}

function showEvent(event: RunEvent, index: number, first = event.at): TimelineItem {
  const { at, kind, status, message } = event;
  const { tone, icon } = (status && STATUS_LOOK[status]) ?? { tone: 'neutral' };
  return {
    id: `${index} ${kind}`,
    icon: ICONS[kind] ?? icon ?? (tone === 'ok' ? 'check' : tone === 'bad' ? 'x' : 'ring'),
    ...((tone === 'ok' || tone === 'bad') && { tone }),
    content: <EventWords event={event} />,
    ...(message && { comment: message }),
    meta: (
      <>
        <Time at={at} mode="absolute" />
        {at > first && ` · ${RUN_WORDS.after(formatDuration(at - first))}`}
      </>
    ),
  };
}

function EventWords({ event }: { event: RunEvent }) {
  const { kind, origin, parent, status, exitCode, isGraceful, actorId, run, dispatch } = event;
  const { events } = RUN_WORDS;
  if (kind === 'created')
    return (
      <>
        {events.created(originWord(origin ?? ''))}
        {parent !== undefined && (
          <>
            {' '}
            {events.parent} <TextLink href={hrefOfRun(parent)}>{parent}</TextLink>
          </>
        )}
      </>
    );
  if (kind === 'finished') {
    const code = exitCode === null || exitCode === undefined ? '' : events.exitCode(formatCount(exitCode));
    return <>{`${events.finished((status && STATUS_WORDS[status]) ?? '')}${code}`}</>;
  }
  if (kind === 'aborting') return <>{isGraceful === true ? events.abortingGracefully : events.abortingNow}</>;
  if (kind === 'metamorphosed')
    return (
      <>
        {events.metamorphosed} <code className="key">{actorId ?? ''}</code>
      </>
    );
  if (kind === 'child' && run !== undefined)
    return (
      <>
        {events.child} <TextLink href={hrefOfRun(run.id)}>{run.id}</TextLink>{' '}
        {run.status !== undefined && <RunStatusView status={run.status} />}
      </>
    );
  if (kind === 'webhook' && dispatch !== undefined)
    return (
      <>
        {events.webhook(dispatch.eventType)} <span className="mono t12">{dispatch.requestUrl ?? ''}</span>{' '}
        {dispatch.status !== undefined && (
          <span className="muted">{events.dispatches[dispatch.status] ?? dispatch.status}</span>
        )}
      </>
    );
  return <>{events.plain[kind] ?? kind}</>;
}
