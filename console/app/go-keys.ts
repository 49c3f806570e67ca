// `g` and a letter go to a page.
import { useEffect, useRef } from 'react';
import { useKeys } from '../ui/keys.ts';

const PLACES: Readonly<Record<string, string>> = {
  h: '/',
  f: '/flags',
  r: '/runs',
  c: '/code',
  t: '/account/tokens',
  m: '/account/members',
  l: '/account/audit',
};

/** How long the second key is waited for. */
const WAIT_MS = 1500;

/** The second key is listened for at once, before the page can draw: somebody who knows the keys types both in a blink. */
export function useGoKeys(navigate: (path: string) => void): void {
  const waiting = useRef<AbortController>(undefined);
  useEffect(() => () => waiting.current?.abort(), []);
  useKeys({
    g: () => {
      waiting.current?.abort();
      const control = new AbortController();
      waiting.current = control;
      setTimeout(() => control.abort(), WAIT_MS);
      const onNext = (event: KeyboardEvent) => {
        control.abort();
        const path = PLACES[event.key];
        if (path === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        // Of the page, the same letter means something else.
        event.preventDefault();
        event.stopImmediatePropagation();
        navigate(path);
      };
      addEventListener('keydown', onNext, { capture: true, signal: control.signal });
    },
  });
}
