// Contexts, for whom flags are evaluated: one of a kind, several of different kinds, or a user as older SDKs write it.
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/patch/json-value.ts';
import type { Json } from '../feature-flags/flag.ts';

export type Attributes = Readonly<Record<string, Json>>;

export interface Context {
  /** The attributes of each kind, its key among them. */
  readonly parts: ReadonlyMap<string, Attributes>;
}

export const USER = 'user';

const KIND = /^(?!(?:kind|multi)$)[a-zA-Z0-9._-]+$/;

/** Takes parsed JSON; throws `invalid` for what is no context. */
export function readContext(given: unknown): Context {
  if (!isObject(given)) throw broken('it must be a JSON object');
  if (!Object.hasOwn(given, 'kind')) return { parts: new Map([[USER, readUser(given)]]) };
  const { kind, ...rest } = given;
  if (kind !== 'multi') return { parts: new Map([readPart(kind, rest)]) };
  const parts = Object.entries(rest).map(([name, part]) => readPart(name, part));
  if (parts.length === 0) throw broken('it has the kind multi, and no contexts in it');
  return { parts: new Map(parts) };
}

/** What stands for the whole context in hashes and lists, the same however it was written. */
export function canonicalKey({ parts }: Context): string {
  const [only] = parts;
  if (parts.size === 1 && only![0] === USER) return keyOf(only![1]);
  return [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, part]) => `${kind}:${keyOf(part).replaceAll('%', '%25').replaceAll(':', '%3A')}`)
    .join(':');
}

export function keyOf(part: Attributes): string {
  return part['key'] as string;
}

function readPart(kind: unknown, part: unknown): [kind: string, Attributes] {
  if (typeof kind !== 'string' || !KIND.test(kind)) throw broken('its kind is not a good name');
  if (!isObject(part)) throw broken(`its ${kind} must be a JSON object`);
  const { key, name = null, anonymous = null, _meta = null } = part;
  if (typeof key !== 'string' || key === '') throw broken(`its ${kind} has no key`);
  if (name !== null && typeof name !== 'string') throw broken(`the name of its ${kind} must be a string`);
  if (anonymous !== null && typeof anonymous !== 'boolean')
    throw broken(`anonymous must be true or false in its ${kind}`);
  if (_meta !== null && !isObject(_meta)) throw broken(`_meta must be an object in its ${kind}`);
  return [kind, Object.fromEntries([...Object.entries(part), ['kind', kind]]) as Attributes];
}

const BUILT_IN = ['name', 'firstName', 'lastName', 'email', 'country', 'ip', 'avatar'];

/** The key of a user may be empty, and its own attributes stand apart. */
function readUser({ key, custom = null, anonymous = null, ...user }: Record<string, unknown>): Attributes {
  if (typeof key !== 'string') throw broken('it has no key');
  if (custom !== null && !isObject(custom)) throw broken('its custom attributes must be an object');
  if (anonymous !== null && typeof anonymous !== 'boolean') throw broken('anonymous must be true or false');
  const known = BUILT_IN.filter((name) => Object.hasOwn(user, name) && user[name] !== null);
  const strange = known.find((name) => typeof user[name] !== 'string');
  if (strange !== undefined) throw broken(`its ${strange} must be a string`);
  return Object.fromEntries([
    ...Object.entries(custom ?? {}),
    ...known.map((name) => [name, user[name]]),
    ...(anonymous === null ? [] : [['anonymous', anonymous]]),
    ['key', key],
    ['kind', USER],
  ]) as Attributes;
}

function broken(why: string): Failure {
  return new Failure('invalid', `The context is not valid: ${why}.`);
}
