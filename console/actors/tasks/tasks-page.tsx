// The tasks of the caller, newest first.
import '../../styles/lists.css';
import { useState } from 'react';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { CreateTask } from './create-task.tsx';
import { useTasks, type TaskShort } from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';
import { TasksTable } from './tasks-table.tsx';

export function useMayCreateTask(): boolean {
  const [may] = useMay([{ action: 'createTask', resource: 'actor-task/*' }]) ?? [];
  return may === true;
}

export default function TasksPage() {
  usePageInfo([{ label: TASK_WORDS.tasks, href: '/tasks' }]);
  const search = useSearchState('/tasks');
  const [typed, setTyped] = useTypedFilter(search);
  const list = useTasks();
  const [isCreating, setCreating] = useState(false);
  const mayCreate = useMayCreateTask();
  useKeys({ c: () => setCreating(true) }, { isOn: mayCreate });
  const words = (search.get('q') ?? '').toLowerCase();
  const rows = list.rows.filter((task) => fits(task, words));
  const createButton = mayCreate && (
    <Button tone="primary" icon="plus" keys="c" onClick={() => setCreating(true)}>
      {TASK_WORDS.create}
    </Button>
  );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={TASK_WORDS.tasks}
        badge={list.total !== undefined && <span className="muted">{formatCount(list.total)}</span>}
        actions={createButton}
      />
      <div className="list-bar">
        <FilterInput value={typed} onChange={setTyped} label={TASK_WORDS.filter} />
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <TasksTable
        list={list}
        rows={rows}
        emptyState={
          list.rows.length > 0 ? (
            <NoMatch
              words={TASK_WORDS.noMatch}
              onClear={() => {
                setTyped('');
                search.set({ q: undefined });
              }}
            />
          ) : (
            <EmptyState
              icon="actor"
              title={TASK_WORDS.empty.title}
              text={TASK_WORDS.empty.text}
              action={createButton}
            />
          )
        }
      />
      {isCreating && <CreateTask onClose={() => setCreating(false)} />}
    </main>
  );
}

function fits({ name, title, actName, actUsername, id }: TaskShort, words: string): boolean {
  return [name, title ?? '', actName, `${actUsername}/${actName}`, id].some((text) =>
    text.toLowerCase().includes(words),
  );
}
