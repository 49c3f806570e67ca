// The name, the last run and the schedules of a task, for lists.
import { RunStatusView } from '../../lib/run-status.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Time } from '../../ui/time.tsx';
import { hrefOfRun } from '../run.ts';
import { useLastRun, type ScheduleUse, type TaskShort } from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';

export function TaskTitle({ task: { title, name } }: { task: Pick<TaskShort, 'title' | 'name'> }) {
  return (
    <span className="two">
      <b className="cut">{title || name}</b>
      <small className="mono cut">{name}</small>
    </span>
  );
}

export function LastRun({ task }: { task: TaskShort }) {
  const run = useLastRun(task);
  const { lastRunStartedAt } = task.stats;
  if (run === undefined)
    return lastRunStartedAt === undefined ? (
      <span className="faint">{TASK_WORDS.never}</span>
    ) : (
      <Time at={lastRunStartedAt} />
    );
  return (
    <span className="row row--4 row--wrap">
      <TextLink href={hrefOfRun(run.id)}>
        <RunStatusView status={run.status} />
      </TextLink>
      <span className="muted t12">
        <Time at={run.startedAt} />
      </span>
    </span>
  );
}

export function TaskSchedules({ schedules }: { schedules: readonly ScheduleUse[] | undefined }) {
  if (schedules === undefined) return <span className="faint">{TASK_WORDS.noSchedule}</span>;
  return (
    <span className="stack stack--4">
      {schedules.map(({ id, title, name, isEnabled, nextRunAt }) => (
        <span key={id} className="row row--4 row--wrap">
          <TextLink href={`/schedules/${encodeURIComponent(id)}`}>{title || name}</TextLink>
          <span className="muted t12">
            {isEnabled && nextRunAt ? <Time at={nextRunAt} /> : TASK_WORDS.paused}
          </span>
        </span>
      ))}
    </span>
  );
}
