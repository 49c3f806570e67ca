// Pauses all schedules that are on, one call each, and says which could not be.
import { useState } from 'react';
import { send } from '../../api/client.ts';
import { invalidateTopics } from '../../api/read.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { nameOfSchedule, switchCall, type ScheduleShort } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';

const WORDS = SCHEDULE_WORDS.pauseDialog;

export function PauseAll({ schedules, onClose }: { schedules: ScheduleShort[]; onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string>();
  const pause = async () => {
    setBusy(true);
    const names: string[] = [];
    for (const schedule of schedules)
      await send(switchCall(schedule.id, false)).catch(() => names.push(nameOfSchedule(schedule)));
    invalidateTopics(['schedule']);
    setBusy(false);
    if (names.length === 0) onClose();
    else setFailed(WORDS.failed(names.join(', ')));
  };
  return (
    <ConfirmDialog
      title={WORDS.title}
      confirmLabel={WORDS.confirm}
      isBusy={isBusy}
      error={failed === undefined ? undefined : { message: failed }}
      onClose={onClose}
      onConfirm={() => void pause()}
    >
      <p>{WORDS.text(formatCount(schedules.length))}</p>
    </ConfirmDialog>
  );
}
