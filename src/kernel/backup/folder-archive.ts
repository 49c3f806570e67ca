// Backups in one place: objects by content, which backups share, and a manifest for each backup.
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { ScratchMap } from '../storage/sqlite/scratch-map.ts';
import {
  collect,
  DamagedBackup,
  measured,
  verified,
  type BackupReader,
  type BackupWriter,
  type ByteStream,
} from './archive.ts';
import { newCipher, openCipher, type BackupCipher, type EncryptionHeader } from './backup-cipher.ts';
import { readLines } from './lines.ts';
import { BACKUP_FORMAT, type BackupManifest, type ObjectRef } from './manifest.ts';
import type { ObjectPlace } from './object-place.ts';

const HEAD = 'signalbox-backups.json';
const OBJECTS = 'objects';
const MANIFESTS = 'backups';

interface FolderHead {
  format: number;
  encryption?: EncryptionHeader;
}

/** All backups of a place are encrypted with one passphrase, or none is. */
export async function writeFolderArchive(
  place: ObjectPlace,
  passphrase: string | undefined,
): Promise<BackupWriter> {
  const unlock = await place.lock();
  try {
    return writerOf(place, await cipherOfPlace(place, passphrase), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

function writerOf(
  place: ObjectPlace,
  cipher: BackupCipher | undefined,
  unlock: () => Promise<void>,
): BackupWriter {
  let written = 0;
  let reused = 0;
  async function* stored(bytes: ByteStream): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of cipher?.encrypt(bytes) ?? bytes) {
      written += chunk.byteLength;
      yield chunk;
    }
  }
  const keptAlready = (ref: ObjectRef) => {
    reused += ref.size;
    return ref;
  };
  return {
    get written() {
      return written;
    },
    get reused() {
      return reused;
    },
    async previous() {
      const newest = (await listBackups(place)).findLast(({ isRowsOnly }) => !isRowsOnly);
      return newest && readerOf(place, cipher, newest.name);
    },
    async reuse(ref) {
      const isThere = await place.has(objectName(cipher, ref.hash));
      if (isThere) keptAlready(ref);
      return isThere;
    },
    async put(openBytes) {
      const { bytes, ref } = measured(await openBytes());
      if (place.writeThenName !== undefined) {
        const before = written;
        const isNew = await place.writeThenName(stored(bytes), () => objectName(cipher, ref().hash));
        if (isNew) return ref();
        written = before;
        return keptAlready(ref());
      }
      for await (const _ of bytes);
      const name = objectName(cipher, ref().hash);
      if (await place.has(name)) return keptAlready(ref());
      await place.write(name, stored(verified(await openBytes(), ref())));
      return ref();
    },
    async finish(manifest) {
      // Objects reach the disk before the manifest that names them.
      await place.settle();
      const bytes = Buffer.from(JSON.stringify(manifest));
      const { bytes: passed, ref } = measured([bytes]);
      await collect(passed);
      // The first line is the checksum of what follows.
      const content = cipher === undefined ? [Buffer.from(`${ref().hash}\n`), bytes] : [bytes];
      await place.write(nameOf(manifest), stored(content));
      await place.settle();
      await unlock();
    },
    abandon: unlock,
  };
}

function nameOf({ createdAt, id, isRowsOnly }: BackupManifest): string {
  const kind = isRowsOnly === true ? '.rows' : '';
  return `${MANIFESTS}/${createdAt.replaceAll(/[:.]/g, '-')}-${id}${kind}.manifest`;
}

const NAME = /^backups\/(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)-(.+?)(\.rows)?\.manifest$/;

export interface ListedBackup {
  id: string;
  createdAt: string;
  /** Without large objects and repositories. */
  isRowsOnly: boolean;
  /** Of its manifest. */
  name: string;
}

/** The oldest first. */
export async function listBackups(place: ObjectPlace): Promise<ListedBackup[]> {
  const found: ListedBackup[] = [];
  for await (const { name } of place.list(MANIFESTS)) {
    const [, hour, minute, second, rest, id, rows] = NAME.exec(name) ?? [];
    const createdAt = `${hour}:${minute}:${second}.${rest}`;
    if (id !== undefined) found.push({ id, createdAt, isRowsOnly: rows !== undefined, name });
  }
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function cipherOfPlace(
  place: ObjectPlace,
  passphrase: string | undefined,
): Promise<BackupCipher | undefined> {
  const head = await readHead(place);
  if (head === undefined) {
    if (!(await place.isEmpty()))
      throw new Failure(
        'conflict',
        `${place.title} has other files and no backups: name an empty folder or a new one.`,
      );
    const cipher = passphrase === undefined ? undefined : await newCipher(passphrase);
    const content: FolderHead = { format: BACKUP_FORMAT, ...(cipher && { encryption: cipher.header }) };
    await place.write(HEAD, [Buffer.from(`${JSON.stringify(content)}\n`)]);
    await place.settle();
    return cipher;
  }
  if (head.encryption !== undefined) return await openCipher(passphrase, head.encryption);
  if (passphrase !== undefined)
    throw new Failure(
      'conflict',
      `The backups in ${place.title} are not encrypted: name another folder for encrypted ones.`,
    );
  return undefined;
}

async function readHead(place: ObjectPlace): Promise<FolderHead | undefined> {
  const bytes = await place.read(HEAD);
  if (bytes === undefined) return undefined;
  let head: FolderHead;
  try {
    head = JSON.parse((await collect(bytes)).toString()) as FolderHead;
  } catch (error) {
    throw new DamagedBackup(`The file ${HEAD} in ${place.title} is damaged. Use another backup.`, error);
  }
  if (head.format !== BACKUP_FORMAT)
    throw new DamagedBackup(`${place.title} has a newer format than this program knows: update the program.`);
  return head;
}

/** Two letters for each of 256 folders, as file systems like it. */
function objectName(cipher: BackupCipher | undefined, hash: string): string {
  const name = cipher?.nameOf(hash) ?? hash;
  return `${OBJECTS}/${name.slice(0, 2)}/${name.slice(2)}`;
}

/** The newest whole backup of the place, or the one whose id or name begins so. */
export async function readFolderArchive(
  place: ObjectPlace,
  { passphrase, backup }: { passphrase: string | undefined; backup?: string | undefined },
): Promise<BackupReader> {
  const cipher = await openPlace(place, passphrase);
  const all = await listBackups(place);
  const file = ({ name }: ListedBackup) => name.slice(MANIFESTS.length + 1);
  const found = all.findLast((one) =>
    backup === undefined ? !one.isRowsOnly : one.id.startsWith(backup) || file(one).startsWith(backup),
  );
  if (found === undefined)
    throw new Failure(
      'not-found',
      `There is no ${backup === undefined ? 'whole backup' : `backup ${backup}`} in ${place.title}. There are: ${all.map(file).join(', ') || 'none'}.`,
    );
  return readerOf(place, cipher, found.name);
}

/** Throws where there are no backups, or where the passphrase is not theirs. */
async function openPlace(
  place: ObjectPlace,
  passphrase: string | undefined,
): Promise<BackupCipher | undefined> {
  const head = await readHead(place);
  if (head === undefined)
    throw new Failure('not-found', `There are no backups of Signalbox in ${place.title}.`);
  return head.encryption && (await openCipher(passphrase, head.encryption));
}

function readerOf(place: ObjectPlace, cipher: BackupCipher | undefined, manifest: string): BackupReader {
  const plain = (bytes: ByteStream) => cipher?.decrypt(bytes) ?? bytes;
  const damaged = (error: unknown) =>
    new DamagedBackup(
      `The manifest ${manifest} in ${place.title} is damaged. Use another backup with --backup.`,
      error,
    );
  return {
    async manifest() {
      try {
        const bytes = await collect(plain(await readThere(place, manifest)));
        return JSON.parse((cipher === undefined ? await checked(bytes) : bytes).toString()) as unknown;
      } catch (error) {
        throw damaged(error);
      }
    },
    async *open(ref) {
      yield* verified(plain(await readThere(place, objectName(cipher, ref.hash))), ref);
    },
    close: async () => {},
  };
}

async function readThere(place: ObjectPlace, name: string): Promise<ByteStream> {
  const bytes = await place.read(name);
  if (bytes === undefined) throw new DamagedBackup(`the object ${name} is not in ${place.title}`);
  return bytes;
}

async function checked(bytes: Buffer): Promise<Buffer> {
  const end = bytes.indexOf('\n');
  const content = bytes.subarray(end + 1);
  return await collect(verified([content], { hash: bytes.toString('latin1', 0, end), size: content.length }));
}

/** Reads backups of one place again and again: the key of encrypted ones is derived once. */
export async function openBackups(place: ObjectPlace, passphrase: string | undefined) {
  const cipher = await openPlace(place, passphrase);
  return { read: ({ name }: ListedBackup) => readerOf(place, cipher, name) };
}

/**
 * Removes the backups that were made before, but the newest that is whole, and all objects that no other backup needs.
 * Returns how many backups and objects went.
 */
export async function pruneBackups(
  place: ObjectPlace,
  { passphrase, before }: { passphrase: string | undefined; before: string },
): Promise<{ backups: number; objects: number }> {
  const unlock = await place.lock();
  const needed = new ScratchMap();
  try {
    const all = await listBackups(place);
    const newest = all.findLast(({ isRowsOnly }) => !isRowsOnly);
    const old = all.filter((one) => one.createdAt < before && one !== newest);
    if (old.length === 0) return { backups: 0, objects: 0 };
    const cipher = await openPlace(place, passphrase);
    // One that cannot be read ends this, before anything is removed that it may need.
    for (const one of all.filter((other) => !old.includes(other))) {
      const reader = readerOf(place, cipher, one.name);
      for await (const { hash } of refsOf(reader, (await reader.manifest()) as BackupManifest))
        needed.set(objectName(cipher, hash), '');
    }
    // Without its manifest a backup is gone: nobody sees one that lacks objects.
    for (const { name } of old) await place.remove(name);
    await place.settle();
    let objects = 0;
    for await (const { name } of place.list(OBJECTS)) {
      if (needed.get(name) !== undefined) continue;
      await place.remove(name);
      objects += 1;
    }
    return { backups: old.length, objects };
  } finally {
    needed.close();
    await unlock();
  }
}

/** Of everything that a backup consists of. */
async function* refsOf(
  reader: BackupReader,
  { tables, blobs, repositories, secretKey }: BackupManifest,
): AsyncGenerator<ObjectRef, void, void> {
  for (const { parts } of tables) yield* parts;
  if (secretKey.content !== undefined) yield secretKey.content;
  for (const { parts } of [blobs, repositories])
    for (const part of parts) {
      yield part;
      for (const { value } of await readLines(reader, part)) yield (value as { ref: ObjectRef }).ref;
      await setImmediate();
    }
}
