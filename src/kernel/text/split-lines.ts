// Splits text in UTF-8 into lines, at line feeds alone.
import { StringDecoder } from 'node:string_decoder';

/**
 * `node:readline` also ends a line at U+2028 and U+2029: those who choose a name or a text in a line could then end the line,
 * and write others after it.
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  for await (const chunk of chunks) {
    const text = decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      parts.push(text.slice(start, end));
      yield parts.join('');
      parts = [];
      start = end + 1;
    }
    if (start < text.length) parts.push(text.slice(start));
  }
  parts.push(decoder.end());
  const last = parts.join('');
  if (last !== '') yield last;
}
