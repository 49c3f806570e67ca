// The corner where toasts appear. A toast goes after eight seconds, which do not run while the pointer or the
// focus is on one.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { announce } from './announce.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import { currentToasts, dismissToast, onToastsChange, type Toast } from './toast-store.ts';
import { words } from './words.ts';

export { toast } from './toast-store.ts';

const showingTime = 8000;

/** Stands once in the page, in the shell. */
export function Toasts() {
  const toasts = useSyncExternalStore(onToastsChange, currentToasts);
  return toasts.length === 0 ? null : <ToastCorner toasts={toasts} />;
}

function ToastCorner({ toasts }: { toasts: readonly Toast[] }) {
  const [isHeld, setIsHeld] = useState(false);
  const box = useRef<HTMLElement>(null);
  const newest = toasts.at(-1)?.id;

  // Shown again for each new one, for then it lies above a dialog that was opened since.
  useEffect(() => {
    const corner = box.current;
    corner?.showPopover();
    return () => corner?.hidePopover();
  }, [newest]);

  return (
    // Pointing at it does nothing but keep it there.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={box}
      className="toasts"
      popover="manual"
      aria-label={words.notifications}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      {toasts.map((shown) => (
        <ToastBox key={shown.id} toast={shown} isHeld={isHeld} />
      ))}
    </section>
  );
}

function ToastBox({ toast: shown, isHeld }: { toast: Toast; isHeld: boolean }) {
  const { id, text, action, tone = 'ok' } = shown;
  const isFailure = tone === 'bad';
  const close = () => dismissToast(id);

  useEffect(() => announce(text, isFailure ? 'assertive' : 'polite'), [text, isFailure]);
  useEffect(() => {
    if (isFailure || isHeld) return undefined;
    const timer = setTimeout(() => dismissToast(id), showingTime);
    return () => clearTimeout(timer);
  }, [id, isFailure, isHeld]);

  return (
    <div className={classNames('toast', isFailure && 'toast--bad')}>
      <Icon name={isFailure ? 'err' : 'ok'} />
      <span>{text}</span>
      {action !== undefined && (
        <Button
          size="xs"
          onClick={() => {
            close();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button size="xs" icon="x" label={words.close} onClick={close} />
    </div>
  );
}
