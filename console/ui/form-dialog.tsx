// A dialog that is one form: its fields, why the last attempt failed, and the button that sends it, for which Enter does too.
import { useId, type FormEvent, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { words } from './words.ts';
import { ChangeError, type FailedChange } from './change-error.tsx';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'text' | 'width'> {
  /** What the button will do. */
  action: string;
  /** Why it cannot be sent now. */
  disabledReason?: string | undefined;
  isBusy: boolean;
  error: FailedChange | null | undefined;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { action, disabledReason, isBusy, error, onSubmit, onClose, children, ...dialog } = props;
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog
      {...dialog}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" form={id} tone="primary" isBusy={isBusy} disabledReason={disabledReason}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} className="stack stack--16" noValidate onSubmit={submit}>
        <ChangeError error={error} />
        {children}
      </form>
    </Dialog>
  );
}
