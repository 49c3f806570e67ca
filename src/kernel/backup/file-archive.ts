// A backup as one file, which can be written to a pipe: a head, the objects one after the other, the manifest, and a foot that finds it.
import { createHash } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { readPieces } from '../storage/disk/file-pieces.ts';
import { PRIVATE_FILE } from '../storage/disk/private-files.ts';
import { syncFolder } from '../storage/disk/sync-folder.ts';
import {
  collect,
  DamagedBackup,
  measured,
  verified,
  type BackupReader,
  type BackupWriter,
  type ByteStream,
} from './archive.ts';
import { openCipher, type BackupCipher, type EncryptionHeader } from './backup-cipher.ts';
import { BACKUP_FORMAT, type ObjectRef } from './manifest.ts';

const MAGIC = `SIGNALBOX BACKUP ${BACKUP_FORMAT}\n`;
const END = 'SIGNALBOX END 01';
/** The place and the length of the manifest, the checksum of the head and the manifest, and the word that ends the file. */
const FOOT = 8 + 8 + 32 + END.length;
const MAX_HEAD = 4096;
const MAX_MANIFEST = 64 * 1024 ** 2;

export interface ByteSink {
  /** The bytes may change once it has resolved. */
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

/** The file has its name only when it is complete. */
export async function openFileSink(file: string): Promise<ByteSink> {
  const draft = `${file}.part`;
  const handle = await open(draft, 'w', PRIVATE_FILE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Failure('invalid', `There is no folder for the backup ${file}. Make it first.`, {
      cause: error,
    });
  });
  return {
    write: (bytes) => handle.writeFile(bytes),
    async finish() {
      await handle.sync();
      await handle.close();
      await rename(draft, file);
      await syncFolder(dirname(file));
    },
    async abandon() {
      await handle.close().catch(() => {});
      await rm(draft, { force: true });
    },
  };
}

export async function writeFileArchive(
  sink: ByteSink,
  cipher: BackupCipher | undefined,
): Promise<BackupWriter> {
  let written = 0;
  const write = async (bytes: Uint8Array) => {
    await sink.write(bytes);
    written += bytes.byteLength;
  };
  const stored = (bytes: ByteStream) => cipher?.encrypt(bytes) ?? bytes;
  const head = Buffer.from(`${MAGIC}${JSON.stringify({ encryption: cipher?.header })}\n`);
  await write(head);
  return {
    get written() {
      return written;
    },
    reused: 0,
    async put(openBytes) {
      const at = written;
      const { bytes, ref } = measured(await openBytes());
      for await (const chunk of stored(bytes)) await write(chunk);
      return { ...ref(), at, length: written - at };
    },
    async finish(manifest) {
      const bytes = await collect(stored([Buffer.from(JSON.stringify(manifest))]));
      const foot = Buffer.alloc(16);
      foot.writeBigUInt64BE(BigInt(written), 0);
      foot.writeBigUInt64BE(BigInt(bytes.length), 8);
      await write(bytes);
      await write(Buffer.concat([foot, checksumOf(head, bytes), Buffer.from(END)]));
      await sink.finish();
    },
    abandon: () => sink.abandon(),
  };
}

function checksumOf(head: Buffer, manifest: Buffer): Buffer {
  return createHash('sha256').update(head).update(manifest).digest();
}

export async function readFileArchive(file: string, passphrase: string | undefined): Promise<BackupReader> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw new Failure('not-found', `The backup ${file} cannot be opened: ${(error as Error).message}.`);
  });
  try {
    const { size } = await handle.stat();
    const head = await readHead(handle, file);
    const manifest = await readManifest(handle, file, size, head.bytes);
    const cipher = head.encryption && (await openCipher(passphrase, head.encryption));
    const plain = (bytes: ByteStream) => cipher?.decrypt(bytes) ?? bytes;
    return {
      manifest: async () => JSON.parse((await collect(plain([manifest]))).toString()) as unknown,
      open: (ref) => verified(plain(range(handle, placeOf(ref), size)), ref),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readHead(
  handle: FileHandle,
  file: string,
): Promise<{ bytes: Buffer; encryption: EncryptionHeader | undefined }> {
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(MAX_HEAD), position: 0 });
  const bytes = buffer.subarray(0, bytesRead);
  const end = bytes.indexOf('\n', MAGIC.length);
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC || end < 0) {
    const isNewer = bytes.toString('latin1', 0, 17) === MAGIC.slice(0, 17);
    throw new DamagedBackup(
      isNewer
        ? `${file} has a newer format than this program knows: update the program.`
        : `${file} is not a backup of Signalbox.`,
    );
  }
  try {
    const { encryption } = JSON.parse(bytes.toString('utf8', MAGIC.length, end)) as {
      encryption?: EncryptionHeader;
    };
    return { bytes: bytes.subarray(0, end + 1), encryption };
  } catch (error) {
    throw new DamagedBackup(`The head of ${file} is damaged. Use another backup.`, error);
  }
}

async function readManifest(handle: FileHandle, file: string, size: number, head: Buffer): Promise<Buffer> {
  const cut = () =>
    new DamagedBackup(`${file} is incomplete: its end is missing. Copy it again, or use another backup.`);
  if (size < head.length + FOOT) throw cut();
  const { buffer: foot } = await handle.read({ buffer: Buffer.alloc(FOOT), position: size - FOOT });
  if (foot.toString('latin1', FOOT - END.length) !== END) throw cut();
  const at = Number(foot.readBigUInt64BE(0));
  const length = Number(foot.readBigUInt64BE(8));
  if (at < head.length || length > MAX_MANIFEST || at + length + FOOT !== size)
    throw new DamagedBackup(`The end of ${file} is damaged. Use another backup.`);
  const bytes = await collect(range(handle, { at, length }, size));
  if (!checksumOf(head, bytes).equals(foot.subarray(16, 48)))
    throw new DamagedBackup(`The manifest of ${file} is damaged. Use another backup.`);
  return bytes;
}

function placeOf({ at, length }: ObjectRef): { at: number; length: number } {
  if (at === undefined || length === undefined) throw new DamagedBackup('its place is not known');
  return { at, length };
}

async function* range(
  handle: FileHandle,
  { at, length }: { at: number; length: number },
  size: number,
): AsyncGenerator<Uint8Array, void, void> {
  if (at + length > size) throw new DamagedBackup('it would be beyond the end of the file');
  let missing = length;
  for await (const piece of readPieces(handle, at, at + length)) {
    missing -= piece.byteLength;
    yield piece;
  }
  if (missing > 0) throw new DamagedBackup('the file ends before');
}
