// Attribute references: a plain name, or a path into nested objects that begins with a slash.
import { isObject } from '../../kernel/patch/json-value.ts';
import type { Json } from '../feature-flags/flag.ts';
import type { ContextPart } from './context.ts';

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

/** Whether this is the attribute that stands for the kinds of the whole context. */
export function isKind(reference: AttributeReference): boolean {
  return reference.length === 1 && reference[0] === 'kind';
}

/** Undefined for a missing attribute, and for `_meta`, which SDKs reserve. */
export function readAttribute(part: ContextPart, reference: AttributeReference): Json | undefined {
  const name = reference[0];
  if (name === '_meta') return undefined;
  let value = part.attributes[name];
  for (let depth = 1; depth < reference.length; depth += 1) {
    const inner = reference[depth]!;
    if (!isObject(value) || !Object.hasOwn(value, inner)) return undefined;
    value = value[inner] as Json;
  }
  return value;
}
