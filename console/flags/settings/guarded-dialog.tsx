// A question about a change in one environment that has no preview: asks for a comment and the environment's key where it must.
import { useState, type ReactNode } from 'react';
import type { ApiError } from '../../api/error.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { words } from '../../ui/words.ts';
import type { Environment } from '../queries.ts';
import { GuardField } from '../save/guard-field.tsx';
import { needsTypedKey } from '../save/guard.ts';
import { SETTINGS_WORDS as WORDS } from './settings-words.ts';

export interface GuardedDialogProps {
  environment: Environment;
  title: string;
  text?: string | undefined;
  confirmLabel: string;
  isDanger?: boolean | undefined;
  /** Whether the call takes a comment. */
  hasComment?: boolean | undefined;
  disabledReason?: string | undefined;
  isBusy: boolean;
  error: ApiError | null | undefined;
  onConfirm: (comment: string) => void;
  onClose: () => void;
  children?: ReactNode;
}

export function GuardedDialog(props: GuardedDialogProps) {
  const { environment, title, text, confirmLabel, isDanger = false, hasComment = false } = props;
  const [typed, setTyped] = useState('');
  const [comment, setComment] = useState('');
  const isGuarded = needsTypedKey(environment);
  const lacksComment = hasComment && environment.requireComments && comment.trim() === '';
  const reason =
    props.disabledReason ??
    (isGuarded && typed.trim() !== environment.key
      ? words.typeFirst(environment.key)
      : lacksComment
        ? WORDS.commentMissing
        : undefined);
  return (
    <Dialog
      title={title}
      text={text}
      tone={isGuarded ? 'production' : 'normal'}
      width={520}
      onClose={props.onClose}
      footer={
        <>
          <Button data-autofocus={props.children === undefined ? '' : undefined} onClick={props.onClose}>
            {WORDS.cancel}
          </Button>
          <Button
            tone={isGuarded ? 'production' : isDanger ? 'danger-fill' : 'primary'}
            isBusy={props.isBusy}
            disabledReason={reason}
            onClick={() => props.onConfirm(comment.trim())}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div className="stack stack--16">
        <ChangeError error={props.error} />
        {props.children}
        {hasComment && (
          <Field label={WORDS.comment} optional={!environment.requireComments}>
            <TextInput value={comment} maxLength={1000} onValue={setComment} />
          </Field>
        )}
        {isGuarded && <GuardField place={environment.key} value={typed} onChange={setTyped} />}
      </div>
    </Dialog>
  );
}
