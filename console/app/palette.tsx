// Search and commands over everything: Ctrl+K. The field belongs to the first script, so that what is typed while the
// rest is loaded is not lost; Enter waits for the items of what was typed.
import { lazy, Suspense, useState, type KeyboardEvent } from 'react';
import { useOpenDialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import type { PaletteFrame } from './palette-items.ts';
import { WORDS } from './words.ts';

const PaletteList = lazy(() => import('./palette-list.tsx'));

/** A click beside it closes it. */
const CLOSED_BY_ANYTHING = { closedby: 'any' } as const;

export interface PaletteProps extends PaletteFrame {
  start: string;
  onClose: () => void;
}

export function Palette({ start, onClose, ...frame }: PaletteProps) {
  const [typed, setTyped] = useState(start);
  const [at, setAt] = useState(0);
  const [isSent, setSent] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const dialog = useOpenDialog(onClose);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt(at + step);
      setSent(false);
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) setSent(true);
  };
  return (
    <dialog ref={dialog} className="pal-pop" aria-label={WORDS.palette.title} {...CLOSED_BY_ANYTHING}>
      <div className="pal">
        <div className="pal__in">
          <Icon name="search" />
          <input
            autoFocus
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-items"
            aria-activedescendant={chosen}
            aria-label={WORDS.palette.title}
            placeholder={WORDS.palette.placeholder}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setAt(0);
              setSent(false);
            }}
            onKeyDown={onKeyDown}
          />
          <kbd>Esc</kbd>
        </div>
        <Suspense>
          <PaletteList
            typed={typed}
            at={at}
            isSent={isSent}
            onNothing={() => setSent(false)}
            onChosen={setChosen}
            onClose={onClose}
            {...frame}
          />
        </Suspense>
      </div>
    </dialog>
  );
}
