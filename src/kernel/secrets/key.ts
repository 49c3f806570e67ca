// One key of the server: encrypts texts, signs others, and is known by a fingerprint that says nothing of it.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_LENGTH = 10;

export interface SecretKey {
  /** Begins the fingerprint, and stands in every text that is encrypted since the key was first changed. */
  id: string;
  fingerprint: string;
  encrypt(text: string): string;
  /** Throws for bytes of another key, and for those that were changed. */
  decrypt(bytes: string): string;
  /** A different signature for each purpose. */
  sign(purpose: string, text: string): string;
}

export function secretKeyOf(secret: string): SecretKey {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `signalbox ${purpose}`, 32));
  const key = derive('secrets at rest');
  const fingerprint = derive('fingerprint').toString('base64url');
  const signingKeys = new Map<string, Buffer>();
  return {
    id: fingerprint.slice(0, ID_LENGTH),
    fingerprint,
    sign(purpose, text) {
      let signing = signingKeys.get(purpose);
      if (signing === undefined) signingKeys.set(purpose, (signing = derive(`signing ${purpose}`)));
      return createHmac('sha256', signing).update(text).digest('base64url');
    },
    encrypt(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv);
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
    },
    decrypt(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      const iv = bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    },
  };
}
