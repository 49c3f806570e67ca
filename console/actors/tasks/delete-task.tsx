// Deletes a task after its name was typed, and says which schedules will fail without it.
import '../../styles/actors.css';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useDeleteTask, useSchedulesOfTasks, type TaskShort } from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';

export interface DeleteTaskProps {
  task: Pick<TaskShort, 'id' | 'name' | 'title'>;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteTask({ task, onClose, onDeleted }: DeleteTaskProps) {
  const remove = useDeleteTask(task.id);
  const schedules = useSchedulesOfTasks().get(task.id) ?? [];
  const { removeDialog } = TASK_WORDS;
  return (
    <ConfirmDialog
      title={removeDialog.title(task.title || task.name)}
      tone="danger"
      confirmLabel={removeDialog.confirm}
      typeToConfirm={task.name}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
    >
      <p>{removeDialog.text}</p>
      <ul className="actor-parts">
        <li>{removeDialog.aborted}</li>
        {schedules.length > 0 && (
          <li>{removeDialog.schedules(schedules.map(({ title, name }) => title || name).join(', '))}</li>
        )}
      </ul>
      <p>{removeDialog.kept}</p>
    </ConfirmDialog>
  );
}
