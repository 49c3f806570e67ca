// The input of tasks: what they save, validated by the input schema of the build, and what is merged with it.
import { isSlowToWrite, stringifyLarge } from '../../kernel/json/stringify.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Actor } from '../actors/model.ts';
import { findNamedBuild } from '../builds/access.ts';
import { mergeInputs } from '../input/input-json.ts';
import { firstInput } from '../input/plain-schema.ts';
import { hasSecretFields, MAX_INPUT_BYTES } from '../input/prepare-input.ts';
import { ensureInputKeys } from '../input/secret-keys.ts';
import { TaskError, toFailure } from '../input/thread-task.ts';
import type { TaskOptions } from './model.ts';

/** The task that the input is for. */
export interface InputOwner {
  userId: string;
  actor: Pick<Actor, 'id' | 'runOptions'>;
  options: TaskOptions;
}

/** Of a task that is created without input: what a form would begin with. */
export async function blankInput(kernel: Pick<Kernel, 'db'>, owner: InputOwner): Promise<string> {
  const schema = await schemaOf(kernel, owner);
  if (schema === null) return '{}';
  return JSON.stringify(firstInput(JSON.parse(schema) as Record<string, unknown>));
}

/** The JSON text to save instead of any input before. */
export async function toSavedInput(
  kernel: Kernel,
  owner: InputOwner,
  input: Record<string, unknown>,
): Promise<string> {
  const sent = isSlowToWrite(input) ? await stringifyLarge(input) : Buffer.from(JSON.stringify(input));
  return await saveOver(kernel, owner, '{}', sent);
}

/** The JSON text to save: `saved` with the fields of `sent` over it. Throws where it is invalid. */
export async function saveOver(
  kernel: Kernel,
  owner: InputOwner,
  saved: string,
  sent: Buffer,
): Promise<string> {
  const { userId, actor } = owner;
  const schema = await schemaOf(kernel, owner);
  if (schema === null) return (await mergeInput(kernel, userId, Buffer.from(saved), sent)).toString();
  const merged = await kernel.services.inputChecker.run(userId, {
    kind: 'merge-input',
    saved: Buffer.from(saved),
    sent,
    schema,
    maxBytes: MAX_INPUT_BYTES,
    ...(hasSecretFields(schema) && { keys: await ensureInputKeys(kernel, { userId, actorId: actor.id }) }),
  });
  return Buffer.from(merged).toString();
}

/** Parsed on the event loop up to this size, and above in the input thread. */
const MAX_PARSED_BYTES = 100_000;

/** Both are JSON objects; fields of `sent` replace those of `saved`. */
export async function mergeInput(
  { services }: Pick<Kernel, 'services'>,
  userId: string,
  saved: Buffer,
  sent: Buffer,
): Promise<Buffer> {
  if (saved.length + sent.length > MAX_PARSED_BYTES) {
    const task = { kind: 'merge-input', saved, sent, maxBytes: MAX_INPUT_BYTES } as const;
    return Buffer.from(await services.inputChecker.run(userId, task));
  }
  try {
    return Buffer.from(JSON.stringify(mergeInputs(saved, sent)));
  } catch (error) {
    throw error instanceof TaskError ? toFailure(error) : error;
  }
}

/** Null where the task has no build yet: its input is validated when it runs. */
async function schemaOf(
  { db }: Pick<Kernel, 'db'>,
  { actor, options }: Pick<InputOwner, 'actor' | 'options'>,
): Promise<string | null> {
  const build = await findNamedBuild(db, actor, options.build ?? actor.runOptions.build);
  return build?.status === 'SUCCEEDED' ? build.inputSchema : null;
}
