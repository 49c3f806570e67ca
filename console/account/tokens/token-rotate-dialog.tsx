// Gives a token a new secret; the old one works on for as long as one chooses.
import { useState } from 'react';
import { path, type Call } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { HOUR_MS, type TokenDetail } from './token-model.ts';
import type { NewSecret } from './token-secret-dialog.tsx';
import { CHANGED_TOKENS } from './tokens-queries.ts';
import { ROTATE, TOKENS } from './tokens-words.ts';

/** Most people cannot replace a secret everywhere at once. */
const DEFAULT_HOURS = '24';

export interface RotateDialogProps {
  token: TokenDetail;
  onClose: () => void;
  onSecret: (secret: NewSecret) => void;
}

export function RotateDialog({ token, onClose, onSecret }: RotateDialogProps) {
  const [hours, setHours] = useState(DEFAULT_HOURS);
  const [opened] = useState(Date.now);
  const { run, isBusy, error } = useSecretCall<TokenDetail>();
  const callAt = (now: number): Call => ({
    api: 'flags',
    method: 'POST',
    path: path`/tokens/${token._id}/reset`,
    query: { expiry: hours === '0' ? undefined : now + Number(hours) * HOUR_MS },
  });
  useSayDraft(callAt(opened));
  const submit = async () => {
    const reply = await run(callAt(Date.now()));
    if (reply === undefined) return;
    invalidateTopics(CHANGED_TOKENS);
    onSecret({ detail: reply.body, isRotated: true });
  };
  const name = token.name === undefined || token.name === '' ? TOKENS.unnamed : token.name;
  return (
    <Dialog
      title={ROTATE.title(name)}
      text={ROTATE.text}
      width={520}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{ROTATE.cancel}</Button>
          <Button tone="primary" icon="redo" isBusy={isBusy} onClick={() => void submit()}>
            {ROTATE.submit}
          </Button>
        </>
      }
    >
      {error !== undefined && <Banner tone="bad">{error.message}</Banner>}
      <Field label={ROTATE.overlap} help={ROTATE.help}>
        <SelectInput value={hours} onValue={setHours} options={[...ROTATE.overlaps]} />
      </Field>
    </Dialog>
  );
}
