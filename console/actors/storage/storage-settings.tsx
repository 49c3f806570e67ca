// The name, the title and who may read a storage.
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { Button } from '../../ui/button.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { Key } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { words } from '../../ui/words.ts';
import { changeCall, topicsOf, type StoragePatch } from './storage-queries.ts';
import { isStorageName, isUnnamed, type GeneralAccess, type Storage, type StorageKind } from './storage.ts';
import { ACCESS_WORDS, WORDS } from './storage-words.ts';

export interface StorageSettingsProps {
  kind: StorageKind;
  storage: Storage;
  onClose: () => void;
}

export function StorageSettings({ kind, storage, onClose }: StorageSettingsProps) {
  const { id, generalAccess, createdAt, accessedAt } = storage;
  const oldName = isUnnamed(storage) ? '' : storage.name!;
  const [name, setName] = useState(oldName);
  const [title, setTitle] = useState(storage.title ?? '');
  const [access, setAccess] = useState<GeneralAccess>(generalAccess);
  const patch: StoragePatch = {
    ...(name !== oldName && { name: name === '' ? null : name }),
    ...(title !== (storage.title ?? '') && { title: title === '' ? null : title }),
    ...(access !== generalAccess && { generalAccess: access }),
  };
  const change = useChange<StoragePatch>((body) => changeCall(kind, id, body), topicsOf(kind));
  useSayDraft(changeCall(kind, id, patch));
  const isBad = name !== '' && !isStorageName(name);
  const isSame = Object.keys(patch).length === 0;
  const save = () => {
    if (isBad || isSame) return;
    change.mutate(patch, {
      onSuccess: () => {
        toast({ text: WORDS.saved });
        onClose();
      },
    });
  };
  return (
    <Dialog
      title={WORDS.settings}
      width={560}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            tone="primary"
            isBusy={change.isPending}
            disabledReason={isSame ? words.noDifference : isBad ? WORDS.badName : undefined}
            onClick={save}
          >
            {WORDS.save}
          </Button>
        </>
      }
    >
      <ChangeError error={change.error} />
      <form
        className="stack stack--16"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field label={WORDS.name} optional help={WORDS.nameHelp} error={isBad && WORDS.badName}>
          <TextInput isMono autoComplete="off" spellCheck={false} value={name} onValue={setName} />
        </Field>
        <Field label={WORDS.titleLabel} optional help={WORDS.titleHelp}>
          <TextInput autoComplete="off" maxLength={200} value={title} onValue={setTitle} />
        </Field>
        <RadioCards
          label={WORDS.access}
          value={access}
          onChange={setAccess}
          options={(Object.keys(ACCESS_WORDS) as GeneralAccess[]).map((value) => ({
            value,
            ...ACCESS_WORDS[value],
          }))}
        />
        <KeyValues
          items={[
            [
              WORDS.id,
              <Key key="id" copyLabel={WORDS.copyId}>
                {id}
              </Key>,
            ],
            [WORDS.created, <Time key="created" at={createdAt} mode="absolute" />],
            [WORDS.lastUsed, <Time key="used" at={accessedAt} />],
          ]}
        />
        <button type="submit" hidden>
          {WORDS.save}
        </button>
      </form>
    </Dialog>
  );
}
