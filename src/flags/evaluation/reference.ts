// Attribute references: a plain name, or a path into nested objects that begins with a slash.
import { isObject } from '../../kernel/patch/json-value.ts';
import type { Json } from '../feature-flags/flag.ts';
import type { Attributes } from './context.ts';

export type AttributeReference = readonly [name: string, ...inner: string[]];

/** Undefined for an invalid reference. A literal is always a plain name. */
export function readReference(text: string, isLiteral: boolean): AttributeReference | undefined {
  if (text === '') return undefined;
  if (isLiteral || !text.startsWith('/')) return [text];
  const [first, ...inner] = text.slice(1).split('/').map(unescape);
  if (first === undefined || inner.includes(undefined)) return undefined;
  return [first, ...(inner as string[])];
}

function unescape(part: string): string | undefined {
  if (part === '' || /~(?![01])/.test(part)) return undefined;
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Undefined for a missing attribute, and for `_meta`, which SDKs reserve. */
export function readAttribute(
  attributes: Attributes,
  [name, ...inner]: AttributeReference,
): Json | undefined {
  if (name === '_meta' || !Object.hasOwn(attributes, name)) return undefined;
  let value: Json | undefined = attributes[name];
  for (const part of inner) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part] as Json;
  }
  return value;
}
