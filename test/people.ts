// Creates members, tokens with any policy, and browser sessions for tests.
import type { KnownCaller } from '../src/kernel/identity/caller.ts';
import { insertMember, type Member, type NewMember } from '../src/kernel/identity/store-members.ts';
import { newSecret } from '../src/kernel/identity/secret.ts';
import { insertLoginLink } from '../src/kernel/identity/store-sessions.ts';
import { insertToken, TOKEN_PREFIX, type NewToken } from '../src/kernel/identity/store-tokens.ts';
import type { TestServer } from './server.ts';

export function join(
  { app: { kernel } }: TestServer,
  username: string,
  member: Partial<NewMember> = {},
): Promise<Member> {
  const email = `${username}@example.com`;
  return insertMember(kernel.db, { username, email, role: 'reader', ...member }, null, kernel.clock.now());
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

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Logs in by the one-time link; returns the cookie header of the browser. */
export async function openBrowser(
  { app: { kernel }, call, url }: TestServer,
  member: KnownCaller['member'],
): Promise<{ cookie: string }> {
  const link = await insertLoginLink(kernel.db, member, kernel.clock.now());
  const { headers } = await call('/session', {
    method: 'POST',
    token: null,
    headers: { ...FORM, origin: url },
    body: `link=${link}`,
  });
  return { cookie: headers.getSetCookie()[0]!.split(';')[0]! };
}
