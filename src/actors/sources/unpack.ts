// Unpacks an archive of a user into an empty folder, and writes nothing outside of it.
import { open, type FileHandle, mkdir } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { join } from 'node:path';
import { createGunzip, createReadStream } from '../../kernel/network/streams.ts';
import {
  ARCHIVE_LIMITS,
  ArchiveBudget,
  badArchive,
  quoteName,
  type ArchiveLimits,
  parseEntryName,
} from './archive-limits.ts';
import { readTar, type ArchiveEntry } from './archive-tar.ts';
import { readZip } from './archive-zip.ts';

interface UnpackOptions {
  limits?: ArchiveLimits;
  signal?: AbortSignal;
  /** Called with the name of each link, which is then left out. Without it links are refused. */
  onLink?: (name: string) => void;
}

interface UnpackedArchive {
  bytes: number;
  files: number;
}

/** A ZIP, a tar or a compressed tar, told apart by their first bytes. The folder must exist and be empty. */
export async function unpackArchive(
  file: string,
  folder: string,
  options: UnpackOptions = {},
): Promise<UnpackedArchive> {
  const handle = await open(file, 'r');
  try {
    const { limits = ARCHIVE_LIMITS } = options;
    const budget = new ArchiveBudget(limits);
    return await writeEntries(await entriesOf(handle, file, limits, budget), folder, budget, options);
  } finally {
    await handle.close();
  }
}

/** A tar that is not compressed, such as git writes. */
export async function unpackTar(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  options: UnpackOptions = {},
): Promise<UnpackedArchive> {
  const { limits = ARCHIVE_LIMITS } = options;
  return await writeEntries(readTar(source, limits), folder, new ArchiveBudget(limits), options);
}

async function writeEntries(
  entries: AsyncIterable<ArchiveEntry>,
  folder: string,
  budget: ArchiveBudget,
  { limits = ARCHIVE_LIMITS, signal, onLink }: UnpackOptions,
): Promise<UnpackedArchive> {
  const writer = new FolderWriter(folder, limits, budget);
  for await (const { name, type, isExecutable, content } of entries) {
    signal?.throwIfAborted();
    if (type === 'folder') await writer.addFolder(name);
    else if (type === 'file') await writer.addFile(name, content, isExecutable);
    else if (type === 'link' && onLink !== undefined) onLink(name);
    else if (type === 'link')
      throw badArchive(`${quoteName(name)} is a link: only files and folders are allowed.`);
    else throw badArchive(`${quoteName(name)} is neither a file nor a folder.`);
  }
  return { bytes: budget.bytes, files: writer.files };
}

async function entriesOf(
  handle: FileHandle,
  file: string,
  limits: ArchiveLimits,
  budget: ArchiveBudget,
): Promise<AsyncIterable<ArchiveEntry>> {
  const start = Buffer.alloc(512);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  const magic = start.subarray(0, bytesRead);
  if (['504b0304', '504b0506'].includes(magic.toString('hex', 0, 4))) return readZip(handle, limits, budget);
  if (magic[0] === 0x1f && magic[1] === 0x8b) return readTar(gunzip(file, budget), limits);
  if (magic.length === 512 && magic.toString('latin1', 257, 262) === 'ustar')
    return readTar(createReadStream(file) as AsyncIterable<Uint8Array>, limits);
  throw badArchive('The file is neither a ZIP archive nor a tar or tar.gz archive.');
}

/** Checks the ratio as it goes: a bomb must not even be decompressed. */
async function* gunzip(file: string, budget: ArchiveBudget): AsyncGenerator<Uint8Array, void> {
  const source = createReadStream(file);
  const gunzipper = createGunzip();
  pipeline(source, gunzipper, () => undefined);
  let unpacked = 0;
  try {
    for await (const chunk of gunzipper as AsyncIterable<Uint8Array>) {
      unpacked += chunk.length;
      budget.checkRatio(unpacked, source.bytesRead);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw badArchive('The archive is damaged: it cannot be decompressed.');
    throw error;
  } finally {
    source.destroy();
    gunzipper.destroy();
  }
}

const FILE_MODE = 0o644;
const EXECUTABLE_MODE = 0o755;
const FOLDER_MODE = 0o755;

interface WrittenName {
  name: string;
  type: 'file' | 'folder';
}

/** Writes files that users name into a folder, and never outside of it. */
export class FolderWriter {
  readonly #folder: string;
  readonly #limits: ArchiveLimits;
  readonly #budget: ArchiveBudget;
  /** By their names in one case: on some systems two spellings are one file, and the second would replace the first. */
  readonly #written = new Map<string, WrittenName>();
  #files = 0;

  constructor(folder: string, limits: ArchiveLimits, budget: ArchiveBudget) {
    this.#folder = folder;
    this.#limits = limits;
    this.#budget = budget;
  }

  get files(): number {
    return this.#files;
  }

  async addFolder(name: string): Promise<void> {
    const parts = parseEntryName(name, this.#limits);
    if (parts.length > 0) await this.#makeFolders(parts);
  }

  async addFile(name: string, content: AsyncIterable<Uint8Array>, isExecutable: boolean): Promise<void> {
    const parts = parseEntryName(name, this.#limits);
    if (parts.length === 0) throw badArchive(`${quoteName(name)} is no name of a file.`);
    await this.#makeFolders(parts.slice(0, -1));
    if (!this.#claim(parts, 'file')) throw badArchive(`The file ${quoteName(name)} is there twice.`);
    this.#files += 1;
    const file = await open(join(this.#folder, ...parts), 'wx', isExecutable ? EXECUTABLE_MODE : FILE_MODE);
    try {
      for await (const chunk of content) {
        this.#budget.addBytes(chunk.length);
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
  }

  async #makeFolders(parts: string[]): Promise<void> {
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const some = parts.slice(0, depth);
      if (this.#claim(some, 'folder')) await mkdir(join(this.#folder, ...some), { mode: FOLDER_MODE });
    }
  }

  /** False when the folder, or the file, is there already. */
  #claim(parts: string[], type: 'file' | 'folder'): boolean {
    const name = parts.join('/');
    const key = name.normalize('NFC').toLowerCase();
    const known = this.#written.get(key);
    if (known !== undefined) {
      if (known.name !== name)
        throw badArchive(`The names ${quoteName(known.name)} and ${quoteName(name)} are too much alike.`);
      if (known.type !== type) throw badArchive(`${quoteName(name)} is both a file and a folder.`);
      return false;
    }
    this.#budget.addEntry();
    this.#written.set(key, { name, type });
    return true;
  }
}
