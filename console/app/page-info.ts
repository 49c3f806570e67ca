// What the page that is shown says about itself: the way to it, which is also the title of the tab.
import { useEffect, useSyncExternalStore } from 'react';
import { CONSOLE } from '../api/server.ts';
import { rememberPage } from './recent-pages.ts';
import { WORDS } from './words.ts';

export interface Crumb {
  label: string;
  /** A path below the console; the last crumb needs none. */
  href?: string;
  /** A key or an id that can be copied. */
  copy?: string;
}

let crumbs: readonly Crumb[] = [];
const listeners = new Set<() => void>();

/** The most specific first in the title, so that tabs differ. */
export function usePageInfo(next: readonly Crumb[]): void {
  const text = JSON.stringify(next);
  useEffect(() => {
    crumbs = JSON.parse(text) as Crumb[];
    document.title = [...crumbs.map(({ label }) => label).reverse(), WORDS.product].join(' · ');
    const titles = crumbs.map(({ label }) => label);
    rememberPage({ href: location.pathname.slice(CONSOLE.length) || '/', title: titles.join(' / ') });
    for (const listener of listeners) listener();
  }, [text]);
}

export function useCrumbs(): readonly Crumb[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => crumbs,
  );
}
