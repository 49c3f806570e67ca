// Lists the entries of a tree with the sizes of its files, or of all trees below it, up to a limit.
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import { streamGit, splitRecords } from '../git-target.ts';
import { checkedObjectId } from './object-id.ts';
import type { GitRepository } from '../repository.ts';

const TIMEOUT_MS = 60_000;
/** A process costs more than requests for this many sizes. */
const MAX_READ_BYTES = 16 * 1024;
/** How many entries are read between two looks at the clock. */
const ENTRIES_PER_STEP = 200;

export interface ListedEntry {
  path: string;
  /** Six octal digits. */
  mode: string;
  type: 'blob' | 'tree' | 'commit';
  oid: string;
  /** Of files and symbolic links. */
  size?: number;
}

/** Undefined where there is no such tree. The listing ends where `isFull` returns true for the next entry. */
export async function listTree(
  git: GitRepository,
  oid: string,
  isRecursive: boolean,
  isFull: (next: ListedEntry) => boolean,
): Promise<{ entries: ListedEntry[]; isTruncated: boolean } | undefined> {
  const info = await git.readInfo(oid);
  if (info?.type !== 'tree') return undefined;
  const isSmall = !isRecursive && info.size <= MAX_READ_BYTES;
  const entries: ListedEntry[] = [];
  const slice = new TimeSlice();
  for await (const entry of isSmall ? readEntries(git, oid) : streamEntries(git, oid, isRecursive)) {
    if (isFull(entry)) return { entries, isTruncated: true };
    entries.push(entry);
    if (entries.length % ENTRIES_PER_STEP === 0 && slice.isOver) await slice.yieldToEventLoop();
  }
  return { entries, isTruncated: false };
}

async function* readEntries(git: GitRepository, oid: string): AsyncGenerator<ListedEntry, void, void> {
  const tree = await git.readTree(oid);
  const entries = tree?.entries ?? [];
  const isFile = (kind: string) => kind === 'blob' || kind === 'symlink';
  const infos = await git.infos(entries.map((entry) => (isFile(entry.kind) ? entry.oid : '')));
  for (const [index, { name: path, mode, kind, oid: id }] of entries.entries()) {
    const type = kind === 'symlink' ? 'blob' : kind;
    const size = infos[index]?.size;
    yield { path, mode, type, oid: id, ...(size !== undefined && { size }) };
  }
}

async function* streamEntries(
  git: GitRepository,
  oid: string,
  isRecursive: boolean,
): AsyncGenerator<ListedEntry, void, void> {
  const depth = isRecursive ? ['-r', '-t'] : [];
  const args = ['ls-tree', ...depth, '-l', '-z', '--full-tree', checkedObjectId(oid)];
  for await (const record of splitRecords(streamGit(git, args, { timeoutMs: TIMEOUT_MS }))) {
    const text = record.toString();
    const tab = text.indexOf('\t');
    const [mode = '', type = '', id = '', size = ''] = text.slice(0, tab).split(/ +/);
    yield {
      path: text.slice(tab + 1),
      mode,
      type: type as ListedEntry['type'],
      oid: id,
      ...(/^\d+$/.test(size) && { size: Number(size) }),
    };
  }
}
