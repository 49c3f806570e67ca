// Creates members, tokens with any policy, and browser sessions for tests.
import { randomBytes, scrypt, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import type { KnownCaller } from '../src/kernel/identity/caller.ts';
import { insertMember, type Member, type NewMember } from '../src/kernel/identity/store-members.ts';
import { newSecret } from '../src/kernel/secrets/secret.ts';
import { insertLoginLink } from '../src/kernel/identity/sessions/store-login-links.ts';
import { insertToken, TOKEN_PREFIX, type NewToken } from '../src/kernel/identity/store-tokens.ts';
import type { Answer, TestServer } from './server.ts';

export function join(
  { app: { kernel } }: TestServer,
  username: string,
  member: Partial<NewMember> = {},
): Promise<Member> {
  const email = `${username}@example.com`;
  return insertMember(kernel.db, { username, email, role: 'reader', ...member }, null, kernel.clock.now());
}

/** As a password is stored, at a cost for tests: what is stored says how it was derived. */
export async function quickHashOf(password: string): Promise<string> {
  const [N, r, p] = [1024, 8, 1];
  const salt = randomBytes(16);
  const key = await promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)(password, salt, 32, {
    N,
    r,
    p,
  });
  return `scrypt$${N}$${r}$${p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/** Inserts a token directly, without the checks of the API. */
export async function giveToken(
  { app: { kernel } }: TestServer,
  { id: memberId }: Member,
  token: Partial<NewToken>,
): Promise<{ id: string; value: string }> {
  const secret = newSecret(TOKEN_PREFIX);
  const usual = { memberId, isService: false, name: 'given', description: '', customRoles: [] };
  const { id } = await insertToken(kernel.db, { ...usual, ...token }, secret, kernel.clock.now());
  return { id, value: secret.value };
}

/** A type, and no interface, so that it is a record of headers. */
export type BrowserHeaders = { cookie: string; 'x-signalbox-session': string };

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Logs in by the one-time link; returns the headers that pages of the browser send: the cookie, and the session's second secret. */
export async function openBrowser(
  { app: { kernel }, call, url }: TestServer,
  member: KnownCaller['member'],
): Promise<BrowserHeaders> {
  const link = await insertLoginLink(kernel.db, member, kernel.clock.now());
  const login = await call('/session', {
    method: 'POST',
    token: null,
    headers: { ...FORM, origin: url },
    body: `link=${link}`,
  });
  return browserHeadersOf(login);
}

/** From the answer to a login. */
export function browserHeadersOf({ headers, text }: Pick<Answer, 'headers' | 'text'>): BrowserHeaders {
  const [, secret] = /data-secret="(\w+)"/.exec(text)!;
  const opened = headers.getSetCookie().find((cookie) => /^(?:__Host-)?signalbox_session=/.test(cookie));
  return { cookie: opened!.split(';')[0]!, 'x-signalbox-session': secret! };
}
