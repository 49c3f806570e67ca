// Addresses to add to a queue, one in each line.
import { useState } from 'react';
import { ApiError } from '../../../api/error.ts';
import { invalidateTopics } from '../../../api/read.ts';
import { useSayDraft } from '../../../app/draft-call.ts';
import { ChangeError } from '../../../ui/change-error.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { formatCount } from '../../../ui/format.ts';
import { TextArea } from '../../../ui/input.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { addAll, addCall, REQUESTS } from './requests.ts';
import { WORDS } from './queue-words.ts';

/** More belong into a program. */
const MOST = 1000;

export function AddRequests({ queueId, onClose }: { queueId: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const [isFirst, setFirst] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const urls = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const bad = urls.find((url) => !isWebAddress(url));
  const problem =
    bad !== undefined
      ? WORDS.badUrl(bad)
      : urls.length > MOST
        ? WORDS.tooMany(formatCount(MOST))
        : urls.length === 0
          ? WORDS.nothing
          : undefined;
  useSayDraft(addCall(queueId, urls, isFirst));
  const add = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { added, present } = await addAll(queueId, urls, isFirst);
      toast({ text: WORDS.added(formatCount(added), formatCount(present)) });
      onClose();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
      invalidateTopics([REQUESTS, 'request-queue']);
    }
  };
  return (
    <Dialog
      title={WORDS.addTitle}
      text={WORDS.addText}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button tone="primary" isBusy={isBusy} disabledReason={problem} onClick={() => void add()}>
            {WORDS.addCount(formatCount(urls.length))}
          </Button>
        </>
      }
    >
      <div className="stack stack--16">
        <ChangeError error={error} />
        <Field label={WORDS.urls} error={urls.length > 0 && problem}>
          <TextArea isMono className="rec-editor" spellCheck={false} value={text} onValue={setText} />
        </Field>
        <Checkbox label={WORDS.atFront} isChecked={isFirst} onChange={setFirst} />
      </div>
    </Dialog>
  );
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}
