// Secret fields of an input. The server stores them encrypted, and gives back only that.

const ENCRYPTED = /^ENCRYPTED_(?:VALUE|JSON):/;

export type InputObject = Readonly<Record<string, unknown>>;

export interface OpenInput {
  /** Without its secrets. */
  value: InputObject;
  /** As they are stored, by name: they can be sent again for the same Actor, and are never shown. */
  secrets: Readonly<Record<string, string>>;
}

export function isInputObject(value: unknown): value is InputObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function takeOutSecrets(input: InputObject): OpenInput {
  const entries = Object.entries(input);
  const isSecret = ([, value]: [string, unknown]) => typeof value === 'string' && ENCRYPTED.test(value);
  return {
    value: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secrets: Object.fromEntries(entries.filter(isSecret)) as Record<string, string>,
  };
}
