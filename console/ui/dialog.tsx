// Dialogs, by the browser's own element: it keeps the focus inside, gives it back, and hides the page behind it
// from screen readers.
import { useEffect, useId, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { cssVars } from './css-vars.ts';
import { words } from './words.ts';

export interface DialogProps {
  title: ReactNode;
  /** One line below the title. */
  text?: ReactNode;
  /** Before the title: a tile. */
  tile?: ReactNode;
  /** `production` has the edge that only production has. */
  tone?: 'normal' | 'production' | undefined;
  /** In pixels; 640 where it is not given. */
  width?: number | undefined;
  /** Undefined where it must be answered: then there is no closing button, and Escape does nothing. */
  onClose: (() => void) | undefined;
  footer?: ReactNode;
  children?: ReactNode;
}

/** Open as long as it is rendered. What has `data-autofocus` gets the focus, else the first control. */
export function Dialog({
  title,
  text,
  tile,
  tone = 'normal',
  width,
  onClose,
  footer,
  children,
}: DialogProps) {
  const id = useId();
  const dialog = useOpenDialog(onClose);
  return (
    <dialog
      ref={dialog}
      className={classNames('dlg', tone === 'production' && 'dlg--prod')}
      aria-labelledby={id}
      style={width === undefined ? undefined : cssVars({ w: `${width}px` })}
      onKeyDown={sendByKeys}
    >
      <div className="dlg__h">
        {tile}
        <div className="grow">
          <h2 id={id}>{title}</h2>
          {text !== undefined && <p className="t13 muted">{text}</p>}
        </div>
        {onClose !== undefined && (
          <Button tone="ghost" size="sm" icon="x" label={words.close} onClick={onClose} />
        )}
      </div>
      {children !== undefined && <div className="dlg__b">{children}</div>}
      {footer !== undefined && <div className="dlg__f">{footer}</div>}
    </dialog>
  );
}

/** Ctrl+Enter presses the button that sends, also from a field of several lines; where it is disabled, nothing happens. */
function sendByKeys(event: KeyboardEvent<HTMLDialogElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.currentTarget.querySelector<HTMLButtonElement>('button[type="submit"]')?.click();
}

/** For anything that is a `dialog` of another look: a sheet, the palette. */
export function useOpenDialog(onClose: (() => void) | undefined) {
  const ref = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  // A layout effect is undone while the dialog is still in the page; later, the focus could not be given back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return undefined;
    const onCancel = (event: Event) => {
      // Who rendered it takes it away; the browser must not be first.
      event.preventDefault();
      close.current?.();
    };
    // A second Escape cannot be prevented in some browsers.
    const onClosed = () => {
      if (dialog.open || !dialog.isConnected) return;
      if (close.current === undefined) dialog.showModal();
      else close.current();
    };
    dialog.addEventListener('cancel', onCancel);
    dialog.addEventListener('close', onClosed);
    dialog.showModal();
    firstFocus(dialog)?.focus();
    return () => {
      dialog.removeEventListener('cancel', onCancel);
      dialog.removeEventListener('close', onClosed);
      // Closing it before it leaves the page gives the focus back.
      dialog.close();
    };
  }, []);
  return ref;
}

function firstFocus(dialog: HTMLDialogElement): HTMLElement | null {
  const controls = 'input:not([type="hidden"]), textarea, select, button, a[href]';
  return (
    dialog.querySelector<HTMLElement>('[data-autofocus]') ??
    dialog.querySelector<HTMLElement>(`.dlg__b :is(${controls})`) ??
    dialog.querySelector<HTMLElement>(`.dlg__f :is(${controls})`)
  );
}
