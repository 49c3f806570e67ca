// A new text record.
import { useState } from 'react';
import { ApiError } from '../../../api/error.ts';
import { invalidateTopics } from '../../../api/read.ts';
import { upload } from '../../../api/upload.ts';
import { useSayDraft } from '../../../app/draft-call.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { SelectInput, TextArea, TextInput } from '../../../ui/input.tsx';
import { findHead, isRecordKey, RECORDS, writeRecordCall } from './records.ts';
import { WORDS } from './store-words.ts';

const TYPES = ['application/json', 'text/plain; charset=utf-8', 'text/html; charset=utf-8', 'text/csv'];

export interface NewRecordProps {
  storeId: string;
  onClose: () => void;
  onDone: (key: string) => void;
}

export function NewRecord({ storeId, onClose, onDone }: NewRecordProps) {
  const [key, setKey] = useState('');
  const [type, setType] = useState(TYPES[0]!);
  const [text, setText] = useState('');
  const [isTaken, setTaken] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const call = writeRecordCall(storeId, key, type);
  useSayDraft(call);
  const isBad = !isRecordKey(key);
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      if ((await findHead(storeId, key)) !== undefined) return setTaken(true);
      const { signal } = new AbortController();
      await upload({ call, form: new Blob([text]), onProgress: () => undefined, signal });
      invalidateTopics([RECORDS, 'key-value-store']);
      onClose();
      onDone(key);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
    return undefined;
  };
  return (
    <FormDialog
      title={WORDS.newRecord}
      action={WORDS.create}
      disabledReason={isBad ? WORDS.badKey : undefined}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <Field
        label={WORDS.key}
        help={WORDS.badKey}
        error={isTaken ? WORDS.taken : key !== '' && isBad && WORDS.badKey}
      >
        <TextInput
          isMono
          autoComplete="off"
          spellCheck={false}
          value={key}
          onValue={(next) => {
            setKey(next);
            setTaken(false);
          }}
        />
      </Field>
      <Field label={WORDS.type}>
        <SelectInput
          value={type}
          options={TYPES.map((value) => ({ value, label: value }))}
          onValue={setType}
        />
      </Field>
      <Field label={WORDS.content}>
        <TextArea isMono className="rec-editor" spellCheck={false} value={text} onValue={setText} />
      </Field>
    </FormDialog>
  );
}
