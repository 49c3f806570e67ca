// Reads single refs from their files, by exact name: git's own lookup would also try other names, and cost a process.
import { existsSync, readFileSync, statSync, type BigIntStats } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundedCache } from '../../../kernel/collections/bounded-cache.ts';
import { isValidRefName } from './revision.ts';

/** As many as git follows. */
const MAX_LINKS = 5;
const NEWLINE = 0x0a;
const HASH = 0x23;
const CARET = 0x5e;

/** The file `packed-refs` as it was read, and what tells whether it has changed. */
interface PackedRefs {
  bytes: Buffer;
  version: string;
}

export class RefReader {
  readonly #packed: BoundedCache<string, PackedRefs>;

  constructor(cacheBytes: number) {
    this.#packed = new BoundedCache({ max: cacheBytes, weigh: ({ bytes }) => bytes.length + 200 });
  }

  /** The object id that the ref has; undefined where there is no such ref. `HEAD` is followed to its branch. */
  async read(folder: string, name: string): Promise<string | undefined> {
    let next = name;
    for (let links = 0; links <= MAX_LINKS; links += 1) {
      if (next !== 'HEAD' && !isValidRefName(next)) return undefined;
      // Git writes `packed-refs` before it deletes the file of a ref, so one of the two always has it.
      const text = readSmall(join(folder, next)) ?? (await this.#findPacked(folder, next));
      const oid = /^[0-9a-f]{40}(?=\s|$)/.exec(text ?? '')?.[0];
      if (oid !== undefined) return oid;
      const [, target] = /^ref: *([^\n]+)/.exec(text ?? '') ?? [];
      if (target === undefined) return undefined;
      next = target;
    }
    return undefined;
  }

  /** The branch that `HEAD` names, whether it exists or not. */
  readHead(folder: string): string | undefined {
    return /^ref: *(refs\/heads\/[^\n]+)/.exec(readSmall(join(folder, 'HEAD')) ?? '')?.[1];
  }

  forget(folder: string): void {
    this.#packed.delete(folder);
  }

  async #findPacked(folder: string, name: string): Promise<string | undefined> {
    const file = join(folder, 'packed-refs');
    const found = ifPresent(() => statSync(file, { bigint: true, throwIfNoEntry: false }));
    if (found === undefined) return undefined;
    const version = `${found.ino}:${found.size}:${found.mtimeNs}`;
    let packed = this.#packed.get(folder);
    if (packed?.version !== version) {
      const bytes = await readFile(file).catch(ifAbsent);
      if (bytes === undefined) return undefined;
      // If it has been replaced since `stat`, the next read sees another version and reads it again.
      packed = { bytes, version };
      this.#packed.set(folder, packed);
    }
    return searchPacked(packed.bytes, name);
  }
}

/** Lines `<id> <name>`, sorted by name, between comments (`#`) and the targets of tags (`^`): a binary search. */
function searchPacked(bytes: Buffer, name: string): string | undefined {
  const wanted = Buffer.from(name);
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const start = lineStart(bytes, (low + high) >> 1, low);
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const isOther = bytes[start] === HASH || bytes[start] === CARET;
    const order = isOther ? 1 : wanted.compare(bytes, start + 41, end);
    if (order === 0) return bytes.toString('latin1', start, start + 40);
    if (order < 0) high = start;
    else low = Math.max(end + 1, low);
  }
  return undefined;
}

/** The beginning of the line of a ref at or before the position. A line with `^` belongs to the one before it. */
function lineStart(bytes: Buffer, position: number, least: number): number {
  let at = position;
  for (;;) {
    const newline = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1);
    const start = Math.max(newline + 1, least);
    if (bytes[start] !== CARET || start === least) return start;
    at = start - 1;
  }
}

/**
 * Every call about a branch begins here. The file has 41 bytes, which the system has in memory: to read it through a
 * promise takes six times the CPU.
 */
function readSmall(file: string): string | undefined {
  // For an absent file, this is cheaper than an exception.
  return existsSync(file) ? ifPresent(() => readFileSync(file, 'utf8')) : undefined;
}

function ifPresent<Found extends string | BigIntStats>(read: () => Found | undefined): Found | undefined {
  try {
    return read();
  } catch (error) {
    return ifAbsent(error as NodeJS.ErrnoException);
  }
}

/** A folder in the place of the file is a ref whose name continues. */
function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) throw error;
}
