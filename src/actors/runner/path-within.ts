// Whether one path is inside another.
import { isAbsolute, relative } from 'node:path';

/** Also for the folder itself. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
