// Writes files that users name into a folder, and never outside of it.
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  badArchive,
  parseEntryName,
  quoteName,
  type ArchiveBudget,
  type ArchiveLimits,
} from './archive-limits.ts';

const FILE_MODE = 0o644;
const EXECUTABLE_MODE = 0o755;
const FOLDER_MODE = 0o755;

interface WrittenName {
  name: string;
  type: 'file' | 'folder';
}

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
