// How large trees are when all folders below them are listed: folders that have each other several times make billions of
// entries of a few hundred bytes. Each tree is read once, whatever the number of paths that lead to it.
import type { BoundedCache } from '../../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../../kernel/failure.ts';
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import type { ReaderPool } from './reader-pool.ts';
import { MAX_TREE } from '../repository.ts';

export interface Expansion {
  /** Files and folders, on all levels. */
  entries: number;
  /** The bytes of all their paths. */
  pathBytes: number;
  /** How many levels of folders are below. */
  depth: number;
}

/** A tree of more is refused when it comes in. */
export const MAX_EXPANSION: Expansion = { entries: 2_000_000, pathBytes: 512 * 1024 ** 2, depth: 1000 };
/** Read and measured together. */
export const TREES_AT_ONCE = 200;
const ENTRIES_PER_STEP = 1000;
/** Of mode, space, NUL and id, beside the name. */
const ID_BYTES = 20;
const FOLDER_MODE = '40000 ';
const NOTHING: Expansion = { entries: 0, pathBytes: 0, depth: 0 };

interface OwnEntries {
  entries: number;
  nameBytes: number;
  folders: { oid: string; nameBytes: number }[];
}

interface TreeSource {
  /** Those of the trees that are there. */
  read(oids: readonly string[]): AsyncIterable<{ oid: string; bytes: Buffer }>;
  known: BoundedCache<string, Expansion>;
}

/** Measures trees of one repository that may share folders. */
export class TreeMeasure {
  readonly #source: TreeSource;
  readonly #slice = new TimeSlice();
  /** What this measure has found: unlike the cache, it forgets nothing before it is done. */
  #found = new Map<string, Expansion>();

  constructor(source: TreeSource) {
    this.#source = source;
  }

  /** @throws {Failure} where one of the trees is larger than any may be. */
  async measure(roots: readonly string[]): Promise<Expansion[]> {
    if (this.#found.size > MAX_EXPANSION.entries / 8) this.#found = new Map();
    const read = new Map<string, OwnEntries>();
    const stack = roots.filter((root) => this.#find(root) === undefined);
    await this.#readTrees(stack, read);
    for (let oid = stack.at(-1); oid !== undefined; oid = stack.at(-1)) {
      if (this.#find(oid) !== undefined) {
        stack.pop();
        continue;
      }
      if (!read.has(oid)) await this.#readTrees([oid], read);
      const own = read.get(oid);
      if (own === undefined) {
        // It is not there, so that nothing can list it.
        this.#found.set(oid, NOTHING);
        continue;
      }
      const unknown = [...new Set(own.folders.map((folder) => folder.oid))].filter(
        (folder) => this.#find(folder) === undefined,
      );
      if (unknown.length === 0) {
        this.#add(oid, this.#sum(own));
        read.delete(oid);
      } else {
        await this.#readTrees(
          unknown.filter((folder) => !read.has(folder)),
          read,
        );
        // Each of them is at least one entry.
        if (read.size > MAX_EXPANSION.entries) throw tooLarge();
        for (const folder of unknown) stack.push(folder);
      }
      if (this.#slice.isOver) await this.#slice.yieldToEventLoop();
    }
    return roots.map((root) => this.#find(root)!);
  }

  #find(oid: string): Expansion | undefined {
    return this.#found.get(oid) ?? this.#source.known.get(oid);
  }

  #add(oid: string, expansion: Expansion): void {
    const { entries, pathBytes, depth } = expansion;
    if (entries > MAX_EXPANSION.entries || pathBytes > MAX_EXPANSION.pathBytes || depth > MAX_EXPANSION.depth)
      throw tooLarge();
    this.#found.set(oid, expansion);
    this.#source.known.set(oid, expansion);
  }

  #sum({ entries, nameBytes, folders }: OwnEntries): Expansion {
    const sum = { entries, pathBytes: nameBytes, depth: 0 };
    for (const folder of folders) {
      const below = this.#find(folder.oid)!;
      sum.entries += below.entries;
      // Each path below has the name of the folder and a slash before it.
      sum.pathBytes += below.pathBytes + below.entries * (folder.nameBytes + 1);
      sum.depth = Math.max(sum.depth, below.depth + 1);
    }
    return sum;
  }

  async #readTrees(oids: readonly string[], read: Map<string, OwnEntries>): Promise<void> {
    for (let start = 0; start < oids.length; start += TREES_AT_ONCE) {
      const batch = oids.slice(start, start + TREES_AT_ONCE);
      for await (const { oid, bytes } of this.#source.read(batch))
        read.set(oid, await this.#readEntries(bytes));
    }
  }

  async #readEntries(bytes: Buffer): Promise<OwnEntries> {
    const own: OwnEntries = { entries: 0, nameBytes: 0, folders: [] };
    for (let start = 0; start < bytes.length;) {
      const space = bytes.indexOf(0x20, start);
      const end = bytes.indexOf(0, start);
      if (space === -1 || end === -1 || space > end) break;
      const nameBytes = end - space - 1;
      own.entries += 1;
      own.nameBytes += nameBytes;
      const mode = bytes.toString('latin1', start, space + 1);
      if (mode === FOLDER_MODE || mode === `0${FOLDER_MODE}`)
        own.folders.push({ oid: bytes.toString('hex', end + 1, end + 1 + ID_BYTES), nameBytes });
      start = end + 1 + ID_BYTES;
      if (own.entries % ENTRIES_PER_STEP === 0 && this.#slice.isOver) await this.#slice.yieldToEventLoop();
    }
    return own;
  }
}

function tooLarge(): Failure {
  const { entries, depth } = MAX_EXPANSION;
  const limits = `${entries.toLocaleString('en')} files and folders, ${depth} levels`;
  return new Failure(
    'invalid',
    `The tree is too large when all folders below it are listed: the limits are ${limits}, and 512 MiB of paths.`,
  );
}

const MAX_BYTES_AT_ONCE = 8 * 1024 ** 2;

interface StoredTrees {
  pool: ReaderPool;
  folder: string;
  known: TreeSource['known'];
}

/**
 * By a reader of the repository, few trees at once, so that they can be held in memory. `fresh` are trees that are
 * not written yet.
 */
export function openTreeSource(
  { pool, folder, known }: StoredTrees,
  fresh: ReadonlyMap<string, Buffer> = new Map(),
): TreeSource {
  async function* readStored(oids: readonly string[]) {
    for (const answer of await pool.requestAll(folder, 'contents', oids))
      if (typeof answer === 'object' && answer.type === 'tree')
        yield { oid: answer.oid, bytes: answer.content! };
  }
  async function* read(oids: readonly string[]) {
    const stored: string[] = [];
    for (const oid of oids) {
      const bytes = fresh.get(oid);
      if (bytes === undefined) stored.push(oid);
      else yield { oid, bytes };
    }
    let batch: string[] = [];
    let size = 0;
    for (const info of await pool.requestAll(folder, 'info', stored)) {
      if (typeof info !== 'object') continue;
      if (info.size > MAX_TREE)
        throw new Failure('too-large', `The tree ${info.oid} has more than ${MAX_TREE} bytes.`);
      batch.push(info.oid);
      size += info.size;
      if (size < MAX_BYTES_AT_ONCE) continue;
      yield* readStored(batch);
      [batch, size] = [[], 0];
    }
    yield* readStored(batch);
  }
  return { known, read };
}
