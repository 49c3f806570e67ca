// What can be done with a schedule: fire it now, delete it.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast-store.ts';
import { nameOfSchedule, useDeleteSchedule, useFire, type ScheduleShort } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';

export function ScheduleActions({ schedule, onDeleted }: { schedule: ScheduleShort; onDeleted: () => void }) {
  const [isDeleting, setDeleting] = useState(false);
  const fire = useFire(schedule.id);
  return (
    <>
      <Button
        icon="play"
        isBusy={fire.isPending}
        disabledReason={schedule.actions.length === 0 ? SCHEDULE_WORDS.noActions : undefined}
        onClick={() =>
          fire.mutate(undefined, {
            onSuccess: () => toast({ text: SCHEDULE_WORDS.fired, tone: 'ok' }),
            onError: ({ message }) => toast({ text: message, tone: 'bad' }),
          })
        }
      >
        {SCHEDULE_WORDS.fire}
      </Button>
      <Button tone="danger" icon="trash" onClick={() => setDeleting(true)}>
        {SCHEDULE_WORDS.removeIt}
      </Button>
      {isDeleting && (
        <DeleteSchedule schedule={schedule} onClose={() => setDeleting(false)} onDeleted={onDeleted} />
      )}
    </>
  );
}

interface DeleteScheduleProps {
  schedule: ScheduleShort;
  onClose: () => void;
  onDeleted: () => void;
}

function DeleteSchedule({ schedule, onClose, onDeleted }: DeleteScheduleProps) {
  const remove = useDeleteSchedule(schedule.id);
  const { removeDialog } = SCHEDULE_WORDS;
  return (
    <ConfirmDialog
      title={removeDialog.title(nameOfSchedule(schedule))}
      tone="danger"
      confirmLabel={removeDialog.confirm}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
    >
      <p>{removeDialog.text}</p>
    </ConfirmDialog>
  );
}
