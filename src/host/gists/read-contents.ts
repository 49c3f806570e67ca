// The contents of the files of a gist for JSON: limited for each file, and for all of them.
import type { GitRepository } from '../git/repository.ts';
import { MAX_GIST_FILES, MAX_SHOWN_BYTES, type GistFile } from './gist.ts';
import type { FileContent } from './model.ts';

/** Contents after these are left out: one reply must not have hundreds of megabytes. */
const MAX_TOTAL_BYTES = 10 * 1024 ** 2;
const LOOKED_AT = 8000;

/** In the order of the files. With `isBase64`, text too is encoded. */
export async function readContents(
  git: GitRepository,
  files: readonly GistFile[],
  isBase64 = false,
): Promise<FileContent[]> {
  let left = MAX_TOTAL_BYTES;
  const contents: FileContent[] = [];
  for (const { oid, size } of files.slice(0, MAX_GIST_FILES)) {
    const limit = Math.min(MAX_SHOWN_BYTES, left);
    const bytes = await readStart(git, oid, limit);
    left -= bytes.length;
    contents.push(contentOf(bytes, size > bytes.length, isBase64));
  }
  return contents;
}

async function readStart(git: GitRepository, oid: string, limit: number): Promise<Buffer> {
  if (limit === 0) return Buffer.alloc(0);
  const blob = await git.readBlob(oid);
  if (blob === undefined) return Buffer.alloc(0);
  if (blob.content !== undefined) return blob.content.subarray(0, limit);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of git.streamBlob(oid)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

/** A NUL byte near the beginning marks binary content, as for git. */
function contentOf(bytes: Buffer, truncated: boolean, isBase64: boolean): FileContent {
  const isBinary = isBase64 || bytes.subarray(0, LOOKED_AT).includes(0);
  if (isBinary) return { content: bytes.toString('base64'), encoding: 'base64', truncated };
  const whole = truncated ? withoutCutCharacter(bytes) : bytes;
  return { content: whole.toString(), encoding: 'utf-8', truncated };
}

/** A character of several bytes that is cut at the end is left out. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= 4 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
