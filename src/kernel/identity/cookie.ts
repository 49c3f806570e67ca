// Finds the session cookie among a request's cookies.
import type { Credential } from './caller.ts';
import { SESSION_COOKIE } from './store-sessions.ts';

/** The security scheme of sessions in OpenAPI. */
export const SESSION_SCHEME = {
  type: 'apiKey',
  in: 'cookie',
  name: SESSION_COOKIE,
  description: 'The session of somebody who has logged in with a browser',
};

/** Undefined if the cookie is absent or empty: some clients send an empty Cookie header with everything. */
export function cookieOf(cookies: string | undefined): Credential | undefined {
  for (const pair of cookies?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === SESSION_COOKIE && value !== '') return { kind: 'session', secret: value };
  }
  return undefined;
}
