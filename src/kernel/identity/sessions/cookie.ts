// Finds the session cookie among a request's cookies.
import type { Credential } from '../caller.ts';
import { SESSION_HEADER } from './page-secret.ts';

const SESSION_COOKIE = 'signalbox_session';

/** Browsers accept a name that begins with `__Host-` only over HTTPS, for all paths and for one host. */
export function sessionCookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
}

/** The security scheme of sessions in OpenAPI. */
export const SESSION_SCHEME = {
  type: 'apiKey',
  in: 'cookie',
  name: SESSION_COOKIE,
  description:
    'The session of somebody who has logged in with a browser; `__Host-signalbox_session` over HTTPS. ' +
    `Pages send the second secret of the session beside it, in the header \`${SESSION_HEADER}\``,
};

/** Undefined if the cookie is absent or empty: some clients send an empty Cookie header with everything. */
export function cookieOf(cookies: string | undefined, publicUrl: string): Credential | undefined {
  const wanted = sessionCookieName(publicUrl);
  for (const pair of cookies?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === wanted && value !== '') return { kind: 'session', secret: value };
  }
  return undefined;
}
