// Counts the bytes of each programming language in a tree.
import { streamGit, type GitTarget, splitRecords } from './git-target.ts';
import { languageOf } from './language-table.ts';
import { checkedObjectId } from './objects/object-id.ts';

const TIMEOUT_MS = 60_000;
const MAX_FILES = 200_000;
const SYMBOLIC_LINK = '120000';

/** Bytes by language, the most first. Files beyond the 200,000th do not count. */
export async function countLanguages(target: GitTarget, tree: string): Promise<Record<string, number>> {
  const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', checkedObjectId(tree)];
  const output = streamGit(target, args, { timeoutMs: TIMEOUT_MS });
  const bytes = new Map<string, number>();
  let files = 0;
  for await (const record of splitRecords(output)) {
    files += 1;
    if (files > MAX_FILES) break;
    const counted = countedFile(record.toString());
    if (counted !== undefined) bytes.set(counted.language, (bytes.get(counted.language) ?? 0) + counted.size);
  }
  return Object.fromEntries([...bytes].toSorted(([, one], [, other]) => other - one));
}

function countedFile(record: string): { language: string; size: number } | undefined {
  // Mode, type, id, size and path. A submodule has `-` as its size.
  const [, mode, size, path = ''] = /^(\d+) blob \w+ +(\d+)\t([^]*)$/.exec(record) ?? [];
  if (size === undefined || mode === SYMBOLIC_LINK || size === '0') return undefined;
  const language = languageOf(path);
  return language === undefined ? undefined : { language, size: Number(size) };
}
