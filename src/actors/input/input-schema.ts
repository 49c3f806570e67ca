// Validates input schemas, and inputs by them, and encrypts secret fields. Slow to load and to run: only the input thread imports it.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { validateInputSchema, validateInputUsingValidator } from '@apify/input_schema';
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import { decryptInputSecrets, encryptInputSecretValue } from '@apify/input_secrets';
import { isObject, type JsonObject } from '../../kernel/json/json-value.ts';
import { TaskError, type CheckedSchema, type InputKeys } from './thread-task.ts';

interface CompiledSchema {
  schema: JsonObject & { properties: Record<string, JsonObject> };
  validate: ValidateFunction;
  secretFields: string[];
}

/** Compiling takes much longer than validating, and an Actor is often started many times in a row. */
const MAX_COMPILED = 50;
const MAX_LISTED = 10;
const MAX_MESSAGE = 2000;

export function checkSchema(text: string): CheckedSchema {
  const schema = parseSchema(text);
  try {
    // A compiler for each schema: an `$id` or a reference must not reach the schemas of others.
    validateInputSchema(createAjv(), schema);
  } catch (error) {
    throw invalidSchema((error as Error).message);
  }
  const normalized = JSON.stringify(schema);
  const { secretFields } = compile(normalized);
  return { text: normalized, hasSecretFields: secretFields.length > 0 };
}

function parseSchema(text: string): JsonObject {
  let schema: unknown;
  try {
    schema = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw invalidSchema(`Input schema is not valid (it is no JSON: ${(error as Error).message})`);
  }
  if (isObject(schema)) return schema;
  throw invalidSchema('Input schema is not valid (it must be a JSON object)');
}

function createAjv() {
  // Patterns are checked without the flag `u`, so they are used without it.
  return new Ajv2019({
    strict: false,
    allErrors: true,
    unicodeRegExp: false,
    ownProperties: true,
    useDefaults: true,
    logger: false,
  });
}

export class SchemaCache {
  readonly #compiled = new Map<string, CompiledSchema>();

  find(text: string): CompiledSchema {
    const known = this.#compiled.get(text);
    this.#compiled.delete(text);
    const compiled = known ?? compile(text);
    this.#compiled.set(text, compiled);
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size > MAX_COMPILED) this.#compiled.delete(oldest!);
    return compiled;
  }
}

function compile(text: string): CompiledSchema {
  const schema = JSON.parse(text) as CompiledSchema['schema'];
  try {
    const validate = createAjv().compile(withoutId(schema));
    const secretFields = Object.entries(schema.properties)
      .filter(([, field]) => field['isSecret'] === true)
      .map(([name]) => name);
    return { schema, validate, secretFields };
  } catch (error) {
    throw invalidSchema(`Input schema is not valid (${(error as Error).message})`);
  }
}

/** `$schema` may name a draft that the compiler does not have. */
function withoutId(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema' && name !== '$id'));
}

/** Fills in defaults. Throws where the input is invalid; the message names the fields. */
export function validateInput({ schema, validate }: CompiledSchema, input: JsonObject): void {
  const errors = validateInputUsingValidator(validate, schema, input);
  if (errors.length === 0) return;
  const messages = [...new Set(errors.map(({ message }) => message))];
  const rest = messages.length > MAX_LISTED ? `, and ${messages.length - MAX_LISTED} more` : '';
  const message = messages.slice(0, MAX_LISTED).join(', ').slice(0, MAX_MESSAGE);
  throw new TaskError('invalid-input', `Input is not valid: ${message}${rest}`);
}

function invalidSchema(message: string): TaskError {
  return new TaskError('invalid-input-schema', message.slice(0, MAX_MESSAGE));
}

const ENCRYPTED = /^ENCRYPTED_(VALUE|JSON):/;

/** Fields that came encrypted already, such as from the saved input of a task, by name. */
type GivenSecrets = ReadonlyMap<string, string>;

/** Decrypts what came encrypted, in place, so that it is validated like any other value. */
export function openGivenSecrets(
  { secretFields }: CompiledSchema,
  input: JsonObject,
  keys: InputKeys,
): GivenSecrets {
  const given = new Map<string, string>();
  for (const name of secretFields) {
    const value = input[name];
    if (!Object.hasOwn(input, name) || typeof value !== 'string' || !ENCRYPTED.test(value)) continue;
    try {
      const { privateKey: key, passphrase } = keys;
      const privateKey = createPrivateKey({ key, passphrase });
      const opened = decryptInputSecrets({ input: { value }, privateKey }) as { value: unknown };
      if (opened.value === value) throw new Error('It was not encrypted');
      input[name] = opened.value;
    } catch {
      throw new TaskError(
        'invalid-input',
        `Input is not valid: Field input.${name} is encrypted, but not for this Actor and account. Enter its value again.`,
      );
    }
    given.set(name, value);
  }
  return given;
}

/** Encrypts the values of all secret fields, in place. Empty values stay: the SDK leaves them alone, too. */
export function sealSecrets(
  { secretFields, schema }: CompiledSchema,
  input: JsonObject,
  given: GivenSecrets,
  keys: InputKeys,
): void {
  const publicKey = createPublicKey(keys.publicKey);
  for (const name of secretFields) {
    if (!Object.hasOwn(input, name)) continue;
    const value = input[name] as string | object | null | undefined;
    if (value === null || value === undefined || value === '') continue;
    input[name] =
      given.get(name) ??
      encryptInputSecretValue({
        value: value as string,
        publicKey,
        schema: schema.properties[name]! as never,
      });
  }
}
