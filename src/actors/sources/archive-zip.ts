// Reads a ZIP archive from a file, entry by entry, by the directory at its end.
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { createInflateRaw, readableFrom } from '../../kernel/network/streams.ts';
import { badArchive, quoteName, type ArchiveBudget, type ArchiveLimits } from './archive-limits.ts';
import { type ArchiveEntry, ByteReader } from './archive-tar.ts';

// Constants of the format (APPNOTE 6.3).
const LOCAL = 0x04034b50;
const LISTED = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 0x0001;
/** Of the comment at the very end, which follows the trailer. */
const MAX_COMMENT = 0xffff;
const CHUNK = 64 * 1024;

// The type of a file in Unix modes.
const TYPE_MASK = 0o170000;
const LINK = 0o120000;
const FOLDER = 0o040000;
const REGULAR = 0o100000;

export async function* readZip(
  file: FileHandle,
  limits: Pick<ArchiveLimits, 'nameLength' | 'entries'>,
  budget: ArchiveBudget,
): AsyncGenerator<ArchiveEntry, void> {
  const { size } = await file.stat();
  const { count, offset, length } = await findDirectory(file, size);
  if (count > limits.entries)
    throw badArchive(`There are more than ${limits.entries.toLocaleString('en')} files and folders.`);
  const reader = new ByteReader(readRange(file, offset, length));
  let packed = 0;
  let unpacked = 0;
  try {
    for (let index = 0; index < count; index += 1) {
      const listed = await readListed(reader, limits);
      packed += listed.packedSize;
      // Entries that share bytes make bombs that no ratio of a single entry shows.
      if (packed > size) throw badArchive('The archive is damaged: its files overlap.');
      unpacked += listed.size;
      budget.checkRatio(unpacked, size);
      const content = readContent(file, listed, size);
      yield { name: listed.name, ...kindOf(listed), content };
      await content.return();
    }
  } finally {
    await reader.close();
  }
}

interface ListedEntry {
  name: string;
  rawName: Buffer;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  offset: number;
  mode: number;
}

interface DirectoryPlace {
  count: number;
  offset: number;
  length: number;
}

/** An archive ends with its directory, so that a part of one has none. */
function noDirectory(): Error {
  return badArchive(
    'The archive is damaged, or only a part of it was sent: it has no directory of its files. Send it again.',
  );
}

async function findDirectory(file: FileHandle, size: number): Promise<DirectoryPlace> {
  const start = Math.max(0, size - 22 - MAX_COMMENT);
  const tail = await readExactly(file, start, size - start);
  for (let at = tail.length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END || at + 22 + tail.readUInt16LE(at + 20) !== tail.length) continue;
    const place = {
      count: tail.readUInt16LE(at + 10),
      length: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
    const needs64 = place.count === MAX_16 || place.length === MAX_32 || place.offset === MAX_32;
    const found = needs64 ? await findDirectory64(file, start + at) : place;
    if (found.offset + found.length > start + at) break;
    return found;
  }
  throw noDirectory();
}

async function findDirectory64(file: FileHandle, end: number): Promise<DirectoryPlace> {
  const locator = await readExactly(file, end - 20, 20);
  if (locator.readUInt32LE(0) !== LOCATOR_64) throw noDirectory();
  const trailer = await readExactly(file, numberAt(locator, 8), 56);
  if (trailer.readUInt32LE(0) !== END_64) throw noDirectory();
  return { count: numberAt(trailer, 32), length: numberAt(trailer, 40), offset: numberAt(trailer, 48) };
}

async function readListed(
  reader: ByteReader,
  { nameLength }: Pick<ArchiveLimits, 'nameLength'>,
): Promise<ListedEntry> {
  const fixed = await reader.read(46);
  if (fixed.readUInt32LE(0) !== LISTED) throw badArchive('The archive is damaged: its directory is wrong.');
  const rawName = await reader.read(fixed.readUInt16LE(28));
  const extra = await reader.read(fixed.readUInt16LE(30));
  await reader.skip(fixed.readUInt16LE(32));
  const name = decodeName(rawName);
  if (rawName.length > nameLength)
    throw badArchive(`The name ${quoteName(name)} has more than ${nameLength} bytes.`);
  return {
    name,
    rawName,
    flags: fixed.readUInt16LE(8),
    method: fixed.readUInt16LE(10),
    crc: fixed.readUInt32LE(16),
    mode: fixed.readUInt32LE(38) >>> 16,
    ...sizesOf(fixed, extra),
  };
}

