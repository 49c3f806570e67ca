// A new milestone, or changes of one.
import { useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import type { Milestone } from '../issues/issue.ts';
import type { RepositoryPlace } from '../place.ts';
import { milestoneCall, useSaveMilestone, type MilestoneFields } from './planning-queries.ts';
import { MILESTONES } from './planning-words.ts';

const MAX_TITLE = 256;
const DAY_LENGTH = 10;

/** The day of a milestone is one for everybody: it is written as UTC has it. */
export function dayOf(due: string): string {
  return due.slice(0, DAY_LENGTH);
}

export interface MilestoneDialogProps {
  place: RepositoryPlace;
  /** Undefined for a new one. */
  milestone: Milestone | undefined;
  onClose: () => void;
}

export function MilestoneDialog({ place, milestone, onClose }: MilestoneDialogProps) {
  const [title, setTitle] = useState(milestone?.title ?? '');
  const [description, setDescription] = useState(milestone?.description ?? '');
  const [day, setDay] = useState(typeof milestone?.due_on === 'string' ? dayOf(milestone.due_on) : '');
  const save = useSaveMilestone(place, milestone?.number);
  const isNamed = title.trim() !== '';
  const wanted: MilestoneFields = {
    title: title.trim(),
    description,
    due_on: day === '' ? null : `${day}T00:00:00Z`,
  };
  useSayDraft(isNamed ? milestoneCall(place, wanted, milestone?.number) : undefined);
  return (
    <FormDialog
      title={milestone === undefined ? MILESTONES.create : MILESTONES.editTitle(milestone.title)}
      width={520}
      action={MILESTONES.save}
      disabledReason={isNamed ? undefined : MILESTONES.nameMissing}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={() => isNamed && save.mutate(wanted, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field label={MILESTONES.name}>
        <TextInput maxLength={MAX_TITLE} value={title} onValue={setTitle} />
      </Field>
      <Field label={MILESTONES.due} optional>
        <TextInput type="date" value={day} onValue={setDay} />
      </Field>
      <Field label={MILESTONES.description} optional>
        <TextArea rows={4} value={description} onValue={setDescription} />
      </Field>
    </FormDialog>
  );
}
