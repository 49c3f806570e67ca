// `g` and a letter go to a page.
import { useEffect, useState } from 'react';
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

export function useGoKeys(navigate: (path: string) => void): void {
  const [isGoing, setGoing] = useState(false);
  useKeys({ g: () => setGoing(true) });
  const go = (path: string) => () => {
    setGoing(false);
    navigate(path);
  };
  useKeys(Object.fromEntries(Object.entries(PLACES).map(([key, path]) => [key, go(path)])), {
    isOn: isGoing,
  });
  useEffect(() => {
    if (!isGoing) return undefined;
    const timer = setTimeout(() => setGoing(false), WAIT_MS);
    return () => clearTimeout(timer);
  }, [isGoing]);
}
