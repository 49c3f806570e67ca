// The input of a task's run: the saved one, with the fields that the call sends over it.
import { isObject, type JsonObject } from '../../kernel/json/json-value.ts';
import { TaskError } from './thread-task.ts';

/** Throws where the second one is no JSON object. */
export function mergeInputs(saved: Uint8Array, sent: Uint8Array): JsonObject {
  return { ...parseInputObject(saved), ...parseInputObject(sent) };
}

/** `why` an object is needed, for the message. */
export function parseInputObject(bytes: Uint8Array, why = ''): JsonObject {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TaskError('input-json-invalid-characters', 'The input is not valid UTF-8.');
  }
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    // The message of the parser quotes the input, which may contain secrets.
    const [place = ''] = / at position \d+/.exec((error as Error).message) ?? [];
    throw new TaskError('run-input-body-not-valid-json', `The input is not valid JSON${place}.`);
  }
  if (isObject(input)) return input;
  const got = input === null ? 'null' : Array.isArray(input) ? 'an array' : `a ${typeof input}`;
  throw new TaskError('input-json-not-object', `The input must be a JSON object${why}. It is ${got}.`);
}
