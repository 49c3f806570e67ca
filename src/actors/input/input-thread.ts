// The worker thread that checks input schemas and inputs; it may be terminated at any time.
import { serveTasks } from '../../kernel/threads/serve-tasks.ts';
import { checkSchema, SchemaCache, validateInput, openGivenSecrets, sealSecrets } from './input-schema.ts';
import { evaluateMemory } from './memory-expression.ts';
import { mergeInputs, parseInputObject } from './input-json.ts';
import {
  TaskError,
  toFailure,
  type EvaluateMemoryTask,
  type InputKeys,
  type InputTask,
  type MergeInputTask,
  type PrepareInputTask,
} from './thread-task.ts';

const schemas = new SchemaCache();

serveTasks<InputTask, unknown>((task, port) => {
  try {
    port.send(execute(task));
  } catch (error) {
    throw error instanceof TaskError ? toFailure(error) : error;
  }
});

function execute(task: InputTask): unknown {
  if (task.kind === 'check-schema') return checkSchema(task.text);
  if (task.kind === 'merge-input') return mergeInput(task);
  return task.kind === 'prepare-input' ? prepareInput(task) : evaluateTask(task);
}

function prepareInput({ schema, body, maxBytes, keys }: PrepareInputTask): Uint8Array | undefined {
  const compiled = schemas.find(schema);
  const input = body === undefined ? {} : parseInputObject(body, ', because the Actor has an input schema');
  const before = JSON.stringify(input);
  if (compiled.secretFields.length === 0) validateInput(compiled, input);
  else {
    const given = openGivenSecrets(compiled, input, required(keys));
    validateInput(compiled, input);
    sealSecrets(compiled, input, given, required(keys));
  }
  const after = JSON.stringify(input);
  return after === before ? body : encode(after, maxBytes, 'The input with its defaults');
}

function mergeInput({ schema, saved, sent, maxBytes, keys }: MergeInputTask): Uint8Array {
  const input = mergeInputs(saved, sent);
  if (schema !== undefined) {
    const compiled = schemas.find(schema);
    const hasSecrets = compiled.secretFields.length > 0;
    const given = hasSecrets ? openGivenSecrets(compiled, input, required(keys)) : new Map<string, string>();
    // A copy, which gets the defaults.
    validateInput(compiled, structuredClone(input));
    if (hasSecrets) sealSecrets(compiled, input, given, required(keys));
  }
  return encode(JSON.stringify(input), maxBytes, 'The input');
}

function required(keys: InputKeys | undefined): InputKeys {
  if (keys !== undefined) return keys;
  throw new Error('The schema has secret fields, and there is no key for them');
}

function encode(text: string, maxBytes: number, name: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return bytes;
  throw new TaskError('input-json-too-long', `${name} has ${bytes.length} bytes, and may have ${maxBytes}.`);
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
