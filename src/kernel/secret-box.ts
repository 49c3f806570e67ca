// Encrypts the secrets that the database stores, with a key that is not in the database.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Failure } from './failure.ts';

export interface SecretBox {
  seal(text: string): string;
  /** Throws for a text that was sealed with another key, or changed since. */
  open(sealed: string): string;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Begins every sealed text, so that another format can be told apart. */
const FORMAT = 'v1.';

export function createSecretBox(secretKey: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'signalbox secrets at rest', 32));
  return {
    seal(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv);
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return FORMAT + Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
    },
    open(sealed) {
      try {
        if (!sealed.startsWith(FORMAT)) throw new Error('The format is unknown');
        const bytes = Buffer.from(sealed.slice(FORMAT.length), 'base64url');
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new Failure(
          'internal',
          'A stored secret cannot be decrypted: it was encrypted with another key, or damaged.',
          { cause },
        );
      }
    },
  };
}
