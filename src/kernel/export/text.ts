// Puts rendered items together to chunks: large enough to be cheap to send, small enough to be held by the thousand.

const CHUNK_LENGTH = 64 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';

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
