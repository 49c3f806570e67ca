// What opens for typing has the focus in its first field.
import { useEffect, useRef } from 'react';

/** For the element around the fields. */
export function useFirstFocus<Box extends HTMLElement>() {
  const box = useRef<Box>(null);
  useEffect(() => {
    const first =
      box.current?.querySelector<HTMLElement>('[data-first]') ?? box.current?.querySelector('input');
    first?.focus();
  }, []);
  return box;
}
