// A secret that was just made, on the only occasion that it is shown. It lives in the state of the page alone.
import { useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Tile } from '../ui/card.tsx';
import { Checkbox } from '../ui/choice.tsx';
import { Secret } from '../ui/code-block.tsx';
import { Dialog } from '../ui/dialog.tsx';

const WORDS = {
  text: 'This is the only time that it is shown. Reload or close, and it is gone.',
  stored: 'I have stored it in a safe place',
  tickFirst: 'Store it, and tick the box.',
  done: 'Done',
};

export interface SecretOnceProps {
  title: string;
  /** What the secret is: "URL of the trigger". */
  label: string;
  secret: string;
  onClose: () => void;
  /** What to do with it. */
  children?: ReactNode;
}

export function SecretOnce({ title, label, secret, onClose, children }: SecretOnceProps) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      title={title}
      text={WORDS.text}
      tile={<Tile icon="key" tone="ok" />}
      width={600}
      onClose={undefined}
      footer={
        <>
          <div className="grow">
            <Checkbox label={WORDS.stored} isChecked={isStored} onChange={setStored} />
          </div>
          <Button tone="primary" disabledReason={isStored ? undefined : WORDS.tickFirst} onClick={onClose}>
            {WORDS.done}
          </Button>
        </>
      }
    >
      <div className="fld">
        <span className="fld__l">{label}</span>
        <Secret text={secret} />
      </div>
      {children}
    </Dialog>
  );
}
