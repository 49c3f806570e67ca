// Pauses a schedule, or lets it go on.
import { Switch } from '../../ui/choice.tsx';
import { toast } from '../../ui/toast-store.ts';
import { nameOfSchedule, useSwitchSchedule, type ScheduleShort } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';

export function ScheduleSwitch({ schedule }: { schedule: ScheduleShort }) {
  const change = useSwitchSchedule(schedule.id);
  return (
    <Switch
      isOn={change.isPending ? change.variables : schedule.isEnabled}
      label={SCHEDULE_WORDS.switchOf(nameOfSchedule(schedule))}
      onChange={(isOn) =>
        change.mutate(isOn, { onError: ({ message }) => toast({ text: message, tone: 'bad' }) })
      }
    />
  );
}
