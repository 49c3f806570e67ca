// The schedules as a list: when in words, the next time, what they start, and a switch.
import type { ReactNode } from 'react';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ActionTarget } from './action-cells.tsx';
import { hrefOfSchedule, useComingRuns, type ScheduleShort } from './schedule-queries.ts';
import { ScheduleSwitch } from './schedule-switch.tsx';
import { SCHEDULE_WORDS } from './schedule-words.ts';

export interface SchedulesTableProps {
  rows: ScheduleShort[];
  isLoading: boolean;
  footer: ReactNode;
}

export function SchedulesTable({ rows, isLoading, footer }: SchedulesTableProps) {
  const { data } = useComingRuns();
  const sentences = new Map(data?.items.map(({ id, sentence }) => [id, sentence]));
  return (
    <Table
      label={SCHEDULE_WORDS.table}
      columns={columnsOf(sentences)}
      rows={rows}
      rowKey={({ id }) => id}
      rowHref={({ id }) => hrefOfSchedule(id)}
      isLoading={isLoading}
      footer={footer}
    />
  );
}

function columnsOf(sentences: ReadonlyMap<string, string>): TableColumn<ScheduleShort>[] {
  return [
    {
      id: 'schedule',
      head: SCHEDULE_WORDS.schedule,
      isMain: true,
      cell: ({ title, name }) => (
        <span className="two">
          <b className="cut">{title || name}</b>
          <small className="mono cut">{name}</small>
        </span>
      ),
    },
    {
      id: 'when',
      head: SCHEDULE_WORDS.when,
      cell: ({ id, cronExpression, timezone }) => (
        <span className="two">
          <span>{sentences.get(id) ?? cronExpression}</span>
          <small className="muted">
            <span className="mono">{cronExpression}</span> · {timezone}
          </small>
        </span>
      ),
    },
    {
      id: 'starts',
      head: SCHEDULE_WORDS.starts,
      priority: 'mid',
      cell: ({ actions }) =>
        actions.length === 0 ? (
          <span className="faint">{SCHEDULE_WORDS.nothing}</span>
        ) : (
          <span className="stack stack--4">
            {actions.map((action) => (
              <ActionTarget key={action.id} action={action} />
            ))}
          </span>
        ),
    },
    {
      id: 'next',
      head: SCHEDULE_WORDS.next,
      cell: ({ isEnabled, nextRunAt }) =>
        isEnabled && nextRunAt ? (
          <Time at={nextRunAt} />
        ) : (
          <span className="faint">{SCHEDULE_WORDS.paused}</span>
        ),
    },
    {
      id: 'last',
      head: SCHEDULE_WORDS.last,
      priority: 'low',
      cell: ({ lastRunAt }) =>
        lastRunAt ? <Time at={lastRunAt} /> : <span className="faint">{SCHEDULE_WORDS.never}</span>,
    },
    {
      id: 'state',
      head: SCHEDULE_WORDS.state,
      cell: (schedule) => <ScheduleSwitch schedule={schedule} />,
    },
  ];
}
