// Reads an OpenAPI document without trusting it: a missing or malformed part is a failure that names it.
import { Failure } from '../../src/kernel/failure.ts';

export type JsonRecord = Record<string, unknown>;

export interface Document {
  root: JsonRecord;
  /** From 3.1 on, keywords beside a schema's `$ref` count; in 3.0 they are ignored. */
  refsHaveSiblings: boolean;
  /** Absent is empty; anything that is not an object is a failure. */
  record(value: unknown, what: string): JsonRecord;
  /** Absent is empty; anything that is not an array is a failure. */
  list(value: unknown, what: string): unknown[];
  text(value: unknown, what: string): string;
  /** Follows `$ref` to its target; stops at a reference with siblings that `isTransparent` does not accept. */
  resolve(value: unknown, what: string, isTransparent?: (found: JsonRecord) => boolean): JsonRecord;
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function openDocument(value: unknown, name: string): Document {
  const broken = (sentence: string) => new Failure('invalid', `The ${name} document ${sentence}.`);

  if (!isRecord(value)) throw broken('is not a JSON object');
  const root = value;
  if (typeof root['openapi'] !== 'string' || !root['openapi'].startsWith('3.')) {
    throw broken('is not an OpenAPI 3 description: "openapi" must be a version that starts with "3."');
  }
  if (!isRecord(root['paths'])) throw broken('has no "paths" object');

  function record(found: unknown, what: string): JsonRecord {
    if (found === undefined) return {};
    if (!isRecord(found)) throw broken(`has a broken part: ${what} must be an object`);
    return found;
  }

  function list(found: unknown, what: string): unknown[] {
    if (found === undefined) return [];
    if (!Array.isArray(found)) throw broken(`has a broken part: ${what} must be an array`);
    return found;
  }

  function text(found: unknown, what: string): string {
    if (typeof found !== 'string') throw broken(`has a broken part: ${what} must be a string`);
    return found;
  }

  function follow(reference: string): unknown {
    if (!reference.startsWith('#')) throw broken(`refers to "${reference}", which lies outside of it`);
    let found: unknown = root;
    for (const token of pointerTokens(reference.slice(1))) {
      // Own members only: "#/__proto__" must not resolve.
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, token)) {
        throw broken(`refers to "${reference}", which it does not contain`);
      }
      found = (found as JsonRecord)[token];
    }
    return found;
  }

  function resolve(start: unknown, what: string, isTransparent = (_found: JsonRecord) => true): JsonRecord {
    const followed = new Set<string>();
    let found = record(start, what);
    while (typeof found['$ref'] === 'string' && isTransparent(found)) {
      const reference = found['$ref'];
      if (followed.has(reference)) throw broken(`refers to "${reference}", which only refers back to itself`);
      followed.add(reference);
      found = record(follow(reference), `"${reference}"`);
    }
    return found;
  }

  const refsHaveSiblings = !root['openapi'].startsWith('3.0');
  return { root, refsHaveSiblings, record, list, text, resolve };
}

function pointerTokens(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .split('/')
    .slice(1)
    .map((token) => decode(token).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token; // a stray % is not an escape; the lookup decides whether the name exists
  }
}

/** The last segment of a reference: the name of its target. */
export function referenceName(reference: string): string {
  return pointerTokens(reference).at(-1) ?? reference;
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(
          Object.entries(part).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)),
        )
      : part,
  );
}
