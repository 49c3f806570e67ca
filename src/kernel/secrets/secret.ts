// Secrets: 256 random bits with a readable prefix, stored only as a hash; passwords, hashed by scrypt.
import { hash, randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

export interface Secret {
  /** The secret itself; shown once. */
  value: string;
  hash: string;
  /** The last characters, by which people recognise a secret. */
  ending: string;
}

export function newSecret(prefix: string): Secret {
  return secretOf(prefix + randomText(SECRET_LENGTH));
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The number of letters and digits that hold 256 bits. */
const SECRET_LENGTH = 43;

/** Only letters and digits: a double click selects the whole, and no part looks like a command-line option. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // Bytes above the last multiple of 62 would make some letters more likely than others.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

export function secretOf(value: string): Secret {
  return { value, hash: hashSecret(value), ending: value.slice(-4) };
}

/** A plain hash is enough: 256 random bits cannot be guessed, and an index lookup by hash reveals nothing by its timing. */
export function hashSecret(value: string): string {
  return hash('sha256', value, 'base64url');
}

/** Compares hashes, which are equally long, so that the time tells neither the text of the expected secret nor its length. */
export function isSameSecret(given: string | Buffer, expected: string | Buffer): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}

const SCRYPT = { N: 32_768, r: 8, p: 1 };
const KEY_BYTES = 32;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, SCRYPT);
  return ['scrypt', SCRYPT.N, SCRYPT.r, SCRYPT.p, salt.toString('base64url'), key.toString('base64url')].join(
    '$',
  );
}

/** Takes equally long without a stored password, so that timing does not reveal which users exist. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [scheme, N, r, p, salt, key] = (stored ?? NOBODY).split('$');
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false;
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), options);
  return isSameSecret(derived, Buffer.from(key, 'base64url')) && stored !== null;
}

const NOBODY = `scrypt$${SCRYPT.N}$${SCRYPT.r}$${SCRYPT.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(
      password.normalize('NFC'),
      salt,
      KEY_BYTES,
      { ...options, maxmem: 128 * 1024 * 1024 },
      (error, key) => (error === null ? resolve(key) : reject(error)),
    );
  });
}
