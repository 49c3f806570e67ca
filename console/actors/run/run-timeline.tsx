// What happened to a run, as far as the server has recorded it.
import { Card } from '../../ui/card.tsx';
import { Time } from '../../ui/time.tsx';
import { Timeline, type TimelineItem } from '../../ui/timeline.tsx';
import { isOver, STATUS_LOOK, type RunDetail } from '../run.ts';
import { originWord, STATUS_WORDS } from '../words.ts';
import { timesOf } from './run-figures.tsx';
import { RUN_WORDS } from './run-words.ts';

export function RunTimeline({ run }: { run: RunDetail }) {
  return (
    <Card>
      <Timeline label={RUN_WORDS.timelineLabel} items={eventsOf(run)} />
    </Card>
  );
}

function eventsOf(run: RunDetail): TimelineItem[] {
  const { startedAt, finishedAt, meta, metamorphs, stats, status, statusMessage } = run;
  const { events } = RUN_WORDS;
  const { tone } = STATUS_LOOK[status] ?? { tone: 'neutral' };
  return [
    {
      id: 'created',
      icon: 'plus',
      content: events.createdBy(originWord(meta.origin)),
      meta: <Time at={startedAt} mode="absolute" />,
    },
    ...(metamorphs ?? []).map(({ createdAt, actorId }, index) => ({
      id: `metamorph ${index}`,
      icon: 'fork' as const,
      content: (
        <>
          {events.metamorphed} <code className="key">{actorId}</code>
        </>
      ),
      meta: <Time at={createdAt} mode="absolute" />,
    })),
    ...counted('restarts', stats.restartCount, events.restarted),
    ...counted('resurrections', stats.resurrectCount, events.resurrected),
    {
      id: 'end',
      icon: isOver(run) ? (tone === 'ok' ? 'check' : 'stop') : 'half',
      ...((tone === 'ok' || tone === 'bad') && { tone }),
      content: isOver(run) ? events.ended(STATUS_WORDS[status] ?? status) : events.running,
      ...(statusMessage && { comment: statusMessage }),
      ...(finishedAt && { meta: <Time at={finishedAt} mode="absolute" /> }),
    },
  ];
}

function counted(id: string, count: number, words: (times: string) => string): TimelineItem[] {
  if (count === 0) return [];
  return [{ id, icon: 'redo', content: words(timesOf(count)), meta: RUN_WORDS.events.resurrectedNote }];
}
