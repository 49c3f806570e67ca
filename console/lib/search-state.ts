// The state of a list in the query of its address: filters, what is open, how far it was read.
import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** A value that is undefined or empty leaves the address. */
export type SearchPatch = Readonly<Record<string, string | undefined>>;

export interface SearchState {
  get: (name: string) => string | undefined;
  /** Each filter is no step back of its own: `push` is for what one would go back from. */
  set: (patch: SearchPatch, options?: { push?: boolean }) => void;
  /** A link to the same list with this changed. */
  href: (patch: SearchPatch) => string;
}

export function useSearchState(page: string): SearchState {
  const [params, setParams] = useSearchParams();
  const text = params.toString();
  const href = useCallback((patch: SearchPatch) => withQuery(page, text, patch), [page, text]);
  return {
    get: (name) => params.get(name) || undefined,
    set: (patch, { push = false } = {}) =>
      setParams((present) => patched(present.toString(), patch), { replace: !push }),
    href,
  };
}

function patched(text: string, patch: SearchPatch): URLSearchParams {
  const params = new URLSearchParams(text);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === '') params.delete(name);
    else params.set(name, value);
  }
  return params;
}

function withQuery(page: string, text: string, patch: SearchPatch): string {
  const query = patched(text, patch).toString();
  return query === '' ? page : `${page}?${query}`;
}
