// Reads single files of sources, which users wrote: no links, no long files, only text.
import { constants } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../kernel/failure.ts';

/** Reads files of the sources. */
export interface SourceReader {
  /** Undefined when there is no such file. Refuses one that is longer than the limit. */
  read(path: string, maxBytes: number): Promise<string | undefined>;
  /** The names in the top folder. */
  list(): Promise<string[]>;
}

export function badDefinition(message: string): Failure {
  return new Failure('invalid', message);
}

/** The paths must not leave the folder, in which no folder is a link. */
export function readerOf(folder: string): SourceReader {
  return {
    async read(path, maxBytes) {
      const file = await openFile(join(folder, path));
      if (file === undefined) return undefined;
      try {
        const stats = await file.stat();
        if (!stats.isFile()) return undefined;
        if (stats.size > maxBytes)
          throw badDefinition(`${path} has more than ${maxBytes.toLocaleString('en')} bytes.`);
        // PostgreSQL stores no zero character.
        return (await file.readFile('utf8')).replaceAll('\0', '\uFFFD');
      } finally {
        await file.close();
      }
    },
    list: () => readdir(folder),
  };
}

/** Opens a regular file without following a link, and without waiting for a pipe. */
async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO', 'ENAMETOOLONG'].includes(code)) return undefined;
    throw error;
  }
}
