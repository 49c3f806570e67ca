// Seven days of coming runs, each day a column; runs that overlap are marked, and say with what.
import '../../styles/schedules.css';
import { useState } from 'react';
import { Link } from 'wouter';
import { useMinute } from '../../lib/clock.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { clockIn, useOwnZone } from './own-zone.ts';
import { hrefOfSchedule, nameOfSchedule, useComingRuns, type ScheduleShort } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';
import { calendarRuns, daysOf, type CalendarDay, type CalendarRun } from './week.ts';

const WORDS = SCHEDULE_WORDS.calendar;
const MAX_WEEKS = 51;
/** Of one day, before one asks for more. */
const STEP = 30;

export function WeekCalendar({ schedules, search }: { schedules: ScheduleShort[]; search: SearchState }) {
  const zone = useOwnZone();
  const now = useMinute();
  const asked = Number(search.get('week') ?? 0);
  const weeks = Number.isInteger(asked) ? Math.min(Math.max(asked, 0), MAX_WEEKS) : 0;
  const days = daysOf(now, zone, weeks);
  const { data, error, refetch } = useComingRuns({ from: days[0]!.from, to: days.at(-1)!.to });
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={8} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} />
    );
  const names = new Map(schedules.map((schedule) => [schedule.id, nameOfSchedule(schedule)]));
  const shown = data.items.filter(({ id }) => names.has(id));
  const runs = calendarRuns(shown);
  const frequent = shown.filter(({ isFrequent }) => isFrequent);
  const paused = schedules.filter(({ isEnabled }) => !isEnabled).length;
  const go = (week: number) => search.set({ week: week === 0 ? undefined : String(week) });
  return (
    <div className="stack">
      <div className="row row--wrap">
        <Button
          size="sm"
          icon="left"
          disabledReason={weeks === 0 ? WORDS.noEarlier : undefined}
          onClick={() => go(weeks - 1)}
        >
          {WORDS.earlier}
        </Button>
        <Button size="sm" onClick={() => go(0)}>
          {WORDS.thisWeek}
        </Button>
        <Button size="sm" icon="right" onClick={() => go(Math.min(MAX_WEEKS, weeks + 1))}>
          {WORDS.later}
        </Button>
        <span className="muted t13">{WORDS.zone(zone)}</span>
        {paused > 0 && <span className="muted t13">{WORDS.paused(formatCount(paused))}</span>}
      </div>
      {frequent.length > 0 && (
        <Banner tone="neutral">
          {WORDS.frequent}{' '}
          {frequent.map(({ id, sentence }, index) => (
            <span key={id}>
              {index > 0 && ' '}
              <TextLink href={hrefOfSchedule(id)}>{names.get(id) ?? id}</TextLink> {sentence}
            </span>
          ))}
        </Banner>
      )}
      {runs.length === 0 && frequent.length === 0 && <p className="muted t13">{WORDS.empty}</p>}
      <ol className="week" aria-label={WORDS.label}>
        {days.map((day) => (
          <DayColumn
            key={day.date}
            day={day}
            zone={zone}
            isToday={weeks === 0 && day === days[0]}
            names={names}
            runs={runs.filter(({ at }) => at >= day.from && at < day.to)}
          />
        ))}
      </ol>
      {runs.some(({ overlaps }) => overlaps.length > 0) && (
        <p className="muted t12">
          <Icon name="warn" /> {WORDS.overlapNote}
        </p>
      )}
    </div>
  );
}

interface DayColumnProps {
  day: CalendarDay;
  zone: string;
  isToday: boolean;
  names: ReadonlyMap<string, string>;
  runs: CalendarRun[];
}

function DayColumn({ day, zone, isToday, names, runs }: DayColumnProps) {
  const [most, setMost] = useState(STEP);
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  return (
    <li className={classNames('week__day', isToday && 'week__day--now')}>
      <h2 className="t13">{format.format(Date.parse(`${day.date}T00:00Z`))}</h2>
      {runs.length === 0 && <p className="faint t12">{WORDS.none}</p>}
      <ul>
        {runs.slice(0, most).map((run) => (
          <li key={`${run.scheduleId} ${run.at}`}>
            <RunEntry run={run} zone={zone} names={names} />
          </li>
        ))}
      </ul>
      {runs.length > most && (
        <Button size="xs" tone="ghost" onClick={() => setMost(most + STEP)}>
          {WORDS.more(formatCount(runs.length - most))}
        </Button>
      )}
    </li>
  );
}

function RunEntry({ run, zone, names }: Pick<DayColumnProps, 'zone' | 'names'> & { run: CalendarRun }) {
  const others = run.overlaps.map((id) => names.get(id) ?? id).join(', ');
  return (
    <Link
      href={hrefOfSchedule(run.scheduleId)}
      className={classNames('week__run', others !== '' && 'week__run--over')}
      title={others === '' ? undefined : WORDS.overlap(others)}
    >
      <span className="mono t12">{clockIn(zone, run.at)}</span>
      <span className="week__name">{names.get(run.scheduleId) ?? run.scheduleId}</span>
      {others !== '' && (
        <>
          <Icon name="warn" />
          <span className="vh">{WORDS.overlap(others)}</span>
        </>
      )}
    </Link>
  );
}
