// Where in a repository the page is.
import { usePathname } from 'wouter/use-browser-location';
import { CONSOLE } from '../api/server.ts';
import { readPlace, type CodePlace } from './place.ts';

export function usePlace(): CodePlace {
  return readPlace(usePathname().slice(CONSOLE.length));
}
