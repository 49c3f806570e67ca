// The commit that last changed each entry of a folder, by one walk through the history of the folder.
import { readGit, splitRecords, type GitTarget } from '../git-target.ts';
import { checkedObjectId } from '../objects/object-id.ts';
import { isStoppedByLimits } from '../process/process-limits.ts';

const TIMEOUT_MS = 5000;
/** Of names: a commit that adds a large folder names all of its files. */
const MAX_OUTPUT = 8 * 1024 ** 2;
const MAX_COMMITS = 2000;
/** A record about a commit, and one about a file, after which comes its name. */
const COMMIT = /^\n*commit ([0-9a-f]{40})$/;
const FILE = /^\n*:/;

export interface ChangedFolder {
  /** The commit to begin at. */
  oid: string;
  /** Empty for the whole repository. */
  path: string;
  /** Of its entries. */
  names: ReadonlySet<string>;
}

/**
 * The id of the commit by the name of the entry. Those that were changed so long ago that the walk would take too much are left out.
 */
export async function findLastChanges(
  target: GitTarget,
  { oid, path, names }: ChangedFolder,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const args = [
    'log',
    '-z',
    '-c',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    '--format=commit %H',
    `--max-count=${MAX_COMMITS}`,
    checkedObjectId(oid),
    '--',
    ...(path === '' ? [] : [path]),
  ];
  const start = path === '' ? 0 : Buffer.byteLength(path) + 1;
  let commit = '';
  let isName = false;
  try {
    const output = readGit(target, args, { timeoutMs: TIMEOUT_MS, maxOutput: MAX_OUTPUT });
    for await (const record of splitRecords(output)) {
      if (isName) {
        isName = false;
        const name = entryName(record.subarray(start));
        if (names.has(name) && !found.has(name)) found.set(name, commit);
        if (found.size === names.size) break;
        continue;
      }
      const text = record.toString('latin1');
      commit = COMMIT.exec(text)?.[1] ?? commit;
      isName = FILE.test(text);
    }
  } catch (error) {
    if (!isStoppedByLimits(error)) throw error;
  }
  return found;
}

/** The first part of a path below the folder. */
function entryName(rest: Buffer): string {
  const slash = rest.indexOf('/');
  return (slash === -1 ? rest : rest.subarray(0, slash)).toString();
}
