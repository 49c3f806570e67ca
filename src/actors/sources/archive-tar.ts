// Reads a tar archive (ustar, pax and GNU's long names) as a stream of entries, and exact numbers of bytes from any stream.
import { badArchive, quoteName, type ArchiveLimits } from './archive-limits.ts';

/** A file, a folder, or something that is neither: a link or a device. */
export interface ArchiveEntry {
  name: string;
  type: 'file' | 'folder' | 'link' | 'other';
  isExecutable: boolean;
  /** To be read before the next entry is asked for; what is left is skipped. Empty unless it is a file. */
  content: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
/** Of pax headers and long names. */
const MAX_HEADER = 64 * 1024;

export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  limits: Pick<ArchiveLimits, 'nameLength'>,
): AsyncGenerator<ArchiveEntry, void> {
  const reader = new ByteReader(source);
  try {
    yield* readEntries(reader, limits);
    // What follows the end is padding; reading it lets the source check its own end.
    await reader.drain();
  } finally {
    await reader.close();
  }
}

async function* readEntries(
  reader: ByteReader,
  limits: Pick<ArchiveLimits, 'nameLength'>,
): AsyncGenerator<ArchiveEntry, void> {
  let long: LongFields = {};
  for (;;) {
    const block = await reader.readOrEnd(BLOCK);
    if (block === undefined || isZero(block)) return;
    const header = parseHeader(block);
    const { type } = header;
    if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
      const text = await readLongHeader(reader, header);
      if (type === 'x') long = { ...long, ...parsePax(text) };
      // A global header may only carry comments, such as the commit of a git archive.
      else if (type === 'g') refuseGlobal(parsePax(text));
      else if (type === 'L') long = { ...long, name: text.toString('utf8').replace(/\0.*$/s, '') };
      continue;
    }
    const size = long.size ?? header.size;
    const name = long.name ?? header.name;
    if (Buffer.byteLength(name) > limits.nameLength)
      throw badArchive(`The name ${quoteName(name)} has more than ${limits.nameLength} bytes.`);
    long = {};
    const content = reader.pieces(size);
    yield {
      name,
      type: typeOf(type, name),
      isExecutable: (header.mode & 0o100) !== 0,
      content: content as AsyncIterable<Uint8Array>,
    };
    for await (const _ of content);
    await reader.skip(padding(size));
  }
}

interface LongFields {
  name?: string;
  size?: number;
}

interface TarHeader {
  name: string;
  mode: number;
  size: number;
  type: string;
}

function typeOf(type: string, name: string): ArchiveEntry['type'] {
  // Old archives mark a folder only by the slash at the end of its name.
  if (type === '0' || type === '\0' || type === '7') return name.endsWith('/') ? 'folder' : 'file';
  if (type === '5') return 'folder';
  return type === '1' || type === '2' ? 'link' : 'other';
}

function parseHeader(block: Buffer): TarHeader {
  const expected = parseNumber(block, 148, 8);
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at += 1) if (at < 148 || at >= 156) sum += block[at]!;
  if (sum !== expected) throw badArchive('The archive is damaged: a checksum of tar is wrong.');
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? textAt(block, 345, 155) : '';
  const name = textAt(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    mode: parseNumber(block, 100, 8),
    size: parseNumber(block, 124, 12),
    type: String.fromCharCode(block[156]!),
  };
}

/** Octal digits, or GNU's binary form for large numbers. */
function parseNumber(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  let value: number;
  if ((field[0]! & 0x80) !== 0) {
    value = 0;
    for (const [at, byte] of field.entries()) value = value * 256 + (at === 0 ? byte & 0x7f : byte);
  } else {
    const digits = field.toString('latin1').replace(/\0.*$/s, '').trim();
    if (!/^[0-7]*$/.test(digits)) throw badArchive('The archive is damaged: a number of tar is wrong.');
    value = digits === '' ? 0 : Number.parseInt(digits, 8);
  }
  if (!Number.isSafeInteger(value)) throw badArchive('The archive is damaged: a number of tar is too large.');
  return value;
}

function textAt(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

async function readLongHeader(reader: ByteReader, { size }: TarHeader): Promise<Buffer> {
  if (size > MAX_HEADER) throw badArchive('The archive has a header of more than 64 KiB.');
  const text = await reader.read(size);
  await reader.skip(padding(size));
  return text;
}

/** Records of the form `LENGTH KEY=VALUE\n`. */
function parsePax(text: Buffer): LongFields {
  const fields: LongFields = {};
  let at = 0;
  while (at < text.length && text[at] !== 0) {
    const space = text.indexOf(0x20, at);
    const length = Number(space === -1 ? Number.NaN : text.toString('latin1', at, space));
    const end = at + length;
    const record = text.toString('utf8', space + 1, end - 1);
    const equals = record.indexOf('=');
    if (!Number.isInteger(length) || end > text.length || space + 1 >= end || equals === -1)
      throw badArchive('The archive is damaged: a pax header is wrong.');
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === 'path') fields.name = value;
    if (key === 'size') fields.size = parseSize(value);
    if (key.startsWith('GNU.sparse.'))
      throw badArchive('The archive has a sparse file, which is not supported.');
    at = end;
  }
  return fields;
}

function parseSize(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badArchive('The archive is damaged: a size is wrong.');
  return Number(text);
}

function refuseGlobal({ name, size }: LongFields): void {
  if (name !== undefined || size !== undefined)
    throw badArchive('The archive gives all files the same name or size.');
}

export function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

/** Reads from a stream of chunks, holding one chunk at a time. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes, or undefined at the very end of the stream. For small numbers. */
  async readOrEnd(count: number): Promise<Buffer | undefined> {
    if (this.#rest.length === 0 && !(await this.#fill())) return undefined;
    return await this.read(count);
  }

  /** For small numbers. */
  async read(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.pieces(count)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Exactly so many bytes, in pieces. */
  async *pieces(count: number): AsyncGenerator<Uint8Array, void> {
    let left = count;
    while (left > 0) {
      if (this.#rest.length === 0 && !(await this.#fill()))
        throw badArchive('The archive ends in the middle of a file.');
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async skip(count: number): Promise<void> {
    for await (const _ of this.pieces(count));
  }

  /** Reads to the end of the stream, for checks that need all of it. */
  async drain(): Promise<void> {
    do this.#rest = new Uint8Array(0);
    while (await this.#fill());
  }

  /** Stops the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #fill(): Promise<boolean> {
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return false;
      if (value.length === 0) continue;
      this.#rest = value;
      return true;
    }
  }
}
