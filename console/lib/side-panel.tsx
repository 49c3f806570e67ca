// What one row of a list is about, beside the list: both stay usable. In narrow windows it lies over the page.
import '../styles/side-panel.css';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { words } from '../ui/words.ts';

export interface SidePanelProps {
  title: ReactNode;
  /** One line below the title. */
  text?: ReactNode;
  /** Before the title: an avatar. */
  mark?: ReactNode;
  onClose: () => void;
  footer?: ReactNode;
  children: ReactNode;
}

/** With a `key` of what it shows, the focus moves into it for each. Escape closes it, and the focus goes back. */
export function SidePanel({ title, text, mark, onClose, footer, children }: SidePanelProps) {
  const id = useId();
  const head = useRef<HTMLHeadingElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useFocusFrom(head);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isAskedElsewhere(event.target)) return;
      close.current();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return (
    <aside className="side spanel" aria-labelledby={id}>
      <div className="spanel__h">
        {mark}
        <div className="grow">
          <h2 id={id} ref={head} tabIndex={-1}>
            {title}
          </h2>
          {text !== undefined && <div className="t13 muted">{text}</div>}
        </div>
        <Button tone="ghost" size="sm" icon="x" label={words.close} onClick={onClose} />
      </div>
      <div className="spanel__b">{children}</div>
      {footer !== undefined && <div className="spanel__f">{footer}</div>}
    </aside>
  );
}

/** A page that is opened with its panel leaves the focus where it is. */
function useFocusFrom(head: React.RefObject<HTMLHeadingElement | null>): void {
  const origin = useRef<HTMLElement>(null);
  useEffect(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused === document.body) return;
    if (focused.closest('.spanel') === null) origin.current = focused;
    head.current?.focus({ preventScroll: true });
  }, [head]);
  useEffect(
    () => () => {
      const { activeElement } = document;
      if (activeElement === null || activeElement === document.body) origin.current?.focus();
    },
    [],
  );
}

/** In a dialog, a menu or a field Escape has a meaning of its own. */
function isAskedElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector('dialog:modal, [popover]:popover-open:not(.tip, .toasts)') !== null) return true;
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select')
  );
}
