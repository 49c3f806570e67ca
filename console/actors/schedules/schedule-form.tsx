// A schedule to create or to change: when it fires, what it starts, and what it is called.
import { useState } from 'react';
import { withoutSecrets } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { ActionList } from './action-list.tsx';
import { CronFields } from './cron-fields.tsx';
import { useOwnZone } from './own-zone.ts';
import {
  saveScheduleCall,
  type ScheduleAction,
  type ScheduleDetail,
  type ScheduleFields,
} from './schedule-queries.ts';
import { SCHEDULE_WORDS } from './schedule-words.ts';

/** Without the actions, whose inputs may have secrets: it is kept in this browser. */
interface ScheduleDraft {
  name: string;
  title: string;
  description: string;
  cronExpression: string;
  timezone: string;
  isEnabled: boolean;
  isExclusive: boolean;
}

function draftOf(schedule: ScheduleDetail | undefined, ownZone: string): ScheduleDraft {
  return {
    name: schedule?.name ?? '',
    title: schedule?.title ?? '',
    description: schedule?.description ?? '',
    cronExpression: schedule?.cronExpression ?? '0 6 * * *',
    timezone: schedule?.timezone ?? ownZone,
    isEnabled: schedule?.isEnabled ?? true,
    isExclusive: schedule?.isExclusive ?? true,
  };
}

const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

function fieldsOf(draft: ScheduleDraft, actions: ScheduleAction[], isNew: boolean): ScheduleFields {
  const { name, title, description, cronExpression, timezone, isEnabled, isExclusive } = draft;
  return {
    ...(name.trim() !== '' && { name: name.trim() }),
    title: orNull(title),
    description: orNull(description),
    cronExpression: cronExpression.trim(),
    timezone: timezone.trim(),
    // Of one that is there, the switch of the page does it.
    ...(isNew && { isEnabled }),
    isExclusive,
    actions,
  };
}

export interface ScheduleFormProps {
  /** Absent to create one. */
  schedule?: ScheduleDetail;
  onSaved: (schedule: ScheduleDetail) => void;
}

export function ScheduleForm({ schedule, onSaved }: ScheduleFormProps) {
  const ownZone = useOwnZone();
  const first = draftOf(schedule, ownZone);
  const { value: draft, change, forget } = useDraft(`schedule:${schedule?.id ?? 'new'}`, first);
  const [actions, setActions] = useState<ScheduleAction[]>(schedule?.actions ?? []);
  const { run, isBusy, error } = useSecretCall<{ data: ScheduleDetail }>();
  const isNew = schedule === undefined;
  const call = saveScheduleCall(schedule?.id, fieldsOf(draft, actions, isNew));
  const { isEnabled: _now, ...typed } = draft;
  const { isEnabled: _then, ...before } = first;
  const isChanged =
    isNew ||
    JSON.stringify(typed) !== JSON.stringify(before) ||
    JSON.stringify(actions) !== JSON.stringify(schedule.actions);
  useSayDraft(isChanged ? withoutSecrets(call) : undefined);
  const save = async () => {
    const reply = await run(call);
    if (reply === undefined) return;
    forget();
    invalidateTopics(['schedule']);
    onSaved(reply.body.data);
  };
  const discard = () => {
    forget();
    setActions(schedule?.actions ?? []);
  };
  return (
    <div className="cols">
      <div className="stack stack--16">
        <ChangeError error={error} />
        <Card title={SCHEDULE_WORDS.when}>
          <CronFields expression={draft.cronExpression} zone={draft.timezone} onChange={change} />
        </Card>
        <Card title={SCHEDULE_WORDS.what}>
          <ActionList actions={actions} onChange={setActions} />
        </Card>
      </div>
      <Card
        title={SCHEDULE_WORDS.general}
        footer={
          <>
            <Button
              tone="primary"
              isBusy={isBusy}
              disabledReason={isChanged ? undefined : SCHEDULE_WORDS.unchanged}
              onClick={() => void save()}
            >
              {isNew ? SCHEDULE_WORDS.createIt : SCHEDULE_WORDS.save}
            </Button>
            {!isNew && isChanged && (
              <Button tone="ghost" onClick={discard}>
                {SCHEDULE_WORDS.discard}
              </Button>
            )}
          </>
        }
      >
        <GeneralFields draft={draft} isNew={isNew} onChange={change} />
      </Card>
    </div>
  );
}

interface GeneralFieldsProps {
  draft: ScheduleDraft;
  isNew: boolean;
  onChange: (patch: Partial<ScheduleDraft>) => void;
}

function GeneralFields({ draft, isNew, onChange }: GeneralFieldsProps) {
  return (
    <div className="stack">
      <Field label={SCHEDULE_WORDS.title} optional>
        <TextInput maxLength={200} value={draft.title} onValue={(title) => onChange({ title })} />
      </Field>
      <Field
        label={SCHEDULE_WORDS.name}
        help={isNew ? SCHEDULE_WORDS.newNameHelp : SCHEDULE_WORDS.nameHelp}
        optional={isNew}
      >
        <TextInput
          isMono
          maxLength={63}
          spellCheck={false}
          value={draft.name}
          onValue={(name) => onChange({ name })}
        />
      </Field>
      <Field label={SCHEDULE_WORDS.description} optional>
        <TextArea
          rows={3}
          maxLength={10_000}
          value={draft.description}
          onValue={(description) => onChange({ description })}
        />
      </Field>
      <Checkbox
        label={SCHEDULE_WORDS.exclusive}
        help={SCHEDULE_WORDS.exclusiveHelp}
        isChecked={draft.isExclusive}
        onChange={(isExclusive) => onChange({ isExclusive })}
      />
      {isNew && (
        <Checkbox
          label={SCHEDULE_WORDS.enabled}
          help={SCHEDULE_WORDS.enabledHelp}
          isChecked={draft.isEnabled}
          onChange={(isEnabled) => onChange({ isEnabled })}
        />
      )}
    </div>
  );
}
