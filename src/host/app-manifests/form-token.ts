// Tokens in the forms of pages: they bind what is sent to the session that saw the page, and to what the page showed.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';

const PURPOSE = 'app-forms';
const LIFETIME_MS = 60 * 60 * 1000;

/** `shown` is everything that the form is about. Two tokens for the same form differ, so that one can be good once. */
export function signForm(secrets: SecretBox, session: string, shown: readonly string[], now: number): string {
  const nonce = randomBytes(12).toString('base64url');
  const expiry = (now + LIFETIME_MS).toString(36);
  return `${expiry}.${nonce}.${signatureOf(secrets, [session, expiry, nonce, ...shown])}`;
}

export function isSignedForm(
  secrets: SecretBox,
  token: string,
  session: string,
  shown: readonly string[],
  now: number,
): boolean {
  const [expiry = '', nonce = '', signature = ''] = token.split('.', 3);
  if (!(Number.parseInt(expiry, 36) > now)) return false;
  const expected = Buffer.from(signatureOf(secrets, [session, expiry, nonce, ...shown]));
  const sent = Buffer.from(signature);
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

function signatureOf(secrets: SecretBox, parts: readonly string[]): string {
  return secrets.sign(PURPOSE, JSON.stringify(parts));
}
