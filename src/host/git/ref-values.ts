// Reads the values of many references: of given names, or of all branches and tags.
import { streamGit } from './git-target.ts';
import type { GitRepository } from './repository.ts';

const TIMEOUT_MS = 60_000;
/** More names than this are read by one process instead of one file each. */
const MAX_FILES = 50;

/** By full name; those that do not exist are missing. Without names, all branches and tags. */
export async function readRefValues(
  repository: GitRepository,
  names?: readonly string[],
): Promise<Map<string, string>> {
  if (names === undefined) return await listValues(repository);
  if (names.length > MAX_FILES) {
    const wanted = new Set(names);
    return new Map([...(await listValues(repository))].filter(([name]) => wanted.has(name)));
  }
  const values = new Map<string, string>();
  for (const name of names) {
    const oid = await repository.readRef(name);
    if (oid !== undefined) values.set(name, oid);
  }
  return values;
}

async function listValues(repository: GitRepository): Promise<Map<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', '--', 'refs/heads/', 'refs/tags/'];
  const values = new Map<string, string>();
  let rest = '';
  for await (const chunk of streamGit(repository, args, { timeoutMs: TIMEOUT_MS })) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) values.set(Buffer.from(line.slice(41), 'latin1').toString(), line.slice(0, 40));
  }
  return values;
}
