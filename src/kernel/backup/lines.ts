// Lines of JSON in parts of a few megabytes, compressed: the rows of tables, and the lists of blobs and files.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { collect, DamagedBackup, type BackupReader, type BackupWriter } from './archive.ts';
import type { ObjectRef } from './manifest.ts';

const compress = promisify(zstdCompress);
const decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(zstdDecompress);

const PART = 4 * 1024 ** 2;
/** A part holds one line more than it should, which may have a record of many megabytes. */
const MAX_PART = 512 * 1024 ** 2;

export class LineWriter {
  readonly parts: ObjectRef[] = [];
  count = 0;
  readonly #writer: BackupWriter;
  readonly #sum = new LineChecksum();
  #lines: string[] = [];
  #length = 0;

  constructor(writer: BackupWriter) {
    this.#writer = writer;
  }

  async add(value: unknown): Promise<void> {
    const line = JSON.stringify(value);
    this.#sum.add(line);
    this.#lines.push(line);
    this.#length += line.length;
    this.count += 1;
    if (this.#length >= PART) await this.#flush();
  }

  /** The checksum of all lines. */
  async end(): Promise<string> {
    await this.#flush();
    return this.#sum.digest();
  }

  async #flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const bytes = await compress(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    this.#length = 0;
    this.parts.push(await this.#writer.put(() => [bytes]));
  }
}

/** The lines of a part, each with its value. */
export async function readLines(
  reader: BackupReader,
  part: ObjectRef,
): Promise<{ line: string; value: unknown }[]> {
  const bytes = await collect(reader.open(part));
  try {
    const text = (await decompress(bytes, { maxOutputLength: MAX_PART })).toString();
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => ({ line, value: JSON.parse(line) as unknown }));
  } catch (error) {
    throw new DamagedBackup(`a part cannot be read: ${(error as Error).message}`, error);
  }
}

/** A sum of the hashes of lines: it does not depend on their order, which differs between engines. */
export class LineChecksum {
  readonly #sums = new Float64Array(8);

  add(line: string): void {
    const hash = createHash('sha256').update(line).digest();
    for (let index = 0; index < 8; index += 1)
      this.#sums[index] = (this.#sums[index]! + hash.readUInt32BE(index * 4)) % 2 ** 32;
  }

  digest(): string {
    return [...this.#sums].map((sum) => sum.toString(16).padStart(8, '0')).join('');
  }
}
