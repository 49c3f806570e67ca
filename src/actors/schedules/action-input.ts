// The inputs of actions: checked and sealed before they are stored, and opened again to be shown or used.
import { Failure } from '../../kernel/failure.ts';
import { parseJson } from '../../kernel/json/parse.ts';
import { stringifyLarge } from '../../kernel/json/stringify.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { isJson } from '../input/prepare-input.ts';
import { MAX_INPUT_LENGTH, type ScheduleAction, type SentAction } from './action.ts';

/** Returns the inputs as they are stored. Sealed, because a field of an input may be secret, and only a build knows which. */
export async function sealInputs(
  { secrets }: Pick<Kernel, 'secrets'>,
  sent: readonly SentAction[],
): Promise<(string | null)[]> {
  const texts: (string | null)[] = [];
  let total = 0;
  for (const [index, action] of sent.entries()) {
    const text = await inputTextOf(action, index);
    total += text?.length ?? 0;
    if (total > MAX_INPUT_LENGTH) {
      throw problem(
        'actions',
        `can have inputs of ${MAX_INPUT_LENGTH.toLocaleString('en')} characters together: keep large inputs in a key-value store`,
      );
    }
    texts.push(text);
  }
  const sealed: (string | null)[] = [];
  for (const text of texts) sealed.push(text === null ? null : await secrets.seal(text));
  return sealed;
}

/** The input as it was sent: `runInput` of an Actor, the object of a task; null where there is none. */
export async function openInput(
  { secrets }: Pick<Kernel, 'secrets'>,
  { sealedInput }: Pick<ScheduleAction, 'sealedInput'>,
): Promise<unknown> {
  return sealedInput === null ? null : await parseJson(Buffer.from(secrets.open(sealedInput)));
}

async function inputTextOf(action: SentAction, index: number): Promise<string | null> {
  if (action.type === 'RUN_ACTOR') {
    const { runInput } = action;
    if (runInput == null) return null;
    await checkRunInput(runInput, index);
    return (await stringifyLarge(runInput)).toString();
  }
  const input = typeof action.input === 'string' ? await parseInput(action.input, index) : action.input;
  return input == null ? null : (await stringifyLarge(input)).toString();
}

async function checkRunInput(
  { body, contentType }: NonNullable<SentAction['runInput']>,
  index: number,
): Promise<void> {
  if (body == null || body === '') return;
  if (contentType == null || !isJson(contentType)) return;
  try {
    await parseJson(Buffer.from(body));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw notJson(`actions.${index}.runInput.body`, error);
  }
}

async function parseInput(text: string, index: number): Promise<Record<string, unknown> | null> {
  if (text === '') return null;
  let value: unknown;
  try {
    value = await parseJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw notJson(`actions.${index}.input`, error);
  }
  // Null is no input, as in a call that starts the task.
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown> | null;
  throw problem(`actions.${index}.input`, 'must be an object, or the JSON of one');
}

function notJson(field: string, cause: Failure): Failure {
  return new Failure('invalid', `${field} is no valid JSON: ${cause.message}`, {
    code: 'run-input-body-not-valid-json',
    cause,
  });
}
