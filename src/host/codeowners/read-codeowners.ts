// Finds the CODEOWNERS file of a commit, in the three places where it may be.
import type { GitRepository } from '../git/repository.ts';

export interface CodeownersFile {
  path: string;
  /** The id of its content. */
  oid: string;
  /** Undefined for a file that is larger than three megabytes, which has no effect. */
  text: string | undefined;
}

const PLACES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];
export const MAX_CODEOWNERS_BYTES = 3 * 1024 ** 2;

/** The first that is a file. */
export async function findCodeowners(
  repository: GitRepository,
  commit: string,
): Promise<CodeownersFile | undefined> {
  for (const path of PLACES) {
    const entry = await repository.findEntry(commit, path);
    if (entry?.kind !== 'blob') continue;
    const { oid } = entry;
    return { path, oid, text: await readText(repository, oid) };
  }
  return undefined;
}

async function readText(repository: GitRepository, oid: string): Promise<string | undefined> {
  const blob = await repository.readBlob(oid);
  if (blob === undefined || blob.size > MAX_CODEOWNERS_BYTES) return undefined;
  const content = blob.content ?? Buffer.concat(await Array.fromAsync(repository.streamBlob(oid)));
  return content.toString();
}
