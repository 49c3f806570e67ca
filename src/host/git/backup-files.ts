// The files of repositories for a backup: the references as they are at one moment, then the objects, which are complete for them.
import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import { readFilePieces } from '../../kernel/storage/disk/file-pieces.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../kernel/storage/disk/private-files.ts';
import { createRepositoryFolder, existsRepository, repositoryFolder } from './repository-folder.ts';

/** The tables whose rows have repositories, by the folder of their kind. */
export const BACKED_UP_REPOSITORIES = [
  { table: 'repositories', kind: '' },
  { table: 'gists', kind: 'gists' },
] as const;

/** Without temporary files, locks, and what maintenance makes from the objects. */
const OBJECT =
  /^objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]+\.(?:pack|idx|rev|bitmap|mtimes))$/;
const REFS = 'packed-refs';
const HEAD = 'HEAD';
const KIND = /^(?:gists)?$/;
const REF_LINE = /^[0-9a-f]{40} refs\/[^\s~^:?*[\\]+$/;

interface RepositoryFile {
  path: string;
  /** The same for further names of one file. */
  inode?: string;
  /** Of one whose content has a name of its own. */
  modifiedAt?: number;
  open(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** None where the folder is not there (yet, or any more). Maintenance gives way to a backup: a file that it still replaces fails the backup. */
export async function* listRepositoryFiles(
  root: string,
  kind: string,
  number: number,
): AsyncGenerator<RepositoryFile, void, void> {
  const folder = repositoryFolder(join(root, kind), number);
  if (!(await existsRepository(folder))) return;
  const refs = await readRefs(folder);
  const head = await readFile(join(folder, HEAD));
  yield { path: HEAD, open: () => [head] };
  yield { path: REFS, open: () => [Buffer.from(refs)] };
  // Loose objects come first, because maintenance packs them before it deletes them.
  const names = (await readdir(join(folder, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const name of [...names, 'pack']) {
    for (const file of await readdir(join(folder, 'objects', name)).catch(() => [])) {
      const path = `objects/${name}/${file}`;
      if (!OBJECT.test(path)) continue;
      const found = await stat(join(folder, path)).catch(() => undefined);
      if (found === undefined) continue;
      const inode = found.nlink > 1 ? `${found.dev}:${found.ino}` : undefined;
      yield {
        path,
        ...(inode && { inode }),
        modifiedAt: found.mtimeMs,
        open: () => readFilePieces(join(folder, path)),
      };
    }
  }
}

/** As a file of packed references. Single files first: git moves them into the packed ones. */
async function readRefs(folder: string): Promise<string> {
  const refs = new Map<string, string>();
  const entries = await readdir(join(folder, 'refs'), { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.endsWith('.lock')) continue;
    const name = join(entry.parentPath, entry.name).slice(folder.length + 1);
    const oid = (await readFile(join(folder, name), 'utf8').catch(() => '')).trim();
    if (/^[0-9a-f]{40}$/.test(oid)) refs.set(name, oid);
  }
  const packed = await readFile(join(folder, REFS), 'utf8').catch(() => '');
  for (const line of packed.split('\n')) {
    const name = line.slice(41);
    if (REF_LINE.test(line) && !refs.has(name)) refs.set(name, line.slice(0, 40));
  }
  const lines = [...refs].map(([name, oid]) => ({ name: Buffer.from(name), line: `${oid} ${name}\n` }));
  lines.sort((a, b) => a.name.compare(b.name));
  return `# pack-refs with: sorted \n${lines.map(({ line }) => line).join('')}`;
}

/** Writes a file of a backup, whose path may come from anywhere. The first one of a repository makes its folder. */
export async function restoreRepositoryFile(
  root: string,
  { kind, number, path }: { kind: string; number: number; path: string },
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (!KIND.test(kind) || !(path === HEAD || path === REFS || OBJECT.test(path)))
    throw new Failure('invalid', `The backup has a file that no repository has: ${JSON.stringify(path)}.`);
  const folder = repositoryFolder(join(root, kind), number);
  if (!(await existsRepository(folder))) await createRepositoryFolder(join(root, kind), number, 'main');
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const handle = await open(file, 'w', PRIVATE_FILE);
  try {
    for await (const chunk of bytes) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
