// Reads the content of a record that holds the input of a run, up to a bound.
import { plainContent } from '../../actors/key-value-stores/record-reply.ts';
import type { RecordContent } from '../../actors/key-value-stores/store.ts';
import type { Kernel } from '../../kernel/kernel.ts';

export const TOO_LARGE = Symbol('too large');

/** Undefined where it was replaced or deleted meanwhile. */
export async function readInputText(
  kernel: Kernel,
  record: RecordContent & { size: number },
  maxBytes: number,
): Promise<string | typeof TOO_LARGE | undefined> {
  if (record.size > maxBytes) return TOO_LARGE;
  if ('body' in record && record.encoding === null) return Buffer.from(record.body).toString();
  const content = await plainContent(kernel, record);
  if (content === undefined) return undefined;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of content as AsyncIterable<Uint8Array>) {
    length += part.length;
    // Compressed content may be larger than its size.
    if (length > maxBytes) return TOO_LARGE;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
