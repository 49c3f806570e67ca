// The settings of a subscription: checked against the fields of its integration, with secrets sealed and shown masked.
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { StoredConfig, StoredValue } from '../webhooks/model.ts';
import type { ConfigField, Integration, OpenConfig } from './integrations.ts';

export type SentConfig = Record<string, unknown>;

/** As it is shown: a secret as its mask. */
export function maskConfig(config: StoredConfig): OpenConfig {
  return mapValues(config, (value) => (isSealed(value) ? value.mask : value));
}

/** Without secrets. */
export function publicConfig(config: StoredConfig): OpenConfig {
  return Object.fromEntries(
    Object.entries(config).filter((entry): entry is [string, string | boolean] => !isSealed(entry[1])),
  );
}

export function openConfig({ open }: Pick<SecretBox, 'open'>, config: StoredConfig): OpenConfig {
  return mapValues(config, (value) => (isSealed(value) ? open(value.sealed) : value));
}

/**
 * A secret that is sent as its mask stays as it is. Where the address changes, secrets have to be sent again: otherwise a
 * caller with the permission to change the address could have them sent to a server of their own.
 */
export async function readConfig(
  secrets: SecretBox,
  { fields }: Integration,
  sent: SentConfig,
  before: StoredConfig = {},
): Promise<StoredConfig> {
  const unknown = Object.keys(sent).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    throw problem(`config.${unknown}`, `is unknown here. There are: ${Object.keys(fields).join(', ')}`);
  const config: [string, StoredValue][] = [];
  const isElsewhere = Object.entries(fields).some(
    ([name, field]) => field.kind === 'address' && valueOf(name, field, sent) !== before[name],
  );
  for (const [name, field] of Object.entries(fields)) {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    if (isSealed(known) && sent[name] === known.mask) {
      if (isElsewhere) throw problem(`config.${name}`, 'must be sent again, because the address changes');
      config.push([name, known]);
      continue;
    }
    const value = valueOf(name, field, sent);
    if (value === undefined) continue;
    const isSecret = field.kind === 'secret' || field.kind === 'secret address';
    const text = String(value);
    config.push([name, isSecret ? { sealed: await secrets.seal(text), mask: maskOf(text) } : value]);
  }
  return Object.fromEntries(config);
}

/** What goes into a header has to be a header's text. */
const FORMS: Record<Exclude<ConfigField['kind'], 'switch'>, { pattern: RegExp; words: string }> = {
  address: { pattern: /^https?:\/\/[!-~]{1,2000}$/, words: 'must be a URL' },
  'secret address': { pattern: /^https?:\/\/[!-~]{1,2000}$/, words: 'must be a URL' },
  secret: { pattern: /^[ -~]{1,1000}$/, words: 'must be a text of at most 1000 printable ASCII characters' },
  word: { pattern: /^[\w.-]{1,256}$/, words: 'must be of letters, digits, dots, dashes and underscores' },
  text: { pattern: /^[^\0]{1,256}$/, words: 'must be a text of at most 256 characters' },
};

function valueOf(name: string, field: ConfigField, sent: SentConfig): string | boolean | undefined {
  const value = (Object.hasOwn(sent, name) ? sent[name] : undefined) ?? field.default;
  if (value === undefined) {
    if (field.isOptional) return undefined;
    throw problem(`config.${name}`, 'is required');
  }
  if (field.kind === 'switch') {
    if (typeof value !== 'boolean') throw problem(`config.${name}`, 'must be true or false');
    return value;
  }
  const { pattern, words } = FORMS[field.kind];
  if (typeof value !== 'string' || !pattern.test(value)) throw problem(`config.${name}`, words);
  if (field.among !== undefined && !field.among.includes(value))
    throw problem(`config.${name}`, `must be one of ${field.among.join(', ')}`);
  return value;
}

/** Below this length, the last characters would be too large a part of the secret. */
const LONG = 12;

function maskOf(secret: string): string {
  return '*'.repeat(8) + (secret.length < LONG ? '' : secret.slice(-4));
}

function isSealed(value: StoredValue | undefined): value is Exclude<StoredValue, string | boolean> {
  return typeof value === 'object';
}

function mapValues<To>(config: StoredConfig, change: (value: StoredValue) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, change(value)]));
}
