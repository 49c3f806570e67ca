// The schedules of the caller: as a list, and as a week of coming runs.
import '../../styles/lists.css';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter, type SearchState } from '../../lib/search-state.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { PauseAll } from './pause-all.tsx';
import { useSchedules, type ScheduleShort } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';
import { SchedulesTable } from './schedules-table.tsx';
import { WeekCalendar } from './week-calendar.tsx';

export default function SchedulesPage() {
  usePageInfo([{ label: SCHEDULE_WORDS.schedules, href: '/schedules' }]);
  const search = useSearchState('/schedules');
  const { schedules, error, isPending, refetch } = useSchedules();
  const [mayCreate] = useMay([{ action: 'createSchedule', resource: 'schedule/*' }]) ?? [];
  const [isPausing, setPausing] = useState(false);
  const [, navigate] = useLocation();
  useKeys({ c: () => navigate('/schedules/new') }, { isOn: mayCreate !== false });
  const on = (schedules ?? []).filter(({ isEnabled }) => isEnabled);
  const createButton = mayCreate === true && (
    <ButtonLink tone="primary" icon="plus" keys="c" href="/schedules/new">
      {SCHEDULE_WORDS.create}
    </ButtonLink>
  );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={SCHEDULE_WORDS.schedules}
        badge={schedules !== undefined && <span className="muted">{formatCount(schedules.length)}</span>}
        actions={
          <>
            {(schedules?.length ?? 0) > 0 && (
              <Button
                disabledReason={on.length === 0 ? SCHEDULE_WORDS.nonePausable : undefined}
                onClick={() => setPausing(true)}
              >
                {SCHEDULE_WORDS.pauseAll}
              </Button>
            )}
            {createButton}
          </>
        }
      />
      {schedules === undefined && error !== null ? (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      ) : schedules?.length === 0 ? (
        <EmptyState
          icon="cal"
          title={SCHEDULE_WORDS.empty.title}
          text={SCHEDULE_WORDS.empty.text}
          action={createButton}
        />
      ) : (
        <ShownSchedules schedules={schedules ?? []} isPending={isPending} search={search} />
      )}
      {isPausing && <PauseAll schedules={on} onClose={() => setPausing(false)} />}
    </main>
  );
}

interface ShownSchedulesProps {
  schedules: ScheduleShort[];
  isPending: boolean;
  search: SearchState;
}

function ShownSchedules({ schedules, isPending, search }: ShownSchedulesProps) {
  const [typed, setTyped] = useTypedFilter(search);
  const view = search.get('view') === 'week' ? 'week' : 'list';
  const words = (search.get('q') ?? '').toLowerCase();
  const rows = schedules.filter(({ name, title }) =>
    [name, title ?? ''].some((text) => text.toLowerCase().includes(words)),
  );
  return (
    <>
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput value={typed} onChange={setTyped} label={SCHEDULE_WORDS.filter} />
        </div>
        <Segmented
          label={SCHEDULE_WORDS.views}
          value={view}
          options={[
            { value: 'list', label: SCHEDULE_WORDS.list },
            { value: 'week', label: SCHEDULE_WORDS.week, icon: 'cal' },
          ]}
          onChange={(next) =>
            search.set({ view: next === 'list' ? undefined : next, week: undefined }, { isStep: true })
          }
        />
      </div>
      {rows.length === 0 && !isPending ? (
        <NoMatch
          words={SCHEDULE_WORDS.noMatch}
          onClear={() => {
            setTyped('');
            search.set({ q: undefined });
          }}
        />
      ) : view === 'week' ? (
        <WeekCalendar schedules={rows} search={search} />
      ) : (
        <SchedulesTable
          rows={rows}
          isLoading={isPending}
          footer={<ListFoot list={{ rows }} nouns={SCHEDULE_WORDS.nouns} />}
        />
      )}
    </>
  );
}
