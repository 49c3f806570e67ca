// One task: its saved input and options, its runs, how it differs from its Actor, its settings.
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { TextLink } from '../../ui/link.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useActorDetail, type ActorDetail } from '../actor/actor-queries.ts';
import { useBuildSchema } from '../input/input-schema.ts';
import { hrefOfActor } from '../queries.ts';
import { RunsTable } from '../runs/runs-table.tsx';
import { DuplicateTask } from './duplicate-task.tsx';
import { TaskDifference } from './task-difference.tsx';
import { TaskInput } from './task-input.tsx';
import { hrefOfTask, useTask, useTaskRuns, type TaskDetail } from './task-queries.ts';
import { TaskSettings } from './task-settings.tsx';
import { TASK_WORDS } from './task-words.ts';

const TABS = ['input', 'runs', 'difference', 'settings'] as const;
type TaskTab = (typeof TABS)[number];

export default function TaskPage() {
  const { id, '*': rest } = useParams<{ id: string; '*'?: string }>();
  const { task, error, refetch } = useTask(id);
  const tab = TABS.find((one) => one === rest) ?? 'input';
  usePageInfo([
    { label: TASK_WORDS.tasks, href: '/tasks' },
    { label: task?.title || task?.name || id, href: hrefOfTask(id), copy: id },
  ]);
  if (task === undefined)
    return (
      <main id="main" className="page" tabIndex={-1}>
        {error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )}
      </main>
    );
  return <TaskView key={task.id} task={task} tab={tab} />;
}

function TaskView({ task, tab }: { task: TaskDetail; tab: TaskTab }) {
  const { id, title, name, description, actId, stats } = task;
  const { actor, error } = useActorDetail(actId);
  const [isDuplicating, setDuplicating] = useState(false);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={title || name}
        meta={
          <>
            <span className="mono t12">{name}</span>
            {actor !== undefined && (
              <TextLink href={hrefOfActor(actor)} isMono>{`${actor.username}/${actor.name}`}</TextLink>
            )}
            {description && <span>{description}</span>}
          </>
        }
        actions={
          <Button icon="copy" onClick={() => setDuplicating(true)}>
            {TASK_WORDS.duplicate}
          </Button>
        }
      />
      {error !== null && actor === undefined && <Banner tone="warn">{TASK_WORDS.noActor}</Banner>}
      <Tabs
        label={TASK_WORDS.tabs}
        items={TABS.map((one) => ({
          href: hrefOfTask(id, one === 'input' ? '' : one),
          label: TASK_WORDS[one],
          isCurrent: one === tab,
          ...(one === 'runs' && { count: stats.totalRuns }),
        }))}
      />
      <TaskTabView task={task} tab={tab} actor={actor} isActorRead={actor !== undefined || error !== null} />
      {isDuplicating && <DuplicateTask id={id} onClose={() => setDuplicating(false)} />}
    </main>
  );
}

interface TaskTabViewProps {
  task: TaskDetail;
  tab: TaskTab;
  actor: ActorDetail | undefined;
  /** Whether it is known if the Actor is there. */
  isActorRead: boolean;
}

function TaskTabView({ task, tab, actor, isActorRead }: TaskTabViewProps) {
  const [, navigate] = useLocation();
  const build = task.options.build ?? actor?.defaultRunOptions.build ?? '';
  const tagged = actor?.taggedBuilds[build] ?? Object.values(actor?.taggedBuilds ?? {})[0];
  const { schema, isPending } = useBuildSchema(tagged?.buildId);
  if (tab === 'runs') return <TaskRuns task={task} />;
  if (tab === 'settings') return <TaskSettings task={task} onDeleted={() => navigate('/tasks')} />;
  if (!isActorRead || isPending) return <Skeleton lines={8} />;
  if (tab === 'difference') return <TaskDifference task={task} actor={actor} schema={schema} />;
  return <TaskInput task={task} actor={actor} schema={schema} />;
}

function TaskRuns({ task }: { task: TaskDetail }) {
  const list = useTaskRuns(task.id);
  const { title, text } = TASK_WORDS.noRuns;
  return (
    <RunsTable list={list} isOfActor emptyState={<EmptyState icon="actor" title={title} text={text} />} />
  );
}
