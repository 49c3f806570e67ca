// Encrypts the secret fields of an input in the form that the SDK decrypts. Slow to load: only the input thread imports it.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { decryptInputSecrets, encryptInputSecretValue } from '@apify/input_secrets';
import type { CompiledSchema } from './input-schema.ts';
import { TaskError, type InputKeys } from './thread-task.ts';

type JsonObject = Record<string, unknown>;

const ENCRYPTED = /^ENCRYPTED_(VALUE|JSON):/;

/** Fields that came encrypted already, such as from the saved input of a task, by name. */
export type GivenSecrets = ReadonlyMap<string, string>;

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
