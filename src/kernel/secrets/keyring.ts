// The keys that a server holds, the newest first: texts that any of them has sealed can be opened, and signatures of all are known.
import { Failure } from '../failure.ts';
import { secretKeyOf, type SecretKey } from './key.ts';
import { isSameSecret } from './secret.ts';

/** Texts from before the first change of the key do not name theirs, so that a node of an earlier release reads them. */
const UNNAMED = 'v1.';
const NAMED = 'v2.';

/** What a column may hold, alone or inside of JSON; shorter texts have no room for a nonce and a tag. */
const SEALED = /\bv(?:1|2\.[\w-]{10})\.[\w-]{38,}/g;

export class Keyring {
  readonly keys: readonly SecretKey[];
  readonly #byId: ReadonlyMap<string, SecretKey>;

  constructor(secrets: readonly string[]) {
    this.keys = secrets.map(secretKeyOf);
    this.#byId = new Map(this.keys.map((key) => [key.id, key]));
  }

  get newest(): SecretKey {
    return this.keys[0]!;
  }

  get ids(): string[] {
    return this.keys.map(({ id }) => id);
  }

  find(fingerprint: string): SecretKey | undefined {
    return this.keys.find((key) => key.fingerprint === fingerprint);
  }

  open(sealed: string): string {
    const { text, error } = this.#open(sealed);
    if (text !== undefined) return text;
    const named = sealed.startsWith(NAMED) ? sealed.slice(NAMED.length).split('.', 1)[0]! : undefined;
    const reason =
      named === undefined || this.#byId.has(named)
        ? 'it was encrypted with another key, or damaged'
        : `it was encrypted with the key ${named}, which this server does not have`;
    throw new Failure('internal', `A stored secret cannot be decrypted: ${reason}.`, { cause: error });
  }

  #open(sealed: string): { text?: string; key?: SecretKey; error?: unknown } {
    let error: unknown = new Error('The format is unknown');
    for (const { key, bytes } of this.#candidates(sealed)) {
      try {
        return { text: key.decrypt(bytes), key };
      } catch (cause) {
        error = cause;
      }
    }
    return { error };
  }

  #candidates(sealed: string): { key: SecretKey; bytes: string }[] {
    if (sealed.startsWith(UNNAMED)) {
      const bytes = sealed.slice(UNNAMED.length);
      return this.keys.map((key) => ({ key, bytes }));
    }
    const [format, id = '', bytes = ''] = sealed.split('.', 3);
    const key = format === 'v2' ? this.#byId.get(id) : undefined;
    return key === undefined ? [] : [{ key, bytes }];
  }

  verify(purpose: string, text: string, signature: string): boolean {
    // Every key is tried, so that the time does not tell which one it is.
    const matches = this.keys.map((key) => isSameSecret(signature, key.sign(purpose, text)));
    return matches.includes(true);
  }

  /**
   * Replaces every sealed text in the value of a column. What only looks like one cannot be opened, and stays: users write
   * some of what the columns hold.
   */
  reseal(value: string, key: SecretKey): string {
    return value.replaceAll(SEALED, (sealed) => {
      if (sealed.startsWith(`${NAMED}${key.id}.`)) return sealed;
      const { text } = this.#open(sealed);
      return text === undefined ? sealed : sealNamed(key, text);
    });
  }

  /** How many texts each key has sealed, by its id; `unknown` are those of keys that are not there, and what looks alike. */
  count(value: string, counts: Map<string, number>): void {
    for (const [sealed] of value.matchAll(SEALED)) {
      const id = this.#open(sealed).key?.id ?? 'unknown';
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
}

export function sealUnnamed(key: SecretKey, text: string): string {
  return UNNAMED + key.encrypt(text);
}

export function sealNamed(key: SecretKey, text: string): string {
  return `${NAMED}${key.id}.${key.encrypt(text)}`;
}
