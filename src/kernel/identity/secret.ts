// Secrets: 256 random bits with a readable prefix, of which only a hash is kept; passwords by scrypt.
import { hash, randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

export interface Secret {
  /** What the holder keeps; shown once. */
  value: string;
  hash: string;
  /** The last characters, by which a person tells secrets apart. */
  ending: string;
}

export function newSecret(prefix: string): Secret {
  return secretOf(prefix + randomText(SECRET_LENGTH));
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** So many letters and digits hold 256 bits. */
const SECRET_LENGTH = 43;

/** Letters and digits only: such a text is marked by a double click, and no end of it looks like an option. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // The bytes above the last multiple of 62 would make some letters likelier than others.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

export function secretOf(value: string): Secret {
  return { value, hash: hashSecret(value), ending: value.slice(-4) };
}

/** A plain hash is enough: there is nothing to guess in 256 random bits, and looking up a hash in an index tells no timing. */
export function hashSecret(value: string): string {
  return hash('sha256', value, 'base64url');
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

/** Costs the same whether or not there is a password to compare with, so that timing tells nobody who exists. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [scheme, N, r, p, salt, key] = (stored ?? NOBODY).split('$');
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false;
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), options);
  const expected = Buffer.from(key, 'base64url');
  return derived.length === expected.length && timingSafeEqual(derived, expected) && stored !== null;
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
