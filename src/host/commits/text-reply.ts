// Commits and comparisons as text, for callers that ask for a diff, a patch or an id by the media type.
import type { Kernel } from '../../kernel/kernel.ts';
import { Stream, Text } from '../../kernel/http/route.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import { mediaParamOf } from '../media-type.ts';
import { asDownload } from '../transport/downloads.ts';
import type { GitTransferCall } from '../transport/git-transfers.ts';

export type TextFormat = 'diff' | 'patch' | 'sha';

/** Undefined for JSON. */
export function textFormatOf(accept: string | string[] | undefined): TextFormat | undefined {
  const param = mediaParamOf(typeof accept === 'string' ? accept : undefined);
  return param === 'diff' || param === 'patch' || param === 'sha' ? param : undefined;
}

/** The content comes from users. */
export async function streamText(
  kernel: Kernel,
  call: GitTransferCall,
  format: TextFormat,
  source: AsyncGenerator<Buffer, void, void>,
): Promise<Stream> {
  return new Stream(await asDownload(kernel, call, source), userContentHeaders(typeOf(format)));
}

export function shaText(oid: string): Text {
  return new Text(typeOf('sha'), oid);
}

function typeOf(format: TextFormat): string {
  return `application/vnd.github.v3.${format}; charset=utf-8`;
}
