// Checks the input schema of an Actor when it is built.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { CheckedSchema } from './thread-task.ts';

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
