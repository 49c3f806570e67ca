// What a schedule starts, to add, change and remove. It is saved with the schedule.
import '../../styles/schedules.css';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/status.tsx';
import { ActionDialog } from './action-dialog.tsx';
import { ActionTarget } from './action-cells.tsx';
import type { ScheduleAction } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';

export interface ActionListProps {
  actions: readonly ScheduleAction[];
  onChange: (actions: ScheduleAction[]) => void;
}

export function ActionList({ actions, onChange }: ActionListProps) {
  /** The index of the one that is changed; the number of actions for a new one. */
  const [edited, setEdited] = useState<number>();
  const put = (action: ScheduleAction) => {
    onChange(
      edited === actions.length
        ? [...actions, action]
        : actions.map((one, index) => (index === edited ? action : one)),
    );
    setEdited(undefined);
  };
  return (
    <div className="stack">
      {actions.length === 0 && <p className="muted t13">{SCHEDULE_WORDS.noActions}</p>}
      <ul className="sched-actions">
        {actions.map((action, index) => (
          <li key={index}>
            <Badge>{SCHEDULE_WORDS.kinds[action.type]}</Badge>
            <ActionTarget action={action} />
            <span className="muted t12">{notesOf(action)}</span>
            <span className="row row--4 push">
              <Button
                size="sm"
                icon="pen"
                aria-label={SCHEDULE_WORDS.editOf(String(index + 1))}
                onClick={() => setEdited(index)}
              >
                {SCHEDULE_WORDS.edit}
              </Button>
              <Button
                size="sm"
                tone="ghost"
                icon="x"
                label={SCHEDULE_WORDS.removeOf(String(index + 1))}
                onClick={() => onChange(actions.filter((one) => one !== action))}
              />
            </span>
          </li>
        ))}
      </ul>
      <div>
        <Button icon="plus" onClick={() => setEdited(actions.length)}>
          {SCHEDULE_WORDS.add}
        </Button>
      </div>
      {edited !== undefined && (
        <ActionDialog action={actions[edited]} onDone={put} onClose={() => setEdited(undefined)} />
      )}
    </div>
  );
}

function notesOf({ runInput, input, runOptions }: ScheduleAction): string {
  const hasInput = (runInput?.body ?? '') !== '' || Object.keys(input ?? {}).length > 0;
  const hasOptions = Object.values(runOptions ?? {}).some((value) => value !== null);
  return [hasInput && SCHEDULE_WORDS.withInput, hasOptions && SCHEDULE_WORDS.withOptions]
    .filter((note) => note !== false)
    .join(', ');
}
