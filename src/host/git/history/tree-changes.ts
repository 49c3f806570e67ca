// Which files differ between two trees, found without a process of git where few folders differ.
import { Failure } from '../../../kernel/failure.ts';
import type { GitRepository } from '../repository.ts';
import type { Tree, TreeEntry } from '../objects/tree.ts';

/** What may be read for one comparison: beyond that a process of git is cheaper. */
const MAX_TREES = 64;
const MAX_ENTRIES = 20_000;

export interface FileDifference {
  path: string;
  /** Absent for a new file. */
  from?: TreeEntry;
  /** Absent for a deleted file. */
  to?: TreeEntry;
}

interface Reading {
  git: GitRepository;
  trees: number;
  entries: number;
  found: FileDifference[];
}

/** In the order of git. Undefined where too much differs, or where git has to say what the names are. */
export async function findTreeChanges(
  git: GitRepository,
  from: string | undefined,
  to: string,
): Promise<FileDifference[] | undefined> {
  const reading: Reading = { git, trees: 0, entries: 0, found: [] };
  try {
    if (!(await compareFolders(reading, from, to, ''))) return undefined;
  } catch (error) {
    // One of the trees is too large to be read at once, or damaged.
    if (error instanceof Failure) return undefined;
    throw error;
  }
  return sortByPath(reading.found);
}

/** False where the comparison has ended early. */
async function compareFolders(
  reading: Reading,
  from: string | undefined,
  to: string | undefined,
  path: string,
): Promise<boolean> {
  if (from === to) return true;
  const former = await readFolder(reading, from);
  const present = await readFolder(reading, to);
  if (former === 'unknown' || present === 'unknown') return false;
  const [left, right] = withoutSameEnds(former?.entries ?? [], present?.entries ?? []);
  const before = new Map(left.map((entry) => [entry.name, entry]));
  const after = new Map(right.map((entry) => [entry.name, entry]));
  for (const [name, entry] of after)
    if (!(await compareEntries(reading, before.get(name), entry, path))) return false;
  for (const [name, entry] of before)
    if (!after.has(name) && !(await compareEntries(reading, entry, undefined, path))) return false;
  return true;
}

/** Both are in the same order, and most of a changed folder is as it was. */
function withoutSameEnds(
  one: readonly TreeEntry[],
  other: readonly TreeEntry[],
): [readonly TreeEntry[], readonly TreeEntry[]] {
  const isSame = (a: TreeEntry | undefined, b: TreeEntry | undefined) =>
    a !== undefined && b !== undefined && a.oid === b.oid && a.name === b.name && a.mode === b.mode;
  let start = 0;
  while (isSame(one[start], other[start])) start += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - start;
  while (end < most && isSame(one[one.length - 1 - end], other[other.length - 1 - end])) end += 1;
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)];
}

async function readFolder(reading: Reading, oid: string | undefined): Promise<Tree | undefined | 'unknown'> {
  if (oid === undefined) return undefined;
  const tree = await reading.git.readTree(oid);
  if (tree === undefined) return 'unknown';
  reading.trees += 1;
  reading.entries += tree.entries.length;
  if (reading.trees > MAX_TREES || reading.entries > MAX_ENTRIES) return 'unknown';
  return tree.entries.some(({ rawName }) => rawName !== undefined) ? 'unknown' : tree;
}

/** A folder in the place of a file means that the file is gone, and the other way round. */
async function compareEntries(
  reading: Reading,
  from: TreeEntry | undefined,
  to: TreeEntry | undefined,
  folder: string,
): Promise<boolean> {
  if (from?.oid === to?.oid && from?.mode === to?.mode) return true;
  const path = `${folder}${(to ?? from)!.name}`;
  const isFile = (entry: TreeEntry | undefined) => entry !== undefined && entry.kind !== 'tree';
  if (isFile(from) || isFile(to))
    reading.found.push({ path, ...(isFile(from) && { from: from! }), ...(isFile(to) && { to: to! }) });
  const folderOf = (entry: TreeEntry | undefined) => (entry?.kind === 'tree' ? entry.oid : undefined);
  return await compareFolders(reading, folderOf(from), folderOf(to), `${path}/`);
}

/** By the bytes of whole paths. */
function sortByPath(found: FileDifference[]): FileDifference[] {
  if (found.length < 2) return found;
  const keyed = found.map((one) => ({ one, key: Buffer.from(one.path) }));
  return keyed.toSorted((a, b) => a.key.compare(b.key)).map(({ one }) => one);
}
