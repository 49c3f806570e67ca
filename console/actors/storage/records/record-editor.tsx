// A text record that is edited in place. It is saved only over the version that was read.
import { useState } from 'react';
import { ApiError } from '../../../api/error.ts';
import { invalidateTopics } from '../../../api/read.ts';
import { upload } from '../../../api/upload.ts';
import type { RecordHead } from '../../../api/types/signalbox.ts';
import { ChangeError } from '../../../ui/change-error.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Field } from '../../../ui/field.tsx';
import { TextArea } from '../../../ui/input.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { words } from '../../../ui/words.ts';
import { findHead, kindOf, RECORDS, writeRecordCall } from './records.ts';
import { WORDS } from './store-words.ts';

export interface RecordEditorProps {
  storeId: string;
  head: RecordHead;
  text: string;
  onReload: () => void;
  onDone: () => void;
}

export function RecordEditor({ storeId, head, text, onReload, onDone }: RecordEditorProps) {
  // The page may read the record anew meanwhile: what was read first counts.
  const [base, setBase] = useState({ etag: head.etag, text });
  const [draft, setDraft] = useState(text);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const isConflict = error?.status === 409;
  const problem = kindOf(head.contentType) === 'json' ? jsonProblem(draft) : undefined;
  const write = async (etag: string | undefined) => {
    setBusy(true);
    setError(undefined);
    try {
      const call = writeRecordCall(storeId, head.key, head.contentType, etag);
      await upload({ call, form: new Blob([draft]), onProgress: () => undefined, signal: never() });
      invalidateTopics([RECORDS]);
      toast({ text: WORDS.saved });
      onDone();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const replace = async () => {
    // Over the version of now; if there is yet another by then, it is asked again.
    const present = await findHead(storeId, head.key);
    if (present !== undefined) setBase({ ...base, etag: present.etag });
    await write(present?.etag);
  };
  return (
    <section className="stack">
      {isConflict ? (
        <Banner tone="warn">
          <b>{WORDS.changed}</b> {WORDS.changedText}
          <span className="row row--wrap row--4 rec-conflict">
            <Button
              size="sm"
              onClick={() => {
                onReload();
                onDone();
              }}
            >
              {WORDS.readTheirs}
            </Button>
            <CopyTextButton text={draft} label={WORDS.copyMine} />
            <Button size="sm" tone="danger" isBusy={isBusy} onClick={() => void replace()}>
              {WORDS.replaceTheirs}
            </Button>
          </span>
        </Banner>
      ) : (
        <ChangeError error={error} />
      )}
      <Field label={WORDS.content} error={problem !== undefined && WORDS.badJson(problem)}>
        <TextArea
          isMono
          className="rec-editor"
          spellCheck={false}
          autoComplete="off"
          value={draft}
          onValue={setDraft}
        />
      </Field>
      <div className="row">
        <Button
          size="sm"
          tone="primary"
          isBusy={isBusy}
          disabledReason={draft === base.text ? words.noDifference : undefined}
          onClick={() => void write(base.etag)}
        >
          {WORDS.save}
        </Button>
        <Button size="sm" onClick={onDone}>
          {WORDS.cancel}
        </Button>
      </div>
    </section>
  );
}

/** It may be saved all the same: it is the user's file. */
function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function never(): AbortSignal {
  return new AbortController().signal;
}
