// Encrypts the secrets that the database stores, with a key that is not in the database.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { Logger } from '../observability/log.ts';
import { claimKeyFingerprint, findKeyFingerprint } from './secret-key-store.ts';
import type { Engine } from '../storage/engine.ts';

export interface SecretBox {
  /** Call it before a transaction rather than in one: the first call may write to the database. */
  seal(text: string): Promise<string>;
  /** Throws for a text that was sealed with another key, or changed since. */
  open(sealed: string): string;
  /** A code that only holders of the key can make; a different one for each purpose. */
  sign(purpose: string, text: string): string;
}

export interface SecretBoxOptions {
  engine: Pick<Engine, 'db' | 'isShared'>;
  log: Pick<Logger, 'warn'>;
  key: string;
  /** Where the key is from, for messages. */
  source: string;
}

/**
 * The database gets the fingerprint of the key with the first secret; from then on no server starts with another key. On
 * a database that several nodes share the first secret waits for that, so that two nodes with different keys cannot both
 * store some. Elsewhere it need not wait, and must not: the caller may be in the only transaction that can write.
 */
export async function openSecretBox({ engine, log, key, source }: SecretBoxOptions): Promise<SecretBox> {
  const { db, isShared } = engine;
  const { fingerprint, encrypt, decrypt, sign } = cipherOf(key);
  const known = await findKeyFingerprint(db);
  if (known !== undefined && known !== fingerprint) throw wrongKey(source, isShared);
  let claiming: Promise<void> | undefined = known === undefined ? undefined : Promise.resolve();

  async function claim(): Promise<void> {
    if ((await claimKeyFingerprint(db, fingerprint)) !== fingerprint) throw wrongKey(source, isShared);
  }

  return {
    async seal(text) {
      claiming ??= claim();
      const claimed = claiming.catch((error: unknown) => {
        claiming = undefined;
        if (isShared) throw error;
        log.warn({ err: error }, 'the fingerprint of the secret key was not stored');
      });
      if (isShared) await claimed;
      return encrypt(text);
    },
    open: decrypt,
    sign,
  };
}

function wrongKey(source: string, isShared: boolean): Failure {
  const remedy = isShared
    ? 'Nodes that share a database need the same key: set SIGNALBOX_SECRET_KEY to the same value on each. Where the first node ' +
      'was started without it, the value is in the file secret.key in its data folder.'
    : 'Restore the file secret.key in the data folder from the backup, or set SIGNALBOX_SECRET_KEY to what it was.';
  return new Failure(
    'invalid',
    `The secrets in this database are encrypted with another key than ${source}. ${remedy} ` +
      'If the key is lost, see "The secret key" in docs/guide/operate.md.',
  );
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Begins every sealed text, so that another format can be told apart. */
const FORMAT = 'v1.';

function cipherOf(secretKey: string) {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `signalbox ${purpose}`, 32));
  const key = derive('secrets at rest');
  const signingKeys = new Map<string, Buffer>();
  return {
    fingerprint: derive('fingerprint').toString('base64url'),
    sign(purpose: string, text: string): string {
      let signing = signingKeys.get(purpose);
      if (signing === undefined) signingKeys.set(purpose, (signing = derive(`signing ${purpose}`)));
      return createHmac('sha256', signing).update(text).digest('base64url');
    },
    encrypt(text: string): string {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv);
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return FORMAT + Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
    },
    decrypt(sealed: string): string {
      try {
        if (!sealed.startsWith(FORMAT)) throw new Error('The format is unknown');
        const bytes = Buffer.from(sealed.slice(FORMAT.length), 'base64url');
        const iv = bytes.subarray(0, IV_BYTES);
        const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
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
