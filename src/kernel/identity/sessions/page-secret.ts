// The second secret of a session, which only pages of this server hold: other ports of the host get the cookie, but not this. ADR 0070.
import type { Kernel } from '../../kernel.ts';
import type { SessionIdentity } from '../caller.ts';
import { hashSecret, isSameSecret } from '../../secrets/secret.ts';
import { isSessionLink, type SessionRequest } from './session-link.ts';

/** Browsers let only scripts of this origin send it: it is in no list of headers that CORS allows. */
export const SESSION_HEADER = 'x-signalbox-session';

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
