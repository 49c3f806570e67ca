// One bare repository: resolves revisions, and reads its refs and objects.
import type { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import { parseCommit, parseTag, type GitCommit, type GitTag } from './objects/commit-object.ts';
import type { GitProgram } from './process/git-process.ts';
import { listRefs, type ListedRef, type RefListing } from './refs/list-refs.ts';
import type { NewObject } from './objects/new-object.ts';
import type { CachedObject, ObjectCache } from './objects/object-cache.ts';
import { isObjectId } from './objects/object-id.ts';
import type { ObjectAnswer, ObjectInfo } from './objects/object-reader.ts';
import type { ReaderPool } from './objects/reader-pool.ts';
import type { RefReader } from './refs/ref-reader.ts';
import type { RefWriters } from './refs/ref-writers.ts';
import { existsRepository } from './repository-folder.ts';
import { readRevision, splitPath } from './refs/revision.ts';
import type { Expansion } from './objects/tree-expansion.ts';
import { findInTree, parseLargeTree, parseTree, type Tree, type TreeEntry } from './objects/tree.ts';

/** Larger blobs are streamed from a process of their own. */
const MAX_POOLED_BLOB = 1024 ** 2;
export const MAX_TREE = 32 * 1024 ** 2;
/** Larger ones would have to be parsed in slices. */
const MAX_REMEMBERED_TREE = 256 * 1024;
const MAX_COMMIT = 8 * 1024 ** 2;
/** Tags of tags beyond this depth are not followed. */
const MAX_TAG_DEPTH = 10;
const STREAM_TIMEOUT_MS = 60 * 60 * 1000;

export interface RepositoryServices {
  program: GitProgram;
  pool: ReaderPool;
  cache: ObjectCache;
  refs: RefReader;
  refWriters: RefWriters;
  /** How large trees are that were measured, by their ids. */
  expansions: BoundedCache<string, Expansion>;
}

export interface ResolvedRevision {
  oid: string;
  type: string;
  /** The full name, where the revision is a ref. */
  ref?: string;
}

/** An entry that was found by its path. The root has the mode of a tree and an empty name. */
export interface FoundEntry extends TreeEntry {
  path: string;
}

/** What is not there, or is of another type, is undefined. */
export class GitRepository {
  readonly number: number;
  readonly folder: string;
  readonly services: RepositoryServices;
  /** A repository is a `GitTarget`: the functions that write, compare and archive take it as it is, or a copy of it. */
  readonly program: GitProgram;
  readonly refWriters: RefWriters;
  declare readonly signal?: AbortSignal;

  constructor(number: number, folder: string, services: RepositoryServices, signal?: AbortSignal) {
    this.number = number;
    this.folder = folder;
    this.services = services;
    this.program = services.program;
    this.refWriters = services.refWriters;
    if (signal !== undefined) this.signal = signal;
  }

  /** The object id of a ref by its full name, or of `HEAD`. */
  readRef(name: string): Promise<string | undefined> {
    return this.services.refs.read(this.folder, name);
  }

  /** The full name of the default branch, whether it exists or not. */
  readHead(): string | undefined {
    return this.services.refs.readHead(this.folder);
  }

  async listRefs(listing: RefListing): Promise<ListedRef[]> {
    const { program } = this.services;
    const refs = await this.#unlessAbsent(
      listRefs(program, this.folder, { signal: this.signal, ...listing }),
      [],
    );
    return await Promise.all(refs.map((ref) => this.#peelRef(ref)));
  }

  /** A branch, a tag, a full name of a ref, `HEAD`, or an object id of at least four digits. */
  async resolve(revision: string): Promise<ResolvedRevision | undefined> {
    const { refs, hex } = readRevision(revision);
    // A whole id means the object, as git has it, whatever the branches are named.
    const whole = hex?.length === 40 ? await this.readInfo(hex) : undefined;
    if (whole !== undefined) return { oid: whole.oid, type: whole.type };
    for (const ref of refs) {
      const oid = await this.readRef(ref);
      const info = oid === undefined ? undefined : await this.readInfo(oid);
      if (info !== undefined) return { oid: info.oid, type: info.type, ref };
    }
    const info = hex === undefined ? undefined : await this.#findByHex(hex);
    return info && { oid: info.oid, type: info.type };
  }

  /** Follows annotated tags to their commit. The id of a commit may be short if no other commit begins with it. */
  async resolveCommit(revision: string): Promise<GitCommit | undefined> {
    const found = await this.resolve(revision);
    return found && (await this.#peel(found.oid));
  }

  async readCommit(oid: string): Promise<GitCommit | undefined> {
    const found = await this.#readObject(oid, 'commit', MAX_COMMIT);
    return found?.type === 'commit' ? found.commit : undefined;
  }

  async readTree(oid: string): Promise<Tree | undefined> {
    const found = await this.#readObject(oid, 'tree', MAX_TREE);
    return found?.type === 'tree' ? found.tree : undefined;
  }

  async readTag(oid: string): Promise<GitTag | undefined> {
    const found = await this.#readObject(oid, 'tag', MAX_COMMIT);
    return found?.type === 'tag' ? found.tag : undefined;
  }

  async findEntry(commitOrTree: string, path: string): Promise<FoundEntry | undefined> {
    const parts = splitPath(path);
    if (parts === undefined) return undefined;
    const commit = await this.#commitOf(commitOrTree);
    let entry: TreeEntry = { mode: '040000', kind: 'tree', name: '', oid: commit?.tree ?? commitOrTree };
    if (parts.length === 0 && (await this.readTree(entry.oid)) === undefined) return undefined;
    for (const part of parts) {
      if (entry.kind !== 'tree') return undefined;
      const tree = await this.readTree(entry.oid);
      const next = tree && findInTree(tree, part);
      if (next === undefined) return undefined;
      entry = next;
    }
    return { ...entry, path };
  }

  async readInfo(oid: string): Promise<ObjectInfo | undefined> {
    if (!isObjectId(oid)) return undefined;
    const { cache } = this.services;
    const cached = cache.findInfo(this.number, oid);
    if (cached !== undefined) return cached;
    const answer = await this.#request('info', oid);
    if (answer === 'missing' || answer === 'ambiguous') return undefined;
    cache.addInfo(this.number, answer);
    return answer;
  }

  /** Of the first entries of a tree, at least as many as asked for; 0 for what is no blob. They are stored with the tree. */
  async readSizes(tree: Tree, count: number): Promise<readonly number[]> {
    const { entries, sizes: known } = tree;
    if (known !== undefined && known.length >= Math.min(count, entries.length)) return known;
    const some = entries.slice(0, count);
    const oids = some.filter(isSized).map(({ oid }) => oid);
    const answers = await this.#unlessAbsent(this.services.pool.requestAll(this.folder, 'info', oids), []);
    let next = 0;
    const sizes = some.map((entry) => (isSized(entry) ? sizeIn(answers[next++]) : 0));
    if (answers.length === oids.length) tree.sizes = sizes;
    return sizes;
  }

  /** Types and sizes, in the order of the ids. */
  async infos(oids: readonly string[]): Promise<(ObjectInfo | undefined)[]> {
    const { cache, pool } = this.services;
    const infos = oids.map((oid) => cache.findInfo(this.number, oid));
    const missing = [...oids.keys()].filter(
      (index) => infos[index] === undefined && isObjectId(oids[index]!),
    );
    const names = missing.map((index) => oids[index]!);
    const answers = await this.#unlessAbsent(pool.requestAll(this.folder, 'info', names), []);
    for (const [at, index] of missing.entries()) {
      const answer = answers[at];
      if (answer === undefined || answer === 'missing' || answer === 'ambiguous') continue;
      infos[index] = answer;
      cache.addInfo(this.number, answer);
    }
    return infos;
  }

  /** Without `content` where the blob is larger than `max`, or than what is read at once: then it is to be streamed. */
  async readBlob(
    oid: string,
    max = MAX_POOLED_BLOB,
  ): Promise<{ size: number; content?: Buffer } | undefined> {
    const cached = this.services.cache.find(this.number, oid);
    if (cached?.type === 'blob') return withinLimit(cached.content, max);
    const info = await this.readInfo(oid);
    if (info?.type !== 'blob') return undefined;
    if (info.size > Math.min(max, MAX_POOLED_BLOB)) return { size: info.size };
    const found = await this.#readObject(oid, 'blob', MAX_POOLED_BLOB);
    return found?.type === 'blob' ? withinLimit(found.content, max) : undefined;
  }

  /** Fails with a `GitError` for what is no blob: ask for its size first. */
  streamBlob(oid: string, signal = this.signal): AsyncGenerator<Buffer, void, void> {
    if (!isObjectId(oid)) throw new Error('Not an object id.');
    return this.services.program.stream(['cat-file', 'blob', oid], {
      folder: this.folder,
      timeoutMs: STREAM_TIMEOUT_MS,
      ...(signal && { signal }),
    });
  }

  /** Objects that were just written, which are probably read soon. */
  remember(objects: readonly Pick<NewObject, 'oid' | 'type' | 'bytes'>[]): void {
    const { cache } = this.services;
    for (const { oid, type, bytes } of objects) {
      cache.addInfo(this.number, { oid, type, size: bytes.length });
      if (type === 'commit') cache.add(this.number, oid, { type, commit: parseCommit(oid, bytes) });
      if (type === 'tree' && bytes.length <= MAX_REMEMBERED_TREE)
        cache.add(this.number, oid, { type, tree: parseTree(oid, bytes) });
    }
  }

  async #commitOf(oid: string): Promise<GitCommit | undefined> {
    const cached = this.services.cache.find(this.number, oid);
    return cached?.type === 'tree' ? undefined : await this.readCommit(oid);
  }

  async #peel(oid: string): Promise<GitCommit | undefined> {
    let next = oid;
    for (let depth = 0; depth < MAX_TAG_DEPTH; depth += 1) {
      const commit = await this.readCommit(next);
      if (commit !== undefined) return commit;
      const tag = await this.readTag(next);
      if (tag === undefined) return undefined;
      next = tag.target;
    }
    return undefined;
  }

  /** Git before 2.45 follows only the first of several nested tags. */
  async #peelRef(ref: ListedRef): Promise<ListedRef> {
    if (ref.peeled?.type !== 'tag') return ref;
    const commit = await this.#peel(ref.peeled.oid);
    return commit === undefined ? ref : { ...ref, peeled: { oid: commit.oid, type: 'commit' } };
  }

  /** A short id that several objects share means the commit among them, if there is one. */
  async #findByHex(hex: string): Promise<ObjectInfo | undefined> {
    if (hex.length === 40) return undefined;
    let answer = await this.#request('info', hex);
    if (answer === 'ambiguous') answer = await this.#request('info', `${hex}^{commit}`);
    if (answer === 'missing' || answer === 'ambiguous') return undefined;
    // Git would also take the text for the name of a ref.
    return answer.oid.startsWith(hex) ? answer : undefined;
  }

  #request(command: 'info' | 'contents', name: string): Promise<ObjectAnswer> {
    return this.#unlessAbsent(this.services.pool.request(this.folder, command, name), 'missing');
  }

  /** A new fork has no folder for a moment: until then it is read as an empty repository. */
  async #unlessAbsent<Answer>(reading: Promise<Answer>, otherwise: Answer): Promise<Answer> {
    try {
      return await reading;
    } catch (error) {
      if (await existsRepository(this.folder)) throw error;
      return otherwise;
    }
  }

  async #readObject(oid: string, type: string, max: number): Promise<CachedObject | undefined> {
    const { cache } = this.services;
    const cached = cache.find(this.number, oid);
    if (cached !== undefined) return cached;
    const info = await this.readInfo(oid);
    if (info?.type !== type) return undefined;
    if (info.size > max)
      throw new Failure('too-large', `The ${type} ${oid} has ${info.size} bytes; the limit is ${max}.`);
    const answer = await this.#request('contents', oid);
    if (answer === 'missing' || answer === 'ambiguous' || answer.content === undefined) return undefined;
    const object = await parseObject(oid, type, answer.content);
    cache.add(this.number, oid, object);
    return object;
  }
}

async function parseObject(oid: string, type: string, content: Buffer): Promise<CachedObject> {
  switch (type) {
    case 'tree':
      return { type, tree: await parseLargeTree(oid, content) };
    case 'commit':
      return { type, commit: parseCommit(oid, content) };
    case 'tag':
      return { type, tag: parseTag(oid, content) };
    default:
      return { type: 'blob', content };
  }
}

function isSized({ kind }: TreeEntry): boolean {
  return kind === 'blob' || kind === 'symlink';
}

function sizeIn(answer: ObjectAnswer | undefined): number {
  return typeof answer === 'object' ? answer.size : 0;
}

function withinLimit(content: Buffer, max: number): { size: number; content?: Buffer } {
  return content.length > max ? { size: content.length } : { size: content.length, content };
}
