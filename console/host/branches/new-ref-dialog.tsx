// A new branch or tag, from a branch, a tag or a commit.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import type { RepositoryPlace } from '../place.ts';
import { TOPICS, type RefKind } from '../queries.ts';
import { createRefCall, createTagCall, resolveRef } from './branches-queries.ts';
import { REF_DIALOGS } from './branches-words.ts';
import { isRefName } from './ref-name.ts';

export interface NewRefDialogProps {
  place: RepositoryPlace;
  kind: RefKind;
  defaultBranch: string;
  onClose: () => void;
}

/** In the API drawer, until the commit is known. */
const UNKNOWN_SHA = '…';

export function NewRefDialog({ place, kind, defaultBranch, onClose }: NewRefDialogProps) {
  const [name, setName] = useState('');
  const [from, setFrom] = useState(defaultBranch);
  const [message, setMessage] = useState('');
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [unknown, setUnknown] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const isTag = kind === 'tags';
  const isGood = isRefName(name);
  useSayDraft(createRefCall(place, kind, name, UNKNOWN_SHA));
  const create = async () => {
    setTried(true);
    setError(undefined);
    if (!isGood || isBusy) return;
    setBusy(true);
    try {
      const commit = await resolveRef(place, from.trim() || defaultBranch);
      if (commit === undefined) return setUnknown(from);
      const text = message.trim();
      const sha =
        isTag && text !== ''
          ? await sendForSha(createTagCall(place, { name, message: text, sha: commit }))
          : commit;
      await send(createRefCall(place, kind, name, sha));
      invalidateTopics(TOPICS);
      onClose();
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
      title={isTag ? REF_DIALOGS.newTagTitle : REF_DIALOGS.newBranchTitle}
      width={520}
      action={REF_DIALOGS.create}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <Field
        label={REF_DIALOGS.name}
        help={REF_DIALOGS.nameHelp}
        error={isTried ? problemOf(name) : undefined}
      >
        <TextInput
          isMono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={name}
          onValue={setName}
        />
      </Field>
      <Field
        label={isTag ? REF_DIALOGS.at : REF_DIALOGS.from}
        help={REF_DIALOGS.fromHelp}
        error={unknown === undefined ? undefined : REF_DIALOGS.noCommit(unknown)}
      >
        <TextInput
          isMono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={from}
          onValue={(text) => {
            setFrom(text);
            setUnknown(undefined);
          }}
        />
      </Field>
      {isTag && (
        <Field label={REF_DIALOGS.message} optional help={REF_DIALOGS.messageHelp}>
          <TextArea rows={3} value={message} onValue={setMessage} />
        </Field>
      )}
    </FormDialog>
  );
}

async function sendForSha(call: Call): Promise<string> {
  return (await send<{ sha: string }>(call)).body.sha;
}

function problemOf(name: string): string | undefined {
  if (name === '') return REF_DIALOGS.needed;
  return isRefName(name) ? undefined : REF_DIALOGS.badName;
}
