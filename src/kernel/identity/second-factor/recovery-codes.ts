// Recovery codes: each lets a member in once instead of a code of the authenticator app, for the day on which the phone is lost.
import { randomBytes } from 'node:crypto';

const CODES = 10;
/** Without letters and digits that look alike: five bits each, and 80 in a code, which cannot be guessed from its hash. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 16;

export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () =>
    [...randomBytes(LENGTH)]
      .map((byte) => ALPHABET[byte % 32])
      .join('')
      .replaceAll(/(.{4})(?=.)/g, '$1-'),
  );
}

/** As it was given out, however it was typed. Undefined for what cannot be one. */
export function recoveryCodeOf(typed: string): string | undefined {
  const letters = typed.toLowerCase().replaceAll(/[\s-]/g, '');
  return new RegExp(`^[${ALPHABET}]{${LENGTH}}$`).test(letters)
    ? letters.replaceAll(/(.{4})(?=.)/g, '$1-')
    : undefined;
}
