// Inputs as JSON: whether one was sent, parsed to an object, and laid over the saved input of a task.
import { isObject, type JsonObject } from '../../kernel/json/json-value.ts';
import { TaskError } from './thread-task.ts';

export function isJson(contentType: string): boolean {
  return /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType);
}

/** Whether nothing was sent. JSON null counts as nothing: some clients send it where their caller gives no input. */
export function isNoInput({
  body,
  contentType = '',
}: {
  body?: Uint8Array | undefined;
  contentType?: string | undefined;
}): boolean {
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
