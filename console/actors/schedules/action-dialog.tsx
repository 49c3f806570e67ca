// One thing that a schedule starts: an Actor or a task, with an input and options of its own.
import { useState } from 'react';
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { words } from '../../ui/words.ts';
import { ActorChoice } from '../actor-choice.tsx';
import type { ActorDetail } from '../actor/actor-queries.ts';
import { useBuildSchema } from '../input/input-schema.ts';
import { useTasks, type TaskDetail } from '../tasks/task-queries.ts';
import { ActionForm } from './action-form.tsx';
import type { ScheduleAction } from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';

const WORDS = SCHEDULE_WORDS.actionDialog;
const WIDTH = 760;

export interface ActionDialogProps {
  /** Absent to add one. */
  action: ScheduleAction | undefined;
  onDone: (action: ScheduleAction) => void;
  onClose: () => void;
}

export function ActionDialog({ action, onDone, onClose }: ActionDialogProps) {
  const [type, setType] = useState<ScheduleAction['type']>(action?.type ?? 'RUN_ACTOR');
  const [target, setTarget] = useState(action?.actorId ?? action?.actorTaskId ?? '');
  const isSame = target === (action?.actorId ?? action?.actorTaskId) && type === action?.type;
  const found = useTarget(type, target);
  const { id } = action ?? {};
  const choice = (
    <>
      <Segmented
        label={WORDS.kind}
        value={type}
        options={(['RUN_ACTOR', 'RUN_ACTOR_TASK'] as const).map((value) => ({
          value,
          label: SCHEDULE_WORDS.kinds[value],
        }))}
        onChange={(next) => {
          setType(next);
          setTarget('');
        }}
      />
      {type === 'RUN_ACTOR' ? (
        <ActorChoice value={target} onChange={setTarget} />
      ) : (
        <TaskChoice value={target} onChange={setTarget} />
      )}
    </>
  );
  const title = action === undefined ? WORDS.create : WORDS.edit;
  if (target === '' || !found.isReady)
    return (
      <Dialog
        title={title}
        width={WIDTH}
        onClose={onClose}
        footer={
          <>
            <Button onClick={onClose}>{words.cancel}</Button>
            <Button tone="primary" disabledReason={WORDS.noTarget}>
              {WORDS.done}
            </Button>
          </>
        }
      >
        <div className="stack">
          {choice}
          {target !== '' && <Skeleton lines={4} />}
        </div>
      </Dialog>
    );
  return (
    <ActionForm
      key={`${type} ${target}`}
      title={title}
      width={WIDTH}
      choice={choice}
      action={isSame ? action : { ...(id !== undefined && { id }), ...blank(type, target) }}
      schema={found.schema}
      actor={found.actor}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

function blank(type: ScheduleAction['type'], target: string): ScheduleAction {
  return type === 'RUN_ACTOR' ? { type, actorId: target } : { type, actorTaskId: target };
}

/** The Actor that is started, also by a task, and the schema of its input. */
function useTarget(type: ScheduleAction['type'], target: string) {
  const isTask = type === 'RUN_ACTOR_TASK';
  const task = useRead<{ data: TaskDetail }>(
    { call: { api: 'actors', path: path`/actor-tasks/${target}` } },
    { isEnabled: isTask && target !== '' },
  );
  const actorId = isTask ? (task.data?.data.actId ?? '') : target.trim();
  const read = useRead<{ data: ActorDetail }>(
    { call: { api: 'actors', path: path`/actors/${actorId}` } },
    { isEnabled: actorId !== '' },
  );
  const actor = actorId === '' ? undefined : read.data?.data;
  const build = (isTask ? task.data?.data.options.build : undefined) ?? actor?.defaultRunOptions.build ?? '';
  const tagged = actor?.taggedBuilds[build] ?? Object.values(actor?.taggedBuilds ?? {})[0];
  const { schema, isPending } = useBuildSchema(tagged?.buildId);
  const isGone = read.error !== null || (isTask && task.error !== null);
  return { actor, schema, isReady: isGone || (actor !== undefined && !isPending) };
}

function TaskChoice({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { rows } = useTasks();
  const isKnown = value === '' || rows.some(({ id }) => id === value);
  return (
    <Field label={WORDS.task}>
      <SelectInput
        value={value}
        onValue={onChange}
        options={[
          { value: '', label: WORDS.chooseTask },
          ...(isKnown ? [] : [{ value, label: value }]),
          ...rows.map(({ id, title, name }) => ({ value: id, label: title || name })),
        ]}
      />
    </Field>
  );
}
