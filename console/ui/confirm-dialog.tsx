// A question before something is done. The safe button has the focus; where something must be typed, only
// pressing the other button confirms, never Enter in the field.
import { useState, type ReactNode } from 'react';
import { Button, type ButtonTone } from './button.tsx';
import { ChangeError, type FailedChange } from './change-error.tsx';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { TypedKey } from './typed-key.tsx';
import { words } from './words.ts';

export type ConfirmTone = 'normal' | 'danger' | 'production';

export interface ConfirmDialogProps {
  title: ReactNode;
  /** What will happen, and what else breaks. */
  children?: ReactNode;
  /** Says what will happen: "Delete token ci-deploy". */
  confirmLabel: string;
  tone?: ConfirmTone | undefined;
  /** The key that must be typed by hand. */
  typeToConfirm?: string | undefined;
  /** Another reason why it cannot be confirmed yet, such as a comment that is missing. */
  disabledReason?: string | undefined;
  isBusy?: boolean | undefined;
  error?: FailedChange | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

const confirmTone: Record<ConfirmTone, ButtonTone> = {
  normal: 'primary',
  danger: 'danger-fill',
  production: 'production',
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirmLabel, tone = 'normal', typeToConfirm, isBusy, error } = props;
  const [typed, setTyped] = useState('');
  const isTyped = typeToConfirm === undefined || typed.trim() === typeToConfirm;
  const reason = isTyped ? props.disabledReason : words.typeFirst(typeToConfirm);
  return (
    <Dialog
      title={title}
      tone={tone === 'production' ? 'production' : 'normal'}
      width={520}
      onClose={props.onClose}
      footer={
        <>
          <Button data-autofocus="" onClick={props.onClose}>
            {words.cancel}
          </Button>
          <Button
            tone={confirmTone[tone]}
            icon={tone === 'production' ? 'shield' : undefined}
            disabledReason={reason}
            isBusy={isBusy}
            onClick={props.onConfirm}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <ChangeError error={error} />
      {children !== undefined && <div className="stack t13">{children}</div>}
      {typeToConfirm !== undefined && (
        <div className={tone === 'production' ? 'guard' : undefined}>
          {tone === 'production' && (
            <p className="guard__t">
              <Icon name="shield" />
              {typeToConfirm}
            </p>
          )}
          <TypedKey wanted={typeToConfirm} value={typed} onChange={setTyped} />
        </div>
      )}
    </Dialog>
  );
}
