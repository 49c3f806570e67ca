// `#L120-L140` in the address: the lines that somebody points at.
import { useSyncExternalStore } from 'react';
import { parseRange, type LineRange } from './parse-range.ts';

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('hashchange', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('hashchange', listener);
  };
}

function formatRange({ from, to }: LineRange): string {
  return from === to ? `#L${from}` : `#L${from}-L${to}`;
}

/** A path on this server, for a link: the base of the page is another address. */
export function hrefOfRange(range: LineRange): string {
  return location.pathname + location.search + formatRange(range);
}

export function useLineRange(): LineRange | undefined {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return parseRange(hash);
}

/** Pointing at lines is no step back of its own. */
export function pointAt(range: LineRange | undefined): void {
  const address = range === undefined ? location.pathname + location.search : hrefOfRange(range);
  history.replaceState(history.state, '', address);
  for (const listener of listeners) listener();
}
