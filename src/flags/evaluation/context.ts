// Reads contexts, of a single kind, of several kinds, or a user in the format of older SDKs; and attributes of them, by reference.
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import type { Json } from '../feature-flags/flag.ts';

/** One kind of a context. */
export interface ContextPart {
  readonly key: string;
  /** With the key; without a prototype, so that every name is one of an attribute. */
  readonly attributes: Readonly<Record<string, Json>>;
}

export interface Context {
  /** By kind. */
  readonly parts: ReadonlyMap<string, ContextPart>;
}

export const USER = 'user';

const KIND = /^(?!(?:kind|multi)$)[a-zA-Z0-9._-]+$/;

/** Takes parsed JSON; throws `invalid` when it is no context. */
export function readContext(given: unknown): Context {
  if (!isObject(given)) throw broken('the context', 'must be a JSON object');
  if (!Object.hasOwn(given, 'kind')) return { parts: new Map([[USER, readUser(given)]]) };
  const { kind, ...rest } = given;
  if (kind !== 'multi') return { parts: new Map([readPart(kind, rest)]) };
  const parts = Object.entries(rest).map(([name, part]) => readPart(name, part, shorten(name)));
  if (parts.length === 0) throw broken('kind', 'is multi, and there are no contexts beside it');
  return { parts: new Map(parts) };
}

/** The canonical key of the whole context, for hashes and lists: independent of the format and order of the JSON. */
export function canonicalKey({ parts }: Context): string {
  const [only] = parts;
  if (parts.size === 1 && only![0] === USER) return keyOf(only![1]);
  return [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, part]) => `${kind}:${keyOf(part).replaceAll('%', '%25').replaceAll(':', '%3A')}`)
    .join(':');
}

export function keyOf(part: ContextPart): string {
  return part.key;
}

/** `at` is the field of the part in a context of several kinds. */
function readPart(kind: unknown, part: unknown, at?: string): [kind: string, ContextPart] {
  if (typeof kind !== 'string' || !KIND.test(kind)) throw broken(at ?? 'kind', 'is no name of a kind');
  if (!isObject(part)) throw broken(at ?? kind, 'must be a JSON object');
  const { key, name = null, anonymous = null, _meta = null } = part;
  const fieldOf = (member: string) => (at === undefined ? member : `${at}.${member}`);
  if (typeof key !== 'string' || key === '') throw broken(fieldOf('key'), 'must be a text that is not empty');
  if (name !== null && typeof name !== 'string') throw broken(fieldOf('name'), 'must be a text');
  if (anonymous !== null && typeof anonymous !== 'boolean')
    throw broken(fieldOf('anonymous'), 'must be true or false');
  if (_meta !== null && !isObject(_meta)) throw broken(fieldOf('_meta'), 'must be a JSON object');
  return [kind, newPart(key, [part, { kind, anonymous: anonymous === true }])];
}

const BUILT_IN = ['name', 'firstName', 'lastName', 'email', 'country', 'ip', 'avatar'];

/** The key of a user may be empty, and custom attributes are in `custom`. */
function readUser({ key, custom = null, anonymous = null, ...user }: Record<string, unknown>): ContextPart {
  if (typeof key !== 'string') throw broken('key', 'must be a text');
  if (custom !== null && !isObject(custom)) throw broken('custom', 'must be a JSON object');
  if (anonymous !== null && typeof anonymous !== 'boolean')
    throw broken('anonymous', 'must be true or false');
  const known = BUILT_IN.filter((name) => Object.hasOwn(user, name) && user[name] !== null);
  const strange = known.find((name) => typeof user[name] !== 'string');
  if (strange !== undefined) throw broken(strange, 'must be a text');
  const builtIn = Object.fromEntries(known.map((name) => [name, user[name]]));
  const isAnonymous = Boolean(anonymous ?? custom?.['anonymous']);
  return newPart(key, [custom ?? {}, builtIn, { anonymous: isAnonymous, key, kind: USER }]);
}

function newPart(key: string, sources: readonly object[]): ContextPart {
  const attributes = Object.create(null) as Record<string, Json>;
  for (const source of sources) Object.assign(attributes, source);
  return { key, attributes };
}

function broken(field: string, message: string): Failure {
  return new Failure('invalid', `The context is not valid: ${field} ${message}.`, {
    fields: [{ field, message }],
  });
}

export interface AttributeReference {
  readonly name: string;
  /** The members of nested objects that lead to the value. */
  readonly inner: readonly string[];
}

const NONE: readonly string[] = [];

/** Undefined for an invalid reference. A literal is always a plain name. */
export function readReference(text: string, isLiteral: boolean): AttributeReference | undefined {
  if (text === '') return undefined;
  if (isLiteral || !text.startsWith('/')) return { name: text, inner: NONE };
  const [first, ...inner] = text.slice(1).split('/').map(unescape);
  if (first === undefined || inner.includes(undefined)) return undefined;
  return { name: first, inner: inner as string[] };
}

function unescape(part: string): string | undefined {
  if (part === '' || /~(?![01])/.test(part)) return undefined;
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Whether this is the attribute that stands for the kinds of the whole context. */
export function isKind({ name, inner }: AttributeReference): boolean {
  return name === 'kind' && inner.length === 0;
}

/** Undefined for a missing attribute, and for `_meta`, which SDKs reserve. */
export function readAttribute(part: ContextPart, reference: AttributeReference): Json | undefined {
  const { name, inner } = reference;
  if (name === '_meta') return undefined;
  let value = part.attributes[name];
  for (let depth = 0; depth < inner.length; depth += 1) {
    const member = inner[depth]!;
    if (!isObject(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member] as Json;
  }
  return value;
}
