// Reads the guides that came with the server.
import { readdir, readFile } from 'node:fs/promises';
import { memoizeAsync } from '../../kernel/collections/memoize-async.ts';
import { parseGuide, type Guide } from './guide.ts';

/** In the package they are beside the bundle, in a clone with the documents. */
const FOLDERS = ['./guide/', '../../../docs/guide/'];
const FILE = /^(?<name>[a-z0-9-]+)\.md$/;

/** By name, in the order of their titles. Empty where there are none. */
export const readGuides = memoizeAsync(async (): Promise<ReadonlyMap<string, Guide>> => {
  const guides: Guide[] = [];
  for (const path of FOLDERS) {
    const folder = new URL(path, import.meta.url);
    for (const file of await listFiles(folder)) {
      const name = FILE.exec(file)?.groups?.['name'];
      if (name !== undefined) guides.push(parseGuide(name, await readFile(new URL(file, folder), 'utf8')));
    }
    if (guides.length > 0) break;
  }
  const sorted = guides.toSorted((one, other) => (one.title < other.title ? -1 : 1));
  return new Map(sorted.map((guide) => [guide.name, guide]));
});

async function listFiles(folder: URL): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
