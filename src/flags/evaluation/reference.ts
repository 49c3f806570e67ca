// Attribute references: a plain name, or a path into nested objects that begins with a slash.
import { isObject } from '../../kernel/json/json-value.ts';
import type { Json } from '../feature-flags/flag.ts';
import type { ContextPart } from './context.ts';

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
