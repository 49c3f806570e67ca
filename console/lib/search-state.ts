// The state of a list in the query of its address: filters, what is open, how far it was read.
import { useCallback, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';

/** A value that is undefined or empty leaves the address. */
export type SearchPatch = Readonly<Record<string, string | undefined>>;

export interface SearchState {
  get: (name: string) => string | undefined;
  /** A filter is no step back of its own; `isStep` is for what one would go back from. */
  set: (patch: SearchPatch, options?: { isStep?: boolean }) => void;
  /** A link to the same list with this changed. */
  href: (patch: SearchPatch) => string;
}

export function useSearchState(page: string): SearchState {
  const [params, setParams] = useSearchParams();
  const text = params.toString();
  const href = useCallback(
    (patch: SearchPatch) => {
      const query = patched(text, patch).toString();
      return query === '' ? page : `${page}?${query}`;
    },
    [page, text],
  );
  const set = useCallback(
    (patch: SearchPatch, { isStep = false } = {}) =>
      setParams((present) => patched(present.toString(), patch), { replace: !isStep }),
    [setParams],
  );
  return { get: (name) => params.get(name) || undefined, set, href };
}

function patched(text: string, patch: SearchPatch): URLSearchParams {
  const params = new URLSearchParams(text);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === '') params.delete(name);
    else params.set(name, value);
  }
  return params;
}

const TYPING_MS = 250;

/** What is typed reaches the address a moment later, and what another link put there reaches the field. */
export function useTypedFilter({ get, set }: SearchState, name = 'q'): [string, (text: string) => void] {
  const present = get(name) ?? '';
  const [typed, setTyped] = useState(present);
  const [seen, setSeen] = useState(present);
  if (seen !== present) {
    setSeen(present);
    setTyped(present);
  }
  useEffect(() => {
    if (typed === present) return undefined;
    const timer = setTimeout(() => {
      setSeen(typed);
      set({ [name]: typed, rows: undefined });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, present, set, name]);
  return [typed, setTyped];
}
