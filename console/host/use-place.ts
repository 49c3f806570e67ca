// Where in a repository the page is.
import { useMemo } from 'react';
import { usePathname } from 'wouter/use-browser-location';
import { CONSOLE } from '../api/server.ts';
import { readPlace, type CodePlace } from './place.ts';

export function usePlace(): CodePlace {
  const path = usePathname().slice(CONSOLE.length);
  return useMemo(() => readPlace(path), [path]);
}
