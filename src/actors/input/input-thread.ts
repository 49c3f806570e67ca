// The worker thread that checks input schemas and inputs; it may be terminated at any time.
import { isObject } from '../../kernel/patch/json-value.ts';
import { parentPort } from 'node:worker_threads';
import { checkSchema, SchemaCache, validateInput } from './input-schema.ts';
import { evaluateMemory } from './memory-expression.ts';
import { openGivenSecrets, sealSecrets } from './secret-fields.ts';
import {
  TaskError,
  type EvaluateMemoryTask,
  type InputTask,
  type PrepareInputTask,
  type TaskReply,
} from './thread-task.ts';

const port = parentPort!;
const schemas = new SchemaCache();

port.on('message', (task: InputTask) => {
  try {
    port.postMessage({ value: execute(task) } satisfies TaskReply);
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    port.postMessage({ code: error.code, message: error.message } satisfies TaskReply);
  }
});
// The packages are loaded: from now on CPU time is that of tasks.
port.postMessage('ready');

function execute(task: InputTask): unknown {
  if (task.kind === 'check-schema') return checkSchema(task.text);
  return task.kind === 'prepare-input' ? prepareInput(task) : evaluateTask(task);
}

function prepareInput({ schema, body, maxBytes, keys }: PrepareInputTask): Uint8Array | undefined {
  const compiled = schemas.find(schema);
  const input = body === undefined ? {} : parseInput(body);
  const before = JSON.stringify(input);
  if (compiled.secretFields.length === 0) validateInput(compiled, input);
  else {
    if (keys === undefined) throw new Error('The schema has secret fields, and there is no key for them');
    const given = openGivenSecrets(compiled, input, keys);
    validateInput(compiled, input);
    sealSecrets(compiled, input, given, keys);
  }
  const after = JSON.stringify(input);
  if (after === before) return body;
  const bytes = new TextEncoder().encode(after);
  if (bytes.length <= maxBytes) return bytes;
  throw new TaskError(
    'input-json-too-long',
    `The input with its defaults has ${bytes.length} bytes, and may have ${maxBytes}.`,
  );
}

function parseInput(body: Uint8Array): Record<string, unknown> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
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
  throw new TaskError(
    'input-json-not-object',
    `The input must be a JSON object, because the Actor has an input schema. It is ${got}.`,
  );
}

function evaluateTask({ expression, input, runOptions }: EvaluateMemoryTask): number {
  return evaluateMemory(expression, { input: input === undefined ? {} : readInput(input), runOptions });
}

/** Without a schema the input may be anything. */
function readInput(input: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(input).toString()) as unknown;
  } catch {
    return {};
  }
}
