// Points at lines by their numbers: the keyboard's way to what a click on a number does.
import { useState } from 'react';
import { pointAt } from '../../lib/line-range.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import { FILES_WORDS } from './files-words.ts';

export function GoToLine({ last, onClose }: { last: number; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [isTried, setTried] = useState(false);
  const [, first, second] = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(typed) ?? [];
  const ends = [Number(first), Number(second ?? first)];
  const isGood = first !== undefined && ends.every((line) => line >= 1 && line <= last);
  const wrong = FILES_WORDS.lineWrong(formatCount(last));
  return (
    <FormDialog
      title={FILES_WORDS.goToLine}
      width={420}
      action={FILES_WORDS.go}
      isBusy={false}
      error={undefined}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (!isGood) return;
        onClose();
        pointAt({ from: Math.min(...ends), to: Math.max(...ends) });
      }}
    >
      <Field label={FILES_WORDS.lineField} error={isTried && !isGood ? wrong : undefined}>
        <TextInput inputMode="numeric" autoComplete="off" value={typed} onValue={setTyped} />
      </Field>
    </FormDialog>
  );
}
