// The call that the form on the page would make, for the API drawer.
import { useEffect, useSyncExternalStore } from 'react';
import type { Call } from '../api/call.ts';

let draft: Call | undefined;
const listeners = new Set<() => void>();

function set(next: Call | undefined): void {
  draft = next;
  for (const listener of listeners) listener();
}

/** Said by a form while it is open. */
export function useSayDraft(call: Call | undefined): void {
  const text = call === undefined ? undefined : JSON.stringify(call);
  useEffect(() => {
    set(text === undefined ? undefined : (JSON.parse(text) as Call));
    return () => set(undefined);
  }, [text]);
}

export function draftCall(): Call | undefined {
  return draft;
}

export function useDraftCall(): Call | undefined {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, draftCall);
}
