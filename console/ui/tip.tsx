// A tip: a short text that appears beside what is pointed at or focused: the reason why a button is off, the exact
// time behind "2 h ago". It stays while the pointer is on it, and Escape takes it away.
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { placeBeside } from './place.ts';

/** Long enough to move the pointer from the anchor to the tip. */
const lingering = 120;

export interface TipAnchorProps {
  'aria-describedby': string | undefined;
  onPointerEnter: (event: React.PointerEvent<HTMLElement>) => void;
  onPointerLeave: () => void;
  onFocus: (event: React.FocusEvent<HTMLElement>) => void;
  onBlur: () => void;
  onKeyDown: (event: React.KeyboardEvent<HTMLElement>) => void;
}

export interface Tip {
  anchorProps: TipAnchorProps;
  /** Shows the tip at once, for a tap. */
  showAt: (anchor: HTMLElement) => void;
  /** To be rendered beside the anchor. */
  element: ReactNode;
}

/** There is none where there is no text. `isLazy` leaves it out of the page until it is shown, for lists with hundreds of tips. */
export function useTip(text: string | undefined, { isLazy = false } = {}): Tip {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const anchor = useRef<HTMLElement>(null);
  const box = useRef<HTMLSpanElement>(null);
  const hiding = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    const element = box.current;
    if (!isShown || element === null || anchor.current === null) return undefined;
    element.showPopover();
    const { current } = anchor;
    placeBeside(element, current, 'center');
    const { top, left } = current.getBoundingClientRect();
    // Browsers tell of a scroll after it: one that brought the anchor here is over.
    const hide = () => {
      const now = current.getBoundingClientRect();
      if (now.top !== top || now.left !== left) setIsShown(false);
    };
    window.addEventListener('scroll', hide, { passive: true, capture: true });
    return () => {
      window.removeEventListener('scroll', hide, { capture: true });
      if (element.isConnected) element.hidePopover();
    };
  }, [isShown]);
  useEffect(() => () => clearTimeout(hiding.current), []);

  const showAt = (element: HTMLElement) => {
    clearTimeout(hiding.current);
    anchor.current = element;
    setIsShown(true);
  };
  const hideSoon = () => {
    clearTimeout(hiding.current);
    hiding.current = setTimeout(() => setIsShown(false), lingering);
  };
  if (text === undefined && isShown) setIsShown(false);
  const isInPage = text !== undefined && (!isLazy || isShown);

  return {
    showAt,
    anchorProps: {
      'aria-describedby': isInPage ? id : undefined,
      onPointerEnter: (event) => {
        if (event.pointerType === 'mouse') showAt(event.currentTarget);
      },
      onPointerLeave: hideSoon,
      onFocus: (event) => {
        if (event.currentTarget.matches(':focus-visible')) showAt(event.currentTarget);
      },
      onBlur: hideSoon,
      onKeyDown: (event) => {
        if (event.key !== 'Escape' || !isShown) return;
        // Only the tip goes, not the dialog around it.
        event.preventDefault();
        setIsShown(false);
      },
    },
    element: isInPage ? (
      <span
        ref={box}
        id={id}
        className="tip"
        role="tooltip"
        popover="manual"
        onPointerEnter={() => clearTimeout(hiding.current)}
        onPointerLeave={hideSoon}
      >
        {text}
      </span>
    ) : null,
  };
}
