// Locks a conversation, so that only those who may write go on with it, or unlocks it.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SelectInput } from '../../ui/input.tsx';
import type { RepositoryPlace } from '../place.ts';
import { useLock } from './issue-queries.ts';
import { ISSUE } from './issue-words.ts';

export interface LockButtonProps {
  place: RepositoryPlace;
  number: number;
  isLocked: boolean;
}

export function LockButton({ place, number, isLocked }: LockButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const lock = useLock(place, number);
  return (
    <>
      <Button
        size="sm"
        icon="lock"
        isBusy={lock.isPending}
        onClick={() => (isLocked ? lock.mutate(null) : setAsking(true))}
      >
        {isLocked ? ISSUE.unlock : ISSUE.lock}
      </Button>
      {!isAsking && <ChangeError error={lock.error} />}
      {isAsking && (
        <FormDialog
          title={ISSUE.lock}
          text={ISSUE.lockText}
          width={440}
          action={ISSUE.lock}
          isBusy={lock.isPending}
          error={lock.error}
          onSubmit={() => lock.mutate(reason === '' ? {} : { reason }, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <Field label={ISSUE.lockReason}>
            <SelectInput
              value={reason}
              onValue={setReason}
              options={Object.entries(ISSUE.lockReasons).map(([value, label]) => ({ value, label }))}
            />
          </Field>
        </FormDialog>
      )}
    </>
  );
}
