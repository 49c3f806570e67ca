// Reads files in large pieces, all in the same memory: a megabyte that is allocated anew for each piece costs more than reading it.
import { open, type FileHandle } from 'node:fs/promises';

const PIECE_BYTES = 1024 * 1024;
const MAX_SPARE = 2;
const spare: Buffer[] = [];

/** Up to `end`, or where the file ends before. Each piece is valid until the next is asked for. */
export async function* readPieces(
  handle: FileHandle,
  start: number,
  end: number = Infinity,
): AsyncGenerator<Uint8Array, void, void> {
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  try {
    for (let at = start; at < end;) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(PIECE_BYTES, end - at), at);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    if (spare.length < MAX_SPARE) spare.push(buffer);
  }
}

/** The file is opened when the first piece is asked for. */
export async function* readFilePieces(file: string): AsyncGenerator<Uint8Array, void, void> {
  const handle = await open(file, 'r');
  try {
    yield* readPieces(handle, 0);
  } finally {
    await handle.close();
  }
}
