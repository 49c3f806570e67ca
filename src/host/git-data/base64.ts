// Base64 as the host writes it: in lines of 60 characters.

/** The bytes of one line. */
const LINE_BYTES = 45;

export function encodeLines(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll(/.{1,60}/g, '$&\n');
}

/** The lines of a long content, piece by piece. */
export async function* streamLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % LINE_BYTES);
    rest = bytes.subarray(whole);
    if (whole > 0) yield encodeLines(bytes.subarray(0, whole));
  }
  if (rest.length > 0) yield encodeLines(rest);
}

/** Undefined for what is no base64. Line breaks are allowed, as programs that write base64 make them. */
export function decodeLines(text: string): Buffer | undefined {
  const packed = text.replaceAll(/\s+/g, '');
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return undefined;
  return Buffer.from(packed, 'base64');
}
