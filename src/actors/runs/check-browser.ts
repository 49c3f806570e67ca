// Against CSRF where reading has effects: browsers send the session with links of any site.
import { Failure } from '../../kernel/failure.ts';
import type { Caller } from '../../kernel/identity/caller.ts';

/**
 * With a session, a request that starts something must come from this server's own pages, or from the address bar. Pages of
 * programs are no pages of this server: they have no origin.
 */
export function checkBrowser(
  { caller, headers }: { caller: Caller; headers: Record<string, string | string[] | undefined> },
  publicUrl: string,
): void {
  if (caller.kind !== 'session') return;
  const site = headers['sec-fetch-site'];
  const isOwn =
    site === undefined
      ? headers['origin'] === new URL(publicUrl).origin
      : site === 'same-origin' || site === 'none';
  if (isOwn) return;
  throw new Failure(
    'forbidden',
    'With a session, this can be called from pages of this server and from the address bar of a browser only. Use an access token elsewhere.',
  );
}
