// The encryption of a backup: a key from a passphrase, and each object in chunks that can neither be changed, moved nor left out.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Failure } from '../failure.ts';
import { isSameSecret } from '../secrets/secret.ts';
import { DamagedBackup, type ByteStream } from './archive.ts';

/** What a backup says openly of its encryption. */
export interface EncryptionHeader {
  kdf: 'scrypt';
  cost: number;
  salt: string;
  /** Tells a wrong passphrase from a damaged backup. */
  check: string;
}

export interface BackupCipher {
  header: EncryptionHeader;
  /** The name of an object in a folder, which does not say what its content is. */
  nameOf(hash: string): string;
  encrypt(bytes: ByteStream): AsyncGenerator<Uint8Array, void, void>;
  decrypt(bytes: ByteStream): AsyncGenerator<Uint8Array, void, void>;
}

/** 128 MiB and about half a second. A header that asks for more is refused: it may come from anywhere. */
const COST = 2 ** 17;
const MAX_COST = 2 ** 20;
const CHUNK = 64 * 1024;
/** So many are written at once. */
const GATHERED = 16;
const TAG = 16;
const SALT = 16;
const CIPHER = 'aes-256-gcm';
const MIN_PASSPHRASE = 12;

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);

export async function newCipher(passphrase: string, cost: number = COST): Promise<BackupCipher> {
  if (passphrase.length < MIN_PASSPHRASE)
    throw new Failure('invalid', `The passphrase must have at least ${MIN_PASSPHRASE} characters.`);
  return await cipherOf(passphrase, cost, randomBytes(SALT));
}

export async function openCipher(
  passphrase: string | undefined,
  header: EncryptionHeader,
): Promise<BackupCipher> {
  if (passphrase === undefined)
    throw new Failure(
      'invalid',
      'The backup is encrypted: set SIGNALBOX_BACKUP_PASSPHRASE, or name a file with --passphrase-file.',
    );
  const { kdf, cost, salt, check } = header;
  if (kdf !== 'scrypt' || !Number.isInteger(Math.log2(cost)) || cost < 2 || cost > MAX_COST)
    throw new DamagedBackup('The backup is encrypted in a way that this program does not know.');
  const cipher = await cipherOf(passphrase, cost, Buffer.from(salt, 'base64'));
  if (!isSameSecret(cipher.header.check, check))
    throw new Failure('invalid', 'The passphrase is not the one that the backup was encrypted with.');
  return cipher;
}

async function cipherOf(passphrase: string, cost: number, salt: Buffer): Promise<BackupCipher> {
  const master = await derive(passphrase.normalize('NFC'), salt, 32, {
    N: cost,
    r: 8,
    p: 1,
    maxmem: 2048 * cost,
  });
  const keyFor = (purpose: string, with_: Uint8Array = Buffer.alloc(0)) =>
    Buffer.from(hkdfSync('sha256', master, with_, `signalbox backup ${purpose}`, 32));
  const names = keyFor('names');
  let spare: Buffer | undefined;
  return {
    header: { kdf: 'scrypt', cost, salt: salt.toString('base64'), check: keyFor('check').toString('base64') },
    nameOf: (hash) => createHmac('sha256', names).update(hash).digest('hex'),
    async *encrypt(bytes) {
      const own = randomBytes(SALT);
      const key = keyFor('object', own);
      yield own;
      const room = spare ?? Buffer.allocUnsafeSlow(GATHERED * (CHUNK + TAG));
      spare = undefined;
      try {
        let index = 0;
        let length = 0;
        for await (const { chunk, isLast } of chunksOf(bytes, CHUNK)) {
          const cipher = createCipheriv(CIPHER, key, nonceOf(index, isLast));
          for (const part of [cipher.update(chunk), cipher.final(), cipher.getAuthTag()]) {
            room.set(part, length);
            length += part.length;
          }
          index += 1;
          if (!isLast && index % GATHERED !== 0) continue;
          yield room.subarray(0, length);
          length = 0;
        }
      } finally {
        spare = room;
      }
    },
    async *decrypt(bytes) {
      let key: Buffer | undefined;
      let index = 0;
      for await (const { chunk, isLast } of chunksOf(bytes, CHUNK + TAG, SALT)) {
        if (key === undefined) {
          key = keyFor('object', chunk);
          continue;
        }
        yield open(key, nonceOf(index, isLast), chunk);
        index += 1;
      }
      if (index === 0) throw new DamagedBackup('the encrypted bytes are cut off');
    },
  };
}

function open(key: Buffer, nonce: Buffer, chunk: Buffer): Buffer {
  if (chunk.length < TAG) throw new DamagedBackup('the encrypted bytes are cut off');
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG });
  decipher.setAuthTag(chunk.subarray(chunk.length - TAG));
  try {
    return Buffer.concat([decipher.update(chunk.subarray(0, chunk.length - TAG)), decipher.final()]);
  } catch (error) {
    throw new DamagedBackup('the encrypted bytes were changed', error);
  }
}

/** Each chunk of an object has its number, and the last one says so: chunks cannot be moved, and the end cannot be cut off. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(index), 0);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/**
 * Chunks of one size, after a first one of another size; the last may be shorter, or empty where there are no bytes. Each is valid
 * until the next is asked for.
 */
async function* chunksOf(
  bytes: ByteStream,
  size: number,
  first = 0,
): AsyncGenerator<{ chunk: Buffer; isLast: boolean }, void, void> {
  const room = Buffer.allocUnsafe(Math.max(size, first));
  let length = 0;
  let wanted = first || size;
  let isFirst = first > 0;
  for await (const piece of bytes)
    for (let at = 0; at < piece.byteLength;) {
      // Only with one byte more than wanted the chunk is not the last one.
      if (length === wanted) {
        yield { chunk: room.subarray(0, length), isLast: false };
        length = 0;
        isFirst = false;
        wanted = size;
      }
      const taken = piece.subarray(at, at + wanted - length);
      room.set(taken, length);
      length += taken.byteLength;
      at += taken.byteLength;
    }
  if (isFirst) return;
  yield { chunk: room.subarray(0, length), isLast: true };
}
