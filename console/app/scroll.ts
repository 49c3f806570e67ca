// Going back shows a page as it was left: scrolled, with the focus where it was. What was read is still in the cache.
import { useLayoutEffect } from 'react';
import { useLocation } from 'wouter';

interface Place {
  y: number;
  /** The address of the link that had the focus. */
  focus?: string;
}

const places = new Map<string, Place>();
/** Rows may still be drawn when the page is. */
const TRIES = 20;

/** Browsers that do not number their entries know a place by its address. */
function entryKey(): string {
  const { navigation } = window as { navigation?: { currentEntry?: { key: string } } };
  return navigation?.currentEntry?.key ?? location.href;
}

let current = '';
let isBack = false;

function remember(): void {
  const focused = document.activeElement;
  const href = focused instanceof HTMLAnchorElement ? focused.getAttribute('href') : null;
  places.set(current, { y: scrollY, ...(href !== null && { focus: href }) });
}

history.scrollRestoration = 'manual';
addEventListener('scroll', remember, { passive: true });
document.addEventListener('focusin', remember);
addEventListener('popstate', () => (isBack = true), { capture: true });

export function useScrollMemory(): void {
  const [path] = useLocation();
  useLayoutEffect(() => {
    current = entryKey();
    const place = isBack ? places.get(current) : undefined;
    isBack = false;
    if (place === undefined) scrollTo(0, 0);
    else restore(place, TRIES);
  }, [path]);
}

function restore(place: Place, tries: number): void {
  const link =
    place.focus === undefined
      ? null
      : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(place.focus)}"]`);
  const isReady =
    document.documentElement.scrollHeight >= place.y + innerHeight &&
    (place.focus === undefined || link !== null);
  if (!isReady && tries > 0) return void requestAnimationFrame(() => restore(place, tries - 1));
  link?.focus({ preventScroll: true });
  scrollTo(0, place.y);
}
