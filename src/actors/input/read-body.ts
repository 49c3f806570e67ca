// Reads the input that a call sends: bytes of any content type, decompressed, up to the limit of all bodies.
import type { IncomingMessage } from 'node:http';
import { collectBody, inflateBody } from '../../kernel/http/body/body.ts';
import type { HeldBody } from '../../kernel/http/body/body-memory.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { MAX_INPUT_BYTES } from './prepare-input.ts';

export interface SentInput {
  /** Absent where nothing was sent. */
  body?: Buffer;
  contentType?: string;
}

/**
 * For routes with `streams`. The memory of the body counts while `use` works with it, as that of other bodies does while a
 * call lasts.
 */
export async function withSentInput<T>(
  { bodyMemory }: Pick<Kernel, 'bodyMemory'>,
  call: Pick<Call, 'stream' | 'headers' | 'caller'>,
  use: (input: SentInput) => Promise<T>,
): Promise<T> {
  const held = bodyMemory.open(call.caller);
  try {
    return await use(await readInput(call, held));
  } finally {
    held.close();
  }
}

async function readInput(
  { stream, headers }: Pick<Call, 'stream' | 'headers'>,
  held: HeldBody,
): Promise<SentInput> {
  // The stream of a route with `streams` is the request itself.
  const bytes = await collectBody(stream as IncomingMessage, MAX_INPUT_BYTES, held);
  if (bytes.length === 0) return {};
  const body = await inflateBody(bytes, headers['content-encoding']?.toString(), MAX_INPUT_BYTES);
  if (body !== bytes) held.add(body.length);
  const contentType = headers['content-type']?.toString();
  return { body, ...(contentType !== undefined && { contentType }) };
}
