// A new label, or changes of one.
import { useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextInput } from '../../ui/input.tsx';
import type { Label } from '../issues/issue.ts';
import { LabelTag } from '../issues/label-tag.tsx';
import type { RepositoryPlace } from '../place.ts';
import { labelCall, useSaveLabel, type LabelFields } from './planning-queries.ts';
import { LABELS } from './planning-words.ts';

const COLOR = /^[0-9a-f]{6}$/i;
const MAX_NAME = 50;
const MAX_DESCRIPTION = 100;

export interface LabelDialogProps {
  place: RepositoryPlace;
  /** Undefined for a new one. */
  label: Label | undefined;
  onClose: () => void;
}

export function LabelDialog({ place, label, onClose }: LabelDialogProps) {
  const [fields, setFields] = useState<LabelFields>({
    name: label?.name ?? '',
    color: label?.color ?? '1d76db',
    description: label?.description ?? '',
  });
  const save = useSaveLabel(place, label?.name);
  const name = fields.name.trim();
  const wanted = { ...fields, name, color: fields.color.toLowerCase() };
  const isGood = name !== '' && COLOR.test(fields.color);
  useSayDraft(isGood ? labelCall(place, wanted, label?.name) : undefined);
  const set = (patch: Partial<LabelFields>) => setFields((present) => ({ ...present, ...patch }));
  return (
    <FormDialog
      title={label === undefined ? LABELS.create : LABELS.editTitle(label.name)}
      width={480}
      action={LABELS.save}
      disabledReason={name === '' ? LABELS.nameMissing : isGood ? undefined : LABELS.colorBad}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={() => isGood && save.mutate(wanted, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        <LabelTag label={{ name: name === '' ? LABELS.name : name, color: fields.color }} />
      </p>
      <Field label={LABELS.name}>
        <TextInput maxLength={MAX_NAME} value={fields.name} onValue={(text) => set({ name: text })} />
      </Field>
      <Field label={LABELS.description} optional>
        <TextInput
          maxLength={MAX_DESCRIPTION}
          value={fields.description}
          onValue={(description) => set({ description })}
        />
      </Field>
      <Field label={LABELS.color} error={!COLOR.test(fields.color) && LABELS.colorBad}>
        <TextInput
          isMono
          maxLength={7}
          value={fields.color}
          onValue={(color) => set({ color: color.replace(/^#/, '') })}
        />
      </Field>
    </FormDialog>
  );
}
