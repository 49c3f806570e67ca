// The page of the repository that an Actor is built from.
import { ORIGIN } from '../api/server.ts';

/** Undefined for an address elsewhere. */
export function repositoryHref(address: string): string | undefined {
  if (!address.startsWith(`${ORIGIN}/`)) return undefined;
  const [owner, name] = address.slice(ORIGIN.length + 1).split(/[/#?]/);
  if (!owner || !name) return undefined;
  return `/code/${encodeURIComponent(owner)}/${encodeURIComponent(name.replace(/\.git$/, ''))}`;
}