/** A size with all bits set is in the extra field, in 64 bits. */
function sizesOf(fixed: Buffer, extra: Buffer): Pick<ListedEntry, 'packedSize' | 'size' | 'offset'> {
  const sizes = {
    size: fixed.readUInt32LE(24),
    packedSize: fixed.readUInt32LE(20),
    offset: fixed.readUInt32LE(42),
  };
  for (let at = 0; at + 4 <= extra.length;) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) {
      let from = at + 4;
      for (const name of ['size', 'packedSize', 'offset'] as const) {
        if (sizes[name] !== MAX_32) continue;
        if (from + 8 > Math.min(extra.length, at + 4 + length)) break;
        sizes[name] = numberAt(extra, from);
        from += 8;
      }
    }
    at += 4 + length;
  }
  return sizes;
}

function decodeName(raw: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    throw badArchive(`The name ${quoteName(raw.toString('latin1'))} is not UTF-8.`);
  }
}

function kindOf({ name, mode }: ListedEntry): Pick<ArchiveEntry, 'type' | 'isExecutable'> {
  const type = mode & TYPE_MASK;
  const isExecutable = (mode & 0o100) !== 0;
  if (type === LINK) return { type: 'link', isExecutable };
  if (type !== 0 && type !== FOLDER && type !== REGULAR) return { type: 'other', isExecutable };
  return { type: name.endsWith('/') || type === FOLDER ? 'folder' : 'file', isExecutable };
}

async function* readContent(
  file: FileHandle,
  entry: ListedEntry,
  archiveSize: number,
): AsyncGenerator<Uint8Array, void> {
  const { name, method, packedSize, size, flags } = entry;
  if ((flags & ENCRYPTED) !== 0) throw badArchive(`The file ${quoteName(name)} is encrypted.`);
  if (method !== STORED && method !== DEFLATED)
    throw badArchive(
      `The file ${quoteName(name)} is compressed by method ${method}: only "deflate" is supported.`,
    );
  const start = await contentStart(file, entry);
  if (start + packedSize > archiveSize) throw badArchive('The archive ends in the middle of a file.');
  const packed = readRange(file, start, packedSize);
  let read = 0;
  let crc = 0;
  for await (const chunk of method === STORED ? packed : inflate(packed, name)) {
    read += chunk.length;
    if (read > size) break;
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (read !== size || crc !== entry.crc)
    throw badArchive(`The archive is damaged: ${quoteName(name)} is not as the directory says.`);
}

/** Programs that read the local headers instead of the directory must see the same names. */
async function contentStart(file: FileHandle, { offset, name, rawName }: ListedEntry): Promise<number> {
  const local = await readExactly(file, offset, 30 + rawName.length);
  const nameLength = local.readUInt16LE(26);
  const isSame = nameLength === rawName.length && local.subarray(30).equals(rawName);
  if (local.readUInt32LE(0) !== LOCAL || !isSame)
    throw badArchive(`The archive is damaged: ${quoteName(name)} has another name in the directory.`);
  return offset + 30 + nameLength + local.readUInt16LE(28);
}

async function* inflate(packed: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array, void> {
  const inflater = createInflateRaw();
  const piping = pipeline(readableFrom(packed), inflater);
  piping.catch(() => {}); // the reader gets the error from the stream
  try {
    yield* inflater as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw badArchive(`The archive is damaged: ${quoteName(name)} cannot be decompressed.`);
    throw error;
  } finally {
    inflater.destroy();
  }
}

async function* readRange(file: FileHandle, start: number, length: number): AsyncGenerator<Uint8Array, void> {
  for (let at = start; at < start + length;) {
    const chunk = await readExactly(file, at, Math.min(CHUNK, start + length - at));
    at += chunk.length;
    yield chunk;
  }
}

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    if (position < 0) break;
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  if (done < length) throw badArchive('The archive is damaged: it ends too early.');
  return buffer;
}

function numberAt(buffer: Buffer, at: number): number {
  const value = Number(buffer.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw badArchive('The archive is damaged: a number is too large.');
  return value;
}
