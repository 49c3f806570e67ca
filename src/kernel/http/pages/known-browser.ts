// Browsers in which a member has logged in before. Guesses from others are limited for each account, and must not lock its owner out.
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Kernel } from '../../kernel.ts';
import { readCookie, writeCookie } from '../../identity/sessions/own-cookies.ts';
import { hashSecret } from '../../secrets/secret.ts';
import { ACCOUNT_CATEGORY, BROWSER_CATEGORY } from './login-quotas.ts';

const COOKIE = 'signalbox_known';
const PURPOSE = 'known browsers';
const KNOWN_SECONDS = 180 * 24 * 60 * 60;
const NONCE = /^[\w-]{22}$/;

type Signing = Pick<Kernel, 'secrets' | 'publicUrl'>;

/** The value of `set-cookie` that lets the server know this browser again. It opens nothing. */
export function knownBrowserCookie({ secrets, publicUrl }: Signing, memberId: string): string {
  const nonce = randomBytes(16).toString('base64url');
  return writeCookie(
    publicUrl,
    COOKIE,
    `${nonce}.${secrets.sign(PURPOSE, signedText(memberId, nonce))}`,
    KNOWN_SECONDS,
  );
}

/**
 * The limit that an attempt to log in counts against. A name that nobody has is limited as one that somebody has: otherwise the limit
 * would tell which accounts there are.
 */
export function budgetOfAttempt(
  { secrets, publicUrl }: Signing,
  { cookie }: IncomingHttpHeaders,
  { name, memberId }: { name: string; memberId: string | undefined },
): string {
  const [nonce = '', signature = ''] = (readCookie(cookie, publicUrl, COOKIE) ?? '').split('.', 2);
  const isKnown =
    memberId !== undefined &&
    NONCE.test(nonce) &&
    secrets.verify(PURPOSE, signedText(memberId, nonce), signature);
  return isKnown ? `${BROWSER_CATEGORY}:${nonce}` : `${ACCOUNT_CATEGORY}:${memberId ?? hashSecret(name)}`;
}

function signedText(memberId: string, nonce: string): string {
  return JSON.stringify([memberId, nonce]);
}
