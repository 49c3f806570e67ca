// Replies with the bytes of a file: whole or a range, from memory or streamed.
import { parseRange, type ByteRange } from '../../kernel/http/reply/byte-range.ts';
import { matchesEtag } from '../../kernel/http/reply/etag.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes, reply, Stream, type Call, type Reply } from '../../kernel/http/route.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import type { GitRepository } from '../git/repository.ts';
import { asDownload } from '../transport/downloads.ts';
import type { GitTransferCall } from '../transport/git-transfers.ts';

export interface FileBytes {
  git: GitRepository;
  oid: string;
  size: number;
  /** Absent for a large file, which is streamed. */
  content?: Buffer;
  contentType: string;
  /** Further headers. */
  headers?: Record<string, string>;
}

export type FileCall = GitTransferCall & Pick<Call, 'headers' | 'method'>;

export async function replyWithBytes(
  kernel: Pick<Kernel, 'services'>,
  call: FileCall,
  { git, oid, size, content, contentType, headers: further }: FileBytes,
): Promise<Reply | Bytes | Stream> {
  const { headers: asked, method, signal } = call;
  const etag = `"${oid}"`;
  const headers: Record<string, string> = {
    ...userContentHeaders(contentType),
    etag,
    'accept-ranges': 'bytes',
    ...further,
  };
  if (matchesEtag(asked['if-none-match']?.toString(), etag)) return reply(304, undefined, headers);
  const ifRange = asked['if-range']?.toString();
  const isSame = ifRange === undefined || ifRange === etag;
  const range = isSame ? parseRange(asked['range']?.toString(), size) : undefined;
  if (range === 'beyond')
    return reply(416, undefined, { 'content-range': `bytes */${size}`, 'content-length': '0' });
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const status = range === undefined ? 200 : 206;
  if (range !== undefined) headers['content-range'] = `bytes ${start}-${end}/${size}`;
  if (content !== undefined) return new Bytes(content.subarray(start, end + 1), headers, status);
  headers['content-length'] = String(end - start + 1);
  if (method === 'HEAD') return reply(status, undefined, headers);
  const blob = git.streamBlob(oid, signal);
  const source = range === undefined ? blob : cut(blob, range);
  return new Stream(await asDownload(kernel, call, source), headers, status);
}

/** Ends the source when the range has been read. */
async function* cut(
  source: AsyncIterable<Buffer>,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer, void, void> {
  let offset = 0;
  for await (const chunk of source) {
    const part = chunk.subarray(Math.max(start - offset, 0), Math.max(end + 1 - offset, 0));
    if (part.length > 0) yield part;
    offset += chunk.length;
    if (offset > end) return;
  }
}

const IMAGES = new Map(
  Object.entries({
    avif: 'image/avif',
    gif: 'image/gif',
    ico: 'image/x-icon',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    png: 'image/png',
    svg: 'image/svg+xml',
    webp: 'image/webp',
  }),
);
const LOOKED_AT = 8000;

/** Text is never served as a type that browsers run. As git does, a NUL byte near the beginning marks binary content. */
export function contentTypeOf(path: string, content: Buffer | undefined): string {
  const image = IMAGES.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '');
  if (image !== undefined) return image;
  const isText = content !== undefined && !content.subarray(0, LOOKED_AT).includes(0);
  return isText ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}
