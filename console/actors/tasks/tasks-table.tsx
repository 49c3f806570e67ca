// A list of tasks with their last runs and schedules, to run, duplicate and delete. Also that of one Actor.
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { hrefOfActor } from '../queries.ts';
import { TextLink } from '../../ui/link.tsx';
import { hrefOfRun } from '../run.ts';
import { DeleteTask } from './delete-task.tsx';
import { DuplicateTask } from './duplicate-task.tsx';
import { LastRun, TaskSchedules, TaskTitle } from './task-cells.tsx';
import {
  hrefOfTask,
  useRunTask,
  useSchedulesOfTasks,
  type TaskShort,
  type useTasks,
} from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';

/** Each row reads its last run. */
const STEP = 50;

export interface TasksTableProps {
  list: ReturnType<typeof useTasks>;
  /** Those of the list that fit. */
  rows: TaskShort[];
  emptyState: ReactNode;
  /** Of one Actor: its name stands above the list already. */
  isOfActor?: boolean;
}

type TaskAct = { kind: 'duplicate' | 'delete'; task: TaskShort };

export function TasksTable({ list, rows, emptyState, isOfActor = false }: TasksTableProps) {
  const [most, setMost] = useState(STEP);
  const [act, setAct] = useState<TaskAct>();
  const schedules = useSchedulesOfTasks();
  const run = useRunTask();
  const [, navigate] = useLocation();
  const start = (task: TaskShort) =>
    run.mutate(task.id, {
      onSuccess: ({ data }) =>
        toast({
          text: TASK_WORDS.started,
          tone: 'ok',
          action: { label: TASK_WORDS.showRun, run: () => navigate(hrefOfRun(data.id)) },
        }),
      onError: ({ message }) => toast({ text: message, tone: 'bad' }),
    });
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  const shown = rows.slice(0, most);
  const close = () => setAct(undefined);
  const columns = columnsOf({ isOfActor, schedules, onStart: start, onAct: setAct });
  return (
    <>
      <Table
        label={TASK_WORDS.table}
        columns={columns}
        rows={shown}
        rowKey={({ id }) => id}
        rowHref={({ id }) => hrefOfTask(id)}
        isLoading={list.isLoading}
        rowCount={rows.length}
        emptyState={emptyState}
        footer={
          <ListFoot
            list={{
              rows: shown,
              total: rows.length,
              hasMore: rows.length > most,
              readMore: () => setMost(most + STEP),
            }}
            nouns={TASK_WORDS.nouns}
          />
        }
      />
      {act?.kind === 'duplicate' && <DuplicateTask id={act.task.id} onClose={close} />}
      {act?.kind === 'delete' && <DeleteTask task={act.task} onClose={close} onDeleted={close} />}
    </>
  );
}

interface TaskColumns {
  isOfActor: boolean;
  schedules: ReturnType<typeof useSchedulesOfTasks>;
  onStart: (task: TaskShort) => void;
  onAct: (act: TaskAct) => void;
}

function columnsOf({ isOfActor, schedules, onStart, onAct }: TaskColumns): TableColumn<TaskShort>[] {
  return [
    { id: 'task', head: TASK_WORDS.task, isMain: true, cell: (task) => <TaskTitle task={task} /> },
    ...(isOfActor
      ? []
      : [
          {
            id: 'actor',
            head: TASK_WORDS.actor,
            cell: ({ actName: name, actUsername: username }: TaskShort) => (
              <TextLink href={hrefOfActor({ name, username })}>{name}</TextLink>
            ),
          },
        ]),
    { id: 'last', head: TASK_WORDS.lastRun, cell: (task) => <LastRun task={task} /> },
    {
      id: 'schedule',
      head: TASK_WORDS.schedule,
      priority: 'mid',
      cell: ({ id }) => <TaskSchedules schedules={schedules.get(id)} />,
    },
    {
      id: 'runs',
      head: TASK_WORDS.runs,
      align: 'end',
      priority: 'low',
      cell: ({ stats }) => formatCount(stats.totalRuns),
    },
    {
      id: 'modified',
      head: TASK_WORDS.modified,
      priority: 'low',
      cell: ({ modifiedAt }) => <Time at={modifiedAt} />,
    },
    {
      id: 'actions',
      head: TASK_WORDS.actions,
      isEnd: true,
      cell: (task) => (
        <Menu
          trigger={
            <Button
              tone="ghost"
              size="xs"
              icon="dots"
              label={TASK_WORDS.actionsOf(task.title || task.name)}
            />
          }
          items={[
            { label: TASK_WORDS.run, icon: 'play', onSelect: () => onStart(task) },
            {
              label: TASK_WORDS.duplicate,
              icon: 'copy',
              onSelect: () => onAct({ kind: 'duplicate', task }),
            },
            {
              label: TASK_WORDS.removeMenu,
              icon: 'trash',
              tone: 'danger',
              hasLine: true,
              onSelect: () => onAct({ kind: 'delete', task }),
            },
          ]}
        />
      ),
    },
  ];
}
