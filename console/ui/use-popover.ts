// The browser's own popover, opened by a button and placed beside it. The browser closes it when one presses
// elsewhere or Escape, and gives the focus back.
import { useEffect, useId, useRef, useState, type RefObject } from 'react';
import { placeBeside, type Alignment } from './place.ts';

export interface PopoverState<Box extends HTMLElement> {
  isOpen: boolean;
  close: () => void;
  /** For the button that opens it. */
  triggerProps: { popoverTarget: string; 'aria-expanded': boolean; 'aria-controls': string };
  boxProps: { ref: RefObject<Box | null>; id: string; popover: 'auto' };
}

export function usePopover<Box extends HTMLElement>(alignment: Alignment): PopoverState<Box> {
  const id = useId();
  const ref = useRef<Box>(null);
  const [isOpen, setIsOpen] = useState(false);

  useEffect(() => {
    const box = ref.current;
    if (box === null) return undefined;
    const onToggle = (event: Event) => setIsOpen(event instanceof ToggleEvent && event.newState === 'open');
    box.addEventListener('toggle', onToggle);
    return () => box.removeEventListener('toggle', onToggle);
  }, []);

  useEffect(() => {
    const box = ref.current;
    const trigger = document.querySelector(`[popovertarget="${CSS.escape(id)}"]`);
    if (!isOpen || box === null || trigger === null) return undefined;
    const place = () => placeBeside(box, trigger, alignment);
    place();
    window.addEventListener('resize', place);
    window.addEventListener('scroll', place, { passive: true, capture: true });
    return () => {
      window.removeEventListener('resize', place);
      window.removeEventListener('scroll', place, { capture: true });
    };
  }, [isOpen, id, alignment]);

  return {
    isOpen,
    close: () => ref.current?.hidePopover(),
    triggerProps: { popoverTarget: id, 'aria-expanded': isOpen, 'aria-controls': id },
    boxProps: { ref, id, popover: 'auto' },
  };
}
