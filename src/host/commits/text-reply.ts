// Commits and comparisons as text, for callers that ask for a diff, a patch or an id by the media type.
import { Stream, Text } from '../../kernel/route.ts';
import { userContentHeaders } from '../../kernel/user-content.ts';
import { mediaParamOf } from '../media-type.ts';

export type TextFormat = 'diff' | 'patch' | 'sha';

/** Undefined for JSON. */
export function textFormatOf(accept: string | string[] | undefined): TextFormat | undefined {
  const param = mediaParamOf(typeof accept === 'string' ? accept : undefined);
  return param === 'diff' || param === 'patch' || param === 'sha' ? param : undefined;
}

/** The content comes from users. */
export function streamText(format: TextFormat, source: AsyncIterable<Uint8Array>): Stream {
  return new Stream(source, userContentHeaders(typeOf(format)));
}

export function shaText(oid: string): Text {
  return new Text(typeOf('sha'), oid);
}

function typeOf(format: TextFormat): string {
  return `application/vnd.github.v3.${format}; charset=utf-8`;
}
