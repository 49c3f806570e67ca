// Text from items: plain values as text, and rendered items joined to chunks large enough to send.

const CHUNK_LENGTH = 64 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';

/** A value that is neither object nor array; null and undefined become empty. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

export interface TextParts<T> {
  bom?: boolean;
  head?: string;
  row: (item: T) => string;
  between?: string;
  tail?: string;
}

/** Reads no further than the reader pulls, and closes the batches when the reader stops. */
export async function* writeText<T>(
  batches: AsyncIterable<readonly T[]>,
  { bom = false, head = '', row, between = '', tail = '' }: TextParts<T>,
): AsyncGenerator<string, void> {
  let text = bom ? BYTE_ORDER_MARK + head : head;
  let isFirst = true;
  for await (const batch of batches) {
    for (const item of batch) {
      text += isFirst ? row(item) : between + row(item);
      isFirst = false;
      if (text.length >= CHUNK_LENGTH) {
        yield text;
        text = '';
      }
    }
  }
  text += tail;
  if (text !== '') yield text;
}
