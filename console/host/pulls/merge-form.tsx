// How a pull request is merged, and with which message.
import { useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextArea, TextInput } from '../../ui/input.tsx';
import type { MergeCheck, MergeMethod, Pull } from './pull.ts';
import { mergeCall, useMerge, type MergeOrder, type PullPlace } from './pull-queries.ts';
import { MERGE } from './pull-words.ts';

const MAX_TITLE = 1024;

export interface MergeFormProps {
  place: PullPlace;
  pull: Pull;
  check: MergeCheck;
  wanted: MergeMethod | undefined;
  onMethod: (method: MergeMethod) => void;
}

export function MergeForm({ place, pull, check, wanted, onMethod }: MergeFormProps) {
  const method = wanted !== undefined && check.methods.includes(wanted) ? wanted : check.method;
  const [isWriting, setWriting] = useState(false);
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const merge = useMerge(place);
  const hasMessage = isWriting && method !== 'rebase';
  const order: MergeOrder = {
    merge_method: method,
    sha: pull.head.sha,
    ...(hasMessage && title.trim() !== '' && { commit_title: title.trim() }),
    ...(hasMessage && text.trim() !== '' && { commit_message: text }),
  };
  useSayDraft(check.isMergeable ? mergeCall(place, order) : undefined);
  const reason = check.isMergeable ? undefined : check.reasons.map(({ message }) => message).join(' ');
  return (
    <div className="merge-box__f grow">
      <ChangeError error={merge.error} />
      {hasMessage && (
        <>
          <Field label={MERGE.messageTitle} optional>
            <TextInput
              maxLength={MAX_TITLE}
              value={title}
              placeholder={method === 'squash' ? `${pull.title} (#${pull.number})` : undefined}
              onValue={setTitle}
            />
          </Field>
          <Field label={MERGE.messageText} optional help={MERGE.messageHelp}>
            <TextArea rows={4} value={text} onValue={setText} />
          </Field>
        </>
      )}
      <div className="row row--wrap">
        <SelectInput
          aria-label={MERGE.method}
          className="merge-box__m"
          value={method}
          onValue={(value) => onMethod(value as MergeMethod)}
          options={check.methods.map((value) => ({ value, label: MERGE.methods[value] }))}
        />
        {method !== 'rebase' && !isWriting && (
          <Button tone="ghost" icon="pen" onClick={() => setWriting(true)}>
            {MERGE.editMessage}
          </Button>
        )}
        <span className="push" />
        <Button
          tone="primary"
          icon="merge"
          isBusy={merge.isPending}
          disabledReason={reason}
          onClick={() => merge.mutate(order)}
        >
          {MERGE.actions[method]}
        </Button>
      </div>
    </div>
  );
}
