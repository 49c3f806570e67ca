import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog, type ConfirmTone } from '../ui/confirm-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { TextInput } from '../ui/input.tsx';
import { Menu } from '../ui/menu.tsx';
import { Popover } from '../ui/popover.tsx';
import { toast } from '../ui/toasts.tsx';
import { nothing, Sample } from './sample.tsx';

export function OverlayStates() {
  const [confirm, setConfirm] = useState<ConfirmTone>();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const [isFormOpen, setIsFormOpen] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const close = () => {
    setConfirm(undefined);
    setIsFormOpen(false);
    setHasFailed(false);
  };
  return (
    <>
      <Sample name="Menu and popover">
        <Menu
          alignment="start"
          trigger={<Button hasCaret>Menu</Button>}
          items={[
            { label: 'Open', icon: 'aright', href: '/' },
            { label: 'Copy', icon: 'copy', onSelect: () => toast({ text: 'Copied' }) },
            { label: 'Rotate', icon: 'redo', disabledReason: 'Only its owner may do this.' },
            {
              label: 'Revoke…',
              icon: 'trash',
              tone: 'danger',
              hasLine: true,
              onSelect: () => setConfirm('danger'),
            },
          ]}
        />
        <Popover label="Columns" trigger={<Button icon="columns">Popover</Button>}>
          <Field label="Width">
            <TextInput />
          </Field>
        </Popover>
      </Sample>
      <Sample name="Dialogs">
        <Button onClick={() => setIsDialogOpen(true)}>Dialog</Button>
        <Button onClick={() => setIsFormOpen(true)}>Form</Button>
        <Button onClick={() => setConfirm('normal')}>Confirm</Button>
        <Button onClick={() => setConfirm('danger')}>Danger</Button>
        <Button onClick={() => setConfirm('production')}>Production</Button>
      </Sample>
      <Sample name="Toasts">
        <Button
          onClick={() => toast({ text: 'Dark mode is on in test', action: { label: 'Undo', run: nothing } })}
        >
          Done
        </Button>
        <Button
          onClick={() =>
            toast({
              text: 'Not saved: someone changed rule 1',
              tone: 'bad',
              action: { label: 'Compare', run: nothing },
            })
          }
        >
          Failed
        </Button>
      </Sample>
      {isDialogOpen && (
        <Dialog
          title="New token"
          text="Keys for scripts and services."
          onClose={() => setIsDialogOpen(false)}
          footer={
            <>
              <Button onClick={() => setIsDialogOpen(false)}>Cancel</Button>
              <Button tone="primary" onClick={() => setIsDialogOpen(false)}>
                Make token
              </Button>
            </>
          }
        >
          <Field label="Name">
            <TextInput />
          </Field>
        </Dialog>
      )}
      {isFormOpen && (
        <FormDialog
          title="New label"
          action="Create the label"
          isBusy={false}
          error={hasFailed ? { message: 'The name is taken.', requestId: 'req_71c0f2' } : undefined}
          onSubmit={() => setHasFailed(true)}
          onClose={close}
        >
          <Field label="Name">
            <TextInput />
          </Field>
        </FormDialog>
      )}
      {confirm !== undefined && (
        <ConfirmDialog
          title={confirm === 'production' ? 'Turn on Dark mode in production' : 'Revoke the token ci-deploy?'}
          tone={confirm}
          confirmLabel={confirm === 'production' ? 'Turn on in production' : 'Revoke ci-deploy'}
          typeToConfirm={confirm === 'production' ? 'production' : undefined}
          error={hasFailed ? { message: 'The server did not answer.', requestId: 'req_71c0f2' } : undefined}
          onConfirm={() => setHasFailed(true)}
          onClose={close}
        >
          <p>It was used 4 m ago by 10.0.4.17. Calls with it fail from now on.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
