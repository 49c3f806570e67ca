// Opens and ends the sessions of browsers, for the pages of the login and for calls of the console.
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../failure.ts';
import { anonymousAt } from '../../identity/caller.ts';
import { writeCookie } from '../../identity/sessions/own-cookies.ts';
import { cookieOf, SESSION_COOKIE } from '../../identity/sessions/session-caller.ts';
import { spendLoginLink } from '../../identity/sessions/store-login-links.ts';
import { deleteSession, insertSession, SESSION_MS } from '../../identity/sessions/store-sessions.ts';
import { findLogin, type Member } from '../../identity/store-members.ts';
import type { Kernel } from '../../kernel.ts';
import { isPassword } from '../../secrets/secret.ts';
import { charge, refundBudget } from './charge.ts';
import { LOGIN_CATEGORY } from './login-quotas.ts';
import { budgetOfAttempt, knownBrowserCookie } from './known-browser.ts';
import type { ArrivingMember } from './login-challenge.ts';

/** A browser that logs in. */
export interface Visitor {
  address: string;
  headers: IncomingHttpHeaders;
}

export interface OpenedSession {
  /** The second secret, for pages of this server. */
  pageSecret: string;
  /** The values of `set-cookie`. */
  cookies: string[];
  expiresAt: number;
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
  { address, headers }: Visitor,
  { name, password }: { name: string; password: string },
): Promise<Member | undefined> {
  await chargeLoginAttempt(kernel, address);
  const login = await findLogin(kernel.db, name);
  const budget = budgetOfAttempt(kernel, headers, { name, memberId: login?.member.id });
  await charge(
    kernel,
    budget,
    'everyone',
    'Too many wrong passwords for this account. Log in with a browser in which you have logged in before, or by a link.',
  );
  if (!(await isPassword(password, login?.password ?? null))) return undefined;
  refundBudget(kernel, budget, 'everyone');
  return login!.member;
}

/** Counts an attempt to guess a password, and refuses it where there are too many. */
export function chargeLoginAttempt(kernel: Kernel, address: string): Promise<void> {
  return charge(kernel, LOGIN_CATEGORY, anonymousAt(address), 'Too many tries from this address.');
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
  const cookies = [cookieFor(kernel, secret, SESSION_MS / 1000), knownBrowserCookie(kernel, member.id)];
  return { pageSecret, cookies, expiresAt: now + SESSION_MS };
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
  return writeCookie(publicUrl, SESSION_COOKIE, secret, seconds);
}

/** Does not log the name: people type their passwords into that field. */
export function logRefusal({ log }: Kernel, { address }: Pick<Visitor, 'address'>, status: number): void {
  log.info({ route: 'session', status, address }, 'login refused');
}

/** Another site must not log its visitor in as a different user. */
export function isOwnOrigin({ headers }: Pick<Visitor, 'headers'>, { publicUrl }: Kernel): boolean {
  return headers.origin === new URL(publicUrl).origin;
}
