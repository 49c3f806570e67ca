// One schedule: when it fires next, what it starts, its log. At `new`, one to create.
import { useLocation, useParams } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { ScheduleActions } from './schedule-actions.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { ScheduleLog } from './schedule-log.tsx';
import { hrefOfSchedule, nameOfSchedule, useSchedule, type ScheduleDetail } from './schedule-queries.ts';
import { ScheduleSwitch } from './schedule-switch.tsx';
import { SCHEDULE_WORDS } from './schedule-words.ts';

export default function SchedulePage() {
  const { id } = useParams<{ id: string }>();
  return id === 'new' ? <NewSchedule /> : <OneSchedule id={id} />;
}

function NewSchedule() {
  const [, navigate] = useLocation();
  usePageInfo([
    { label: SCHEDULE_WORDS.schedules, href: '/schedules' },
    { label: SCHEDULE_WORDS.create, href: '/schedules/new' },
  ]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={SCHEDULE_WORDS.create} />
      <ScheduleForm onSaved={({ id }) => navigate(hrefOfSchedule(id))} />
    </main>
  );
}

function OneSchedule({ id }: { id: string }) {
  const { schedule, error, refetch } = useSchedule(id);
  usePageInfo([
    { label: SCHEDULE_WORDS.schedules, href: '/schedules' },
    {
      label: schedule === undefined ? id : nameOfSchedule(schedule),
      href: hrefOfSchedule(id),
      copy: id,
    },
  ]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      {schedule !== undefined ? (
        <ScheduleView schedule={schedule} />
      ) : error === null ? (
        <Skeleton lines={8} />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      )}
    </main>
  );
}

function ScheduleView({ schedule }: { schedule: ScheduleDetail }) {
  const [, navigate] = useLocation();
  const { id, name, isEnabled, nextRunAt, lastRunAt, description } = schedule;
  return (
    <>
      <PageHead
        title={nameOfSchedule(schedule)}
        badge={<ScheduleSwitch schedule={schedule} />}
        meta={
          <>
            <span className="mono t12">{name}</span>
            <span>
              {SCHEDULE_WORDS.next} {isEnabled && nextRunAt ? <Time at={nextRunAt} /> : SCHEDULE_WORDS.paused}
            </span>
            <span>
              {SCHEDULE_WORDS.last} {lastRunAt ? <Time at={lastRunAt} /> : SCHEDULE_WORDS.never}
            </span>
            {description && <span>{description}</span>}
          </>
        }
        actions={<ScheduleActions schedule={schedule} onDeleted={() => navigate('/schedules')} />}
      />
      <div className="schedule-form">
        <ScheduleForm
          key={contentOf(schedule)}
          schedule={schedule}
          onSaved={() => toast({ text: SCHEDULE_WORDS.saved, tone: 'ok' })}
        />
      </div>
      <Section title={SCHEDULE_WORDS.log}>
        <ScheduleLog id={id} />
      </Section>
    </>
  );
}

/** What the form is about: it is filled in anew when this changes, and not when the schedule is paused or fires. */
function contentOf(schedule: ScheduleDetail): string {
  const { id, name, title, description, cronExpression, timezone, isExclusive, actions } = schedule;
  return JSON.stringify([id, name, title, description, cronExpression, timezone, isExclusive, actions]);
}
