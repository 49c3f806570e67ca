// The caller's tasks of one Actor.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useKeys } from '../../ui/keys.ts';
import { EmptyState } from '../../ui/states.tsx';
import { CreateTask } from '../tasks/create-task.tsx';
import { useTasks } from '../tasks/task-queries.ts';
import { TASK_WORDS } from '../tasks/task-words.ts';
import { useMayCreateTask } from '../tasks/tasks-page.tsx';
import { TasksTable } from '../tasks/tasks-table.tsx';
import type { ActorDetail } from './actor-queries.ts';

export function TasksTab({ actor }: { actor: ActorDetail }) {
  const list = useTasks();
  const [isCreating, setCreating] = useState(false);
  const mayCreate = useMayCreateTask();
  useKeys({ c: () => setCreating(true) }, { isOn: mayCreate });
  const rows = list.rows.filter(({ actId }) => actId === actor.id);
  const { title, text } = TASK_WORDS.noneOfActor;
  return (
    <div className="stack">
      {mayCreate && (
        <div>
          <Button tone="primary" icon="plus" keys="c" onClick={() => setCreating(true)}>
            {TASK_WORDS.create}
          </Button>
        </div>
      )}
      <TasksTable
        list={list}
        rows={rows}
        isOfActor
        emptyState={<EmptyState icon="actor" title={title} text={text} />}
      />
      {isCreating && <CreateTask actorId={actor.id} onClose={() => setCreating(false)} />}
    </div>
  );
}
