// The member who is logged in with the browser that asks: the cookie of the session, and its second secret, which only pages of this server hold, because other ports of the host get the cookie too. ADR 0070.
import type { Kernel } from '../../kernel.ts';
import { Failure } from '../../failure.ts';
import type { KnownCaller, SessionIdentity, Credential } from '../caller.ts';
import { readCookie } from './own-cookies.ts';
import { type SessionRequest, isSessionLink } from './session-link.ts';
import { hashSecret, isSameSecret } from '../../secrets/secret.ts';

export const SESSION_COOKIE = 'signalbox_session';

/** Browsers let only scripts of this origin send it: it is in no list of headers that CORS allows. */
export const SESSION_HEADER = 'x-signalbox-session';

/** The security scheme of sessions in OpenAPI. */
export const SESSION_SCHEME = {
  type: 'apiKey',
  in: 'cookie',
  name: SESSION_COOKIE,
  description:
    'The session of somebody who has logged in with a browser; `__Host-signalbox_session` over HTTPS, and `__Secure-signalbox_session` below a path. ' +
    `Pages send the second secret of the session beside it, in the header \`${SESSION_HEADER}\``,
};

export interface SessionCaller {
  caller: KnownCaller;
  /** Names the session without opening it. */
  session: string;
}

type PageCall = Omit<SessionRequest, 'now'>;

/** Undefined where there is no session, one that has ended, or one that lacks its second secret where it is needed. */
export async function findSessionCaller(call: PageCall, kernel: Kernel): Promise<SessionCaller | undefined> {
  const found = await readSession(call, kernel);
  return found?.isComplete === true ? found : undefined;
}

/** What a cookie alone says is not to be trusted with anything: see `isComplete`. */
export async function readSession(
  { method, url, headers }: PageCall,
  kernel: Kernel,
): Promise<(SessionCaller & { isComplete: boolean }) | undefined> {
  const credential = cookieOf(headers.cookie, kernel.publicUrl);
  if (credential === undefined) return undefined;
  const now = kernel.clock.now();
  try {
    const caller = await kernel.identity.identify(credential, now);
    const session = caller.session!;
    const isComplete = await isCompleteSession({ method, url, headers, now }, session, kernel);
    return { caller, session: session.hash, isComplete };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}

/** Undefined without a session. */
export function cookieOf(cookies: string | undefined, publicUrl: string): Credential | undefined {
  const secret = readCookie(cookies, publicUrl, SESSION_COOKIE);
  return secret === undefined ? undefined : { kind: 'session', secret };
}

/** Whether more than the cookie speaks for the session, or nothing more is needed. */
export function isCompleteSession(
  request: SessionRequest,
  session: SessionIdentity,
  kernel: Pick<Kernel, 'isPageSecretRequired' | 'secrets'>,
): boolean | Promise<boolean> {
  const sent = request.headers[SESSION_HEADER];
  if (isPageSecret(sent, session) || isSessionLink(request, session, kernel.secrets)) return true;
  const isRequired = kernel.isPageSecretRequired();
  return typeof isRequired === 'boolean' ? !isRequired : isRequired.then((required) => !required);
}

function isPageSecret(sent: string | string[] | undefined, { pageHash }: SessionIdentity): boolean {
  return typeof sent === 'string' && pageHash !== null && isSameSecret(hashSecret(sent), pageHash);
}
