// The input of a run: read from the call, and made as it is stored: validated, with defaults filled in and secret fields encrypted. Checks input schemas of builds, too.
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { collectBody, inflateBody } from '../../kernel/http/body/body.ts';
import type { HeldBody } from '../../kernel/http/body/body-memory.ts';
import type { Call } from '../../kernel/http/route.ts';
import { isJson, isNoInput } from './input-json.ts';
import { ensureInputKeys } from './secret-keys.ts';
import type { InputKeyOwner } from './store.ts';
import type { CheckedSchema } from './thread-task.ts';

/** As large as any body may be. */
export const MAX_INPUT_BYTES = 9_437_184;

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

export interface InputBody {
  body: Uint8Array;
  contentType: string;
}

interface GivenInput {
  /** The input schema of the build, as `checkInputSchema` returned it. */
  schema: string | null;
  body: Uint8Array | undefined;
  contentType: string | undefined;
  /** The account that the run belongs to, and the Actor. */
  owner: InputKeyOwner;
}

type InputKernel = Pick<Kernel, 'db' | 'clock' | 'secrets' | 'services'>;

/**
 * Undefined where there is nothing to store. JSON is validated if there is a schema, and anything else is stored as it is: no
 * body, or JSON null, counts as an empty object.
 */
export async function prepareInput(kernel: InputKernel, given: GivenInput): Promise<InputBody | undefined> {
  const { schema, owner, contentType = 'application/octet-stream' } = given;
  const body = isNoInput(given) ? undefined : given.body;
  if (body !== undefined && body.byteLength > MAX_INPUT_BYTES) {
    throw new Failure('too-large', `The input is too large: the limit is ${MAX_INPUT_BYTES} bytes.`);
  }
  if (schema === null || (body !== undefined && !isJson(contentType))) return body && { body, contentType };
  const prepared = await kernel.services.inputChecker.run(owner.userId, {
    kind: 'prepare-input',
    schema,
    maxBytes: MAX_INPUT_BYTES,
    ...(body && { body }),
    ...(hasSecretFields(schema) && { keys: await ensureInputKeys(kernel, owner) }),
  });
  if (prepared === undefined) return undefined;
  return {
    body: prepared,
    contentType: body === undefined ? 'application/json; charset=utf-8' : contentType,
  };
}

/** Schemas are stored as `JSON.stringify` writes them, so the name is never escaped. */
export function hasSecretFields(schema: string): boolean {
  return /"isSecret":\s*true/.test(schema);
}

const MAX_SCHEMA_BYTES = 500 * 1024;

/** Throws `invalid-input-schema` with a message that names the field. */
export async function checkInputSchema(
  { services: { inputChecker } }: Pick<Kernel, 'services'>,
  { text, userId }: { text: string; userId: string },
): Promise<CheckedSchema> {
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) {
    throw new Failure('invalid', `Input schema is not valid (it has more than ${MAX_SCHEMA_BYTES} bytes)`, {
      code: 'invalid-input-schema',
    });
  }
  return await inputChecker.run(userId, { kind: 'check-schema', text });
}
