// Codes of authenticator apps: six digits that change every thirty seconds (RFC 6238).
import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../secrets/secret.ts';

const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** Codes of the step before and after count too: clocks of phones are not exact, and people type slowly. */
const TOLERANCE = [0, -1, 1];
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32, as apps take it when it is typed. */
export function newTotpSecret(): string {
  return [...randomBytes(SECRET_BYTES * 2)]
    .slice(0, (SECRET_BYTES * 8) / 5)
    .map((byte) => BASE32[byte % 32])
    .join('');
}

/** What apps read from a picture. `issuer` says in the app which server it is for. */
export function totpAddress(
  secret: string,
  { issuer, account }: { issuer: string; account: string },
): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const query = `secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
  return `otpauth://totp/${label}?${query}`;
}

/** The step that the code is of; undefined where it is wrong, or of a step that was used before. */
export function findTotpStep(
  secret: string,
  code: string,
  now: number,
  lastStep: number,
): number | undefined {
  const current = Math.floor(now / STEP_MS);
  let found: number | undefined;
  // All are compared, so that the time does not tell which one it was.
  for (const distance of TOLERANCE) {
    const step = current + distance;
    if (isSameSecret(code, totpCode(secret, step)) && step > lastStep) found = step;
  }
  return found;
}

/** The code of one step: the dynamic truncation of RFC 4226. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  const offset = digest[digest.length - 1]! & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

export function totpStepAt(now: number): number {
  return Math.floor(now / STEP_MS);
}

function decodeBase32(text: string): Buffer {
  const bytes: number[] = [];
  let [buffer, bits] = [0, 0];
  for (const letter of text) {
    buffer = (buffer << 5) | BASE32.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 0xff);
    buffer &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}
