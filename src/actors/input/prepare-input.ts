// Checks the input schema of a build, and makes the input of a run as it is stored: validated, with defaults filled in and secret fields encrypted.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { ensureInputKeys } from './secret-keys.ts';
import type { InputKeyOwner } from './store.ts';
import type { CheckedSchema } from './thread-task.ts';

/** As large as any body may be. */
export const MAX_INPUT_BYTES = 9_437_184;

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

/** Whether nothing was sent. JSON null counts as nothing: some clients send it where their caller gives no input. */
export function isNoInput({
  body,
  contentType = '',
}: Partial<Pick<GivenInput, 'body' | 'contentType'>>): boolean {
  if (body === undefined || body.byteLength === 0) return true;
  return isJson(contentType) && isNullText(body);
}

const JSON_SPACE = new Set(Buffer.from(' \t\r\n'));

/** A JSON text that begins with an n is null, or invalid. So the others, which may be large, are not decoded. */
function isNullText(body: Uint8Array): boolean {
  const begin = body.findIndex((byte) => !JSON_SPACE.has(byte));
  return (
    body[begin] === NULL_BEGIN &&
    /^null[ \t\r\n]*$/.test(Buffer.from(body.subarray(begin)).toString('latin1'))
  );
}

const NULL_BEGIN = 'n'.charCodeAt(0);

/** Schemas are stored as `JSON.stringify` writes them, so the name is never escaped. */
export function hasSecretFields(schema: string): boolean {
  return /"isSecret":\s*true/.test(schema);
}

export function isJson(contentType: string): boolean {
  return /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType);
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
