// Reads exact numbers of bytes from a stream of chunks, holding one chunk at a time.
import { badArchive } from './archive-limits.ts';

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
