// What happened when a schedule fired, newest first.
import { useState } from 'react';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Status, type StatusTone } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useScheduleLog, type ScheduleLogLine } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';

const STEP = 20;
const TONES: Readonly<Record<ScheduleLogLine['level'], StatusTone>> = {
  INFO: 'neutral',
  WARNING: 'warn',
  ERROR: 'bad',
};

type NumberedLine = ScheduleLogLine & { number: number };

const COLUMNS: TableColumn<NumberedLine>[] = [
  {
    id: 'message',
    head: SCHEDULE_WORDS.message,
    isMain: true,
    cell: ({ message }) => <span className="break">{message}</span>,
  },
  {
    id: 'level',
    head: SCHEDULE_WORDS.level,
    cell: ({ level }) => <Status tone={TONES[level]}>{SCHEDULE_WORDS.levels[level]}</Status>,
  },
  {
    id: 'time',
    head: SCHEDULE_WORDS.time,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

export function ScheduleLog({ id }: { id: string }) {
  const { lines, error, isPending, refetch } = useScheduleLog(id);
  const [most, setMost] = useState(STEP);
  if (lines === undefined && error !== null)
    return <ReadProblem error={error} onRetry={() => void refetch()} />;
  const all = (lines ?? []).map((line, number) => ({ ...line, number })).toReversed();
  const rows = all.slice(0, most);
  return (
    <Table
      label={SCHEDULE_WORDS.logTable}
      columns={COLUMNS}
      rows={rows}
      rowKey={({ number }) => String(number)}
      isLoading={isPending}
      emptyState={<EmptyState icon="clock" title={SCHEDULE_WORDS.noLog} />}
      footer={
        <ListFoot
          list={{
            rows,
            total: all.length,
            hasMore: all.length > most,
            readMore: () => setMost(most + STEP),
          }}
          nouns={SCHEDULE_WORDS.logNouns}
        />
      }
    />
  );
}
