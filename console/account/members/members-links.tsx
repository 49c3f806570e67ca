// Links that let somebody in. They are in the page as long as this dialog is, and nowhere else.
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Secret } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { LINKS } from './members-words.ts';

export interface ShownLink {
  email: string;
  url: string;
  /** How long it works. */
  note: ReactNode;
}

interface LinksDialogProps {
  links: readonly ShownLink[];
  children?: ReactNode;
  onClose: () => void;
}

/** No press beside it and no Escape closes it: what is in it cannot be seen again. */
export function LinksDialog({ links, children, onClose }: LinksDialogProps) {
  return (
    <Dialog
      title={LINKS.title(links.length)}
      text={LINKS.text}
      width={600}
      onClose={undefined}
      footer={
        <Button tone="primary" onClick={onClose}>
          {links.length === 1 ? LINKS.stored : LINKS.storedAll}
        </Button>
      }
    >
      {children}
      <ul className="stack stack--16">
        {links.map(({ email, url, note }) => (
          <li key={email} className="stack stack--4">
            <p className="t13">
              <b className="w5">{email}</b> <span className="muted">{note}</span>
            </p>
            <Secret text={url} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
