// Packs a folder into a compressed tar that depends on its content alone: the same files always have the same hash.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, createWriteStream, readableFrom } from '../../kernel/network/streams.ts';
import { ARCHIVE_LIMITS, ArchiveBudget, type ArchiveLimits } from './archive-limits.ts';
import { padding } from './archive-tar.ts';

export interface PackedFolder {
  /** The SHA-256 of the tar before compression: versions of zlib compress the same content differently. */
  hash: string;
  /** Of the files, unpacked. */
  bytes: number;
}

export interface PackOptions {
  /** The name of an entry at the top that is left out. */
  without?: readonly string[];
  limits?: ArchiveLimits;
  signal?: AbortSignal;
}

const BLOCK = 512;

/**
 * Links and devices are left out: an install script may have made some, and following one would disclose files of the server.
 * The folder must not change meanwhile.
 */
export async function packFolder(
  folder: string,
  file: string,
  options: PackOptions = {},
): Promise<PackedFolder> {
  const { limits = ARCHIVE_LIMITS, signal } = options;
  const hash = createHash('sha256');
  const budget = new ArchiveBudget(limits);
  await pipeline(
    readableFrom(hashed(writeTar(folder, budget, options), hash)),
    createGzip(),
    createWriteStream(file, { mode: 0o600 }),
    signal === undefined ? {} : { signal },
  );
  return { hash: hash.digest('hex'), bytes: budget.bytes };
}

/** The hash that `packFolder` would give, without writing anything. */
export async function hashFolder(folder: string, options: PackOptions = {}): Promise<string> {
  const hash = createHash('sha256');
  const budget = new ArchiveBudget(options.limits ?? ARCHIVE_LIMITS);
  for await (const chunk of writeTar(folder, budget, options)) {
    options.signal?.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest('hex');
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

async function* writeTar(
  folder: string,
  budget: ArchiveBudget,
  { without = [] }: PackOptions,
): AsyncGenerator<Uint8Array, void> {
  for await (const { name, isFolder } of walk(folder, without)) {
    budget.addEntry();
    if (isFolder) yield* header(`${name}/`, 0, 0o755, '5');
    else yield* writeFile(join(folder, name), name, budget);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** In the order of the bytes of their names, which no setting of the machine changes. */
async function* walk(
  folder: string,
  without: readonly string[],
  prefix = '',
): AsyncGenerator<{ name: string; isFolder: boolean }, void> {
  const names = (await readdir(join(folder, prefix))).filter(
    (name) => prefix !== '' || !without.includes(name),
  );
  names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const own of names) {
    const name = prefix === '' ? own : `${prefix}/${own}`;
    const stats = await lstat(join(folder, name));
    if (stats.isDirectory()) {
      yield { name, isFolder: true };
      yield* walk(folder, without, name);
    } else if (stats.isFile()) {
      yield { name, isFolder: false };
    }
  }
}

async function* writeFile(
  path: string,
  name: string,
  budget: ArchiveBudget,
): AsyncGenerator<Uint8Array, void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size, mode } = await file.stat();
    budget.addBytes(size);
    yield* header(name, size, (mode & 0o111) === 0 ? 0o644 : 0o755, '0');
    let left = size;
    while (left > 0) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(left, 64 * 1024)));
      if (bytesRead === 0) throw new Error(`${path} was changed while it was read`);
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    yield Buffer.alloc(padding(size));
  } finally {
    await file.close();
  }
}

/** A ustar header; a name that does not fit stands in a pax header before it. */
function* header(name: string, size: number, mode: number, type: string): Generator<Uint8Array, void> {
  const raw = Buffer.from(name);
  const isLong = raw.length > 100 || raw.length !== name.length || size > 0o77777777777;
  if (isLong) {
    const records = Buffer.concat([paxRecord('path', name), paxRecord('size', String(size))]);
    yield block('pax', records.length, 0o644, 'x');
    yield records;
    yield Buffer.alloc(padding(records.length));
  }
  yield block(isLong ? 'long' : name, isLong && size > 0o77777777777 ? 0 : size, mode, type);
}

/** The length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (rest.length + String(length).length !== length) length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function block(name: string, size: number, mode: number, type: string): Buffer {
  const buffer = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  buffer.write(name, 0, 'latin1');
  buffer.write(octal(mode, 8), 100, 'latin1');
  buffer.write(octal(0, 8), 108, 'latin1');
  buffer.write(octal(0, 8), 116, 'latin1');
  buffer.write(octal(size, 12), 124, 'latin1');
  buffer.write(octal(0, 12), 136, 'latin1');
  buffer.write(' '.repeat(8), 148, 'latin1');
  buffer.write(type, 156, 'latin1');
  buffer.write('ustar\x0000', 257, 'latin1');
  let sum = 0;
  for (const byte of buffer) sum += byte;
  buffer.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return buffer;
}
