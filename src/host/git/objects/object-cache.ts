// Recently used objects of all repositories, limited in bytes. Objects never change, so nothing is ever stale.
import { BoundedCache } from '../../../kernel/collections/bounded-cache.ts';
import type { GitCommit, GitTag } from './commit-object.ts';
import type { ObjectInfo } from './object-reader.ts';
import type { Tree } from './tree.ts';

/** Larger blobs are not stored: a few of them would evict everything else. */
const MAX_CACHED_BLOB = 128 * 1024;
/** About what an entry of the cache, and an entry of a tree with its place in the index, take in memory. */
const ENTRY_BYTES = 300;
const TREE_ENTRY_BYTES = 300;
const INFO_BYTES = 400;
const INFO_SHARE = 0.25;

export type CachedObject =
  | { type: 'blob'; content: Buffer }
  | { type: 'tree'; tree: Tree }
  | { type: 'commit'; commit: GitCommit }
  | { type: 'tag'; tag: GitTag };

/** The number of the repository is part of every key: an object is only readable in a repository that has it. */
export class ObjectCache {
  readonly #objects: BoundedCache<string, CachedObject>;
  readonly #infos: BoundedCache<string, ObjectInfo>;
  /** Begins every key, so that repositories of another kind may have the same numbers. */
  readonly #kind: string;

  constructor(maxBytes: number, shared?: { with: ObjectCache; kind: string }) {
    const own = shared === undefined;
    this.#objects = own
      ? new BoundedCache({ max: maxBytes * (1 - INFO_SHARE), weigh })
      : shared.with.#objects;
    this.#infos = own ? new BoundedCache({ max: (maxBytes * INFO_SHARE) / INFO_BYTES }) : shared.with.#infos;
    this.#kind = shared?.kind ?? '';
  }

  /** The same memory, for repositories that are numbered on their own. */
  forKind(kind: string): ObjectCache {
    return new ObjectCache(0, { with: this, kind });
  }

  /** The objects are shared by all readers, which must not change them. */
  find(number: number, oid: string): CachedObject | undefined {
    return this.#objects.get(this.#keyOf(number, oid));
  }

  add(number: number, oid: string, object: CachedObject): void {
    if (object.type === 'blob' && object.content.length > MAX_CACHED_BLOB) return;
    this.#objects.set(this.#keyOf(number, oid), object);
  }

  findInfo(number: number, oid: string): ObjectInfo | undefined {
    return this.#infos.get(this.#keyOf(number, oid));
  }

  addInfo(number: number, info: ObjectInfo): void {
    this.#infos.set(this.#keyOf(number, info.oid), info);
  }

  #keyOf(number: number, oid: string): string {
    return `${this.#kind}${number}:${oid}`;
  }
}

function weigh(object: CachedObject): number {
  if (object.type === 'blob') return ENTRY_BYTES + object.content.length;
  if (object.type === 'tree')
    return object.tree.entries.reduce((sum, { name }) => sum + TREE_ENTRY_BYTES + name.length, ENTRY_BYTES);
  const { message, signed } = object.type === 'commit' ? object.commit : object.tag;
  return ENTRY_BYTES * 3 + 2 * (message.length + lengthOf(signed));
}

function lengthOf(signed: GitCommit['signed']): number {
  return signed === undefined ? 0 : signed.signature.length + signed.payload.length;
}
