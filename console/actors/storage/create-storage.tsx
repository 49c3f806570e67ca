// A new storage, with a name or without.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { TextLink } from '../../ui/link.tsx';
import { createCall, namedCall, topicsOf } from './storage-queries.ts';
import { hrefOf, isStorageName, type Storage, type StorageKind } from './storage.ts';
import { KIND_WORDS, WORDS } from './storage-words.ts';

interface Found {
  data: Storage;
}

export function CreateStorage({ kind, onClose }: { kind: StorageKind; onClose: () => void }) {
  const { one } = KIND_WORDS[kind];
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [taken, setTaken] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [, navigate] = useLocation();
  useSayDraft(createCall(kind, name));
  const isBad = name !== '' && !isStorageName(name);
  const create = async () => {
    if (isBad || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      // The API answers with the one of this name, where there is one: that would look as if it were new.
      const other = name === '' ? undefined : await findNamed(kind, name);
      if (other !== undefined) return setTaken(other);
      const { body } = await send<Found>(createCall(kind, name));
      invalidateTopics(topicsOf(kind));
      onClose();
      navigate(hrefOf(kind, body.data.id));
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
      title={WORDS.create(one)}
      text={KIND_WORDS[kind].what}
      width={520}
      action={WORDS.createShort}
      disabledReason={isBad ? WORDS.badName : undefined}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <Field
        label={WORDS.name}
        optional
        help={WORDS.nameHelp}
        error={
          isBad
            ? WORDS.badName
            : taken !== undefined && (
                <>
                  {WORDS.nameTaken(one)} <TextLink href={hrefOf(kind, taken)}>{WORDS.openIt}</TextLink>
                </>
              )
        }
      >
        <TextInput
          isMono
          autoComplete="off"
          spellCheck={false}
          data-autofocus=""
          value={name}
          onValue={(text) => {
            setName(text);
            setTaken(undefined);
          }}
        />
      </Field>
    </FormDialog>
  );
}

/** Its id; undefined where the name is free. */
async function findNamed(kind: StorageKind, name: string): Promise<string | undefined> {
  try {
    return (await send<Found>(namedCall(kind, name))).body.data.id;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
