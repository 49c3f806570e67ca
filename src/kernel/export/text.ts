// Text out of items: plain values as text, and rendered items put together to chunks that are worth sending.

const CHUNK_LENGTH = 64 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';

/** A value that is neither object nor array; null and what is missing are empty. */
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

/** Goes no further than the reader pulls, and gives the batches back when the reader leaves. */
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
