// Reads the bytes of tree objects.
import { Failure } from '../../../kernel/failure.ts';
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';

const OBJECT_ID_BYTES = 20;
const MODE_DIGITS = 6;
/** How many entries are read between two looks at the clock. */
const ENTRIES_PER_STEP = 500;

export type TreeEntryKind = 'blob' | 'tree' | 'commit' | 'symlink';

export interface TreeEntry {
  /** Six octal digits, such as `100644` or `040000`. */
  mode: string;
  kind: TreeEntryKind;
  /** Bytes that are not UTF-8 are replaced by U+FFFD. */
  name: string;
  /** Only for a name that is not UTF-8. */
  rawName?: Buffer;
  oid: string;
}

export interface Tree {
  oid: string;
  /** In the order of the tree object. */
  entries: readonly TreeEntry[];
  /** Of the first entries, once they were asked for. What is no blob has 0. */
  sizes?: readonly number[];
  /** Made when it is searched again and again. */
  byName?: ReadonlyMap<string, TreeEntry>;
  searches?: number;
}

/** A look through all entries costs far less than a map of them. */
const SEARCHES_WITHOUT_MAP = 8;

/** An entry whose name is not UTF-8 is never found: its replaced name may be that of another. */
export function findInTree(tree: Tree, name: string): TreeEntry | undefined {
  tree.searches = (tree.searches ?? 0) + 1;
  if (tree.byName === undefined && tree.searches <= SEARCHES_WITHOUT_MAP)
    return tree.entries.find((entry) => entry.name === name && entry.rawName === undefined);
  tree.byName ??= new Map(
    tree.entries.filter(({ rawName }) => rawName === undefined).map((entry) => [entry.name, entry]),
  );
  return tree.byName.get(name);
}

/** Names are as they are stored: they may contain newlines, and be hostile. */
export function parseTree(oid: string, bytes: Buffer): Tree {
  const entries: TreeEntry[] = [];
  for (const entry of readEntries(oid, bytes)) entries.push(entry);
  return { oid, entries };
}

/** For trees that may have many thousand entries. */
export async function parseLargeTree(oid: string, bytes: Buffer): Promise<Tree> {
  const slice = new TimeSlice();
  const entries: TreeEntry[] = [];
  for (const entry of readEntries(oid, bytes)) {
    entries.push(entry);
    if (entries.length % ENTRIES_PER_STEP === 0 && slice.isOver) await slice.yieldToEventLoop();
  }
  return { oid, entries };
}

function* readEntries(oid: string, bytes: Buffer): Generator<TreeEntry> {
  // Parts of one large text cost a third of what one call of `toString` for each entry costs.
  const text = bytes.toString('latin1');
  const hex = bytes.toString('hex');
  for (let start = 0; start < bytes.length;) {
    const space = text.indexOf(' ', start);
    if (space === -1 || space - start > MODE_DIGITS) throw brokenTree(oid);
    let allBits = 0;
    let end = space + 1;
    for (; end < bytes.length && bytes[end] !== 0; end += 1) allBits |= bytes[end]!;
    const next = end + 1 + OBJECT_ID_BYTES;
    if (next > bytes.length) throw brokenTree(oid);
    const mode = text.slice(start, space).padStart(MODE_DIGITS, '0');
    const isAscii = allBits < 0x80;
    const name = isAscii ? text.slice(space + 1, end) : bytes.toString('utf8', space + 1, end);
    const entry: TreeEntry = { mode, kind: kindOf(mode), name, oid: hex.slice(2 * (end + 1), 2 * next) };
    if (!isAscii && name.includes('\ufffd')) markReplaced(entry, bytes.subarray(space + 1, end));
    yield entry;
    start = next;
  }
}

/** The replacement character may also be part of the name itself. */
function markReplaced(entry: TreeEntry, rawName: Buffer): void {
  if (!Buffer.from(entry.name).equals(rawName)) entry.rawName = Buffer.from(rawName);
}

function kindOf(mode: string): TreeEntryKind {
  switch (mode) {
    case '040000':
      return 'tree';
    case '120000':
      return 'symlink';
    case '160000':
      return 'commit';
    default:
      return 'blob';
  }
}

function brokenTree(oid: string): Failure {
  return new Failure('internal', `The tree ${oid} is damaged.`);
}
