// What is searched for, in the address of the page; what is typed gets there after a pause.
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { KINDS } from '../app/search.ts';

/** Long enough that a word is typed, short enough that nobody waits for it. */
const PAUSE_MS = 120;
/** As the API takes it. */
const MAX_LENGTH = 500;

export function useSearchState() {
  const [params, setParams] = useSearchParams();
  const q = (params.get('q') ?? '').slice(0, MAX_LENGTH);
  const asked = params.get('kinds')?.split(',') ?? [];
  const kinds = KINDS.map(({ kind }) => kind).filter((kind) => asked.includes(kind));
  const [typed, setTyped] = useState(q);
  const [shown, setShown] = useState(q);
  // The address has become another one, by a link or by going back.
  if (q !== shown) {
    setShown(q);
    setTyped(q);
  }

  const set = (name: string, value: string) =>
    setParams(
      (present) => {
        const next = new URLSearchParams(present);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );

  useEffect(() => {
    if (typed === q) return undefined;
    const timer = setTimeout(() => {
      setShown(typed);
      set('q', typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });

  return {
    q,
    kinds,
    typed,
    setTyped: (text: string) => setTyped(text.slice(0, MAX_LENGTH)),
    setKinds: (next: readonly string[]) => set('kinds', next.join(',')),
  };
}
