// Opens and ends the sessions of browsers, for the pages of the login and for calls of the console.
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../failure.ts';
import { anonymousAt } from '../../identity/caller.ts';
import { cookieOf, sessionCookieName } from '../../identity/sessions/session-caller.ts';
import { spendLoginLink, type LinkPurpose } from '../../identity/sessions/store-login-links.ts';
import { deleteSession, insertSession, SESSION_MS } from '../../identity/sessions/store-sessions.ts';
import { checkPassword, type Member } from '../../identity/store-members.ts';
import type { Kernel } from '../../kernel.ts';
import { retrySeconds, type Quota } from '../../limits/window.ts';

/** The limit on password attempts from one address: against guessing, and because each attempt costs much time. */
export const LOGIN_CATEGORY = 'login';
export const LOGIN_QUOTA: Quota = { anonymous: 10, known: 10, seconds: 60 };

/** A browser that logs in. */
export interface Visitor {
  address: string;
  headers: IncomingHttpHeaders;
}

export interface OpenedSession {
  /** The second secret, for pages of this server. */
  pageSecret: string;
  /** The value of `set-cookie`. */
  cookie: string;
  expiresAt: number;
}

/** Who logs in. */
export interface ArrivingMember extends Member {
  /** What the link is for that lets them in; absent where it is a password. */
  link?: LinkPurpose;
}

/** Uses up the link. */
export async function memberByLink({ db, clock }: Kernel, link: string): Promise<ArrivingMember> {
  const spent = await spendLoginLink(db, link, clock.now());
  if (spent !== undefined) return { ...spent.member, link: spent.purpose };
  throw new Failure('unauthenticated', 'This link has been used, or its time is over.');
}

/** Undefined where the name or the password is wrong. Counts the attempt first. */
export async function memberByPassword(
  kernel: Kernel,
  { address }: Visitor,
  { name, password }: { name: string; password: string },
): Promise<Member | undefined> {
  await chargeLoginAttempt(kernel, address);
  return await checkPassword(kernel.db, name, password);
}

/** Counts an attempt to guess a password, and refuses it where there are too many. */
export async function chargeLoginAttempt({ limits, clock }: Kernel, address: string): Promise<void> {
  if (!limits.enabled) return;
  const now = clock.now();
  const caller = anonymousAt(address);
  if ((await limits.consume(LOGIN_CATEGORY, caller, now)) !== undefined) return;
  const seconds = retrySeconds(limits.peek(LOGIN_CATEGORY, caller, now), now);
  throw new Failure('exhausted', `Too many tries from this address. Try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

export async function openSession(
  kernel: Kernel,
  { address, headers }: Visitor,
  member: ArrivingMember,
): Promise<OpenedSession> {
  const { db, clock, log } = kernel;
  log.info({ route: 'session', status: 200, caller: member.username, address }, 'logged in');
  const now = clock.now();
  const agent = headers['user-agent'] ?? null;
  const { secret, pageSecret } = await insertSession(db, member, now, { address, agent }, member.link);
  return { pageSecret, cookie: cookieFor(kernel, secret, SESSION_MS / 1000), expiresAt: now + SESSION_MS };
}

/** Resolves with the value of `set-cookie` that removes the cookie. */
export async function endSession(kernel: Kernel, { headers }: Pick<Visitor, 'headers'>): Promise<string> {
  const credential = cookieOf(headers.cookie, kernel.publicUrl);
  if (credential !== undefined) {
    await deleteSession(kernel.db, credential.secret);
    await kernel.identity.invalidate();
  }
  return cookieFor(kernel, '', 0);
}

function cookieFor({ publicUrl }: Kernel, secret: string, seconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${sessionCookieName(publicUrl)}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/** Does not log the name: people type their passwords into that field. */
export function logRefusal({ log }: Kernel, { address }: Pick<Visitor, 'address'>, status: number): void {
  log.info({ route: 'session', status, address }, 'login refused');
}

/** Another site must not log its visitor in as a different user. */
export function isOwnOrigin({ headers }: Pick<Visitor, 'headers'>, { publicUrl }: Kernel): boolean {
  return headers.origin === new URL(publicUrl).origin;
}
