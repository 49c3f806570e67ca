// JSON pointers (RFC 6901), and the rule that patches must not edit some attributes.
import { Failure } from '../failure.ts';
import { areEqual, isObject, MAX_DEPTH, propertyOf } from './json-value.ts';

export interface Pointer {
  text: string;
  tokens: string[];
}

/** Whether patches must not edit the attribute at a pointer. Everything below a locked attribute is locked as well. */
export type Locked = (pointer: string) => boolean;

/** The default `Locked`: attributes whose name begins with an underscore belong to the server. */
export const isUnderscored: Locked = (pointer) => pointer.startsWith('_', pointer.lastIndexOf('/') + 1);

export function parsePointer(text: string): Pointer {
  if (text === '') return { text, tokens: [] };
  if (!text.startsWith('/')) throw new Failure('bad-patch', 'a path is empty or begins with "/"');
  if (/~(?![01])/.test(text)) throw new Failure('bad-patch', 'in a path "~" stands only in "~0" or "~1"');
  const tokens = text.slice(1).split('/');
  if (tokens.length > MAX_DEPTH) throw new Failure('bad-patch', `a path has at most ${MAX_DEPTH} parts`);
  return { text, tokens: text.includes('~') ? tokens.map(unescape) : tokens };
}

function unescape(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function escape(key: string): string {
  if (!key.includes('~') && !key.includes('/')) return key;
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function forbidEditAt({ text }: Pointer, locked: Locked): void {
  if (text === '') return;
  for (let end = text.indexOf('/', 1); end > 0; end = text.indexOf('/', end + 1)) {
    const above = text.slice(0, end);
    if (locked(above)) throw editForbidden(above);
  }
  if (locked(text)) throw editForbidden(text);
}

/**
 * Refuses a value that would change a locked attribute of the object it replaces or is merged into. An unchanged one is
 * allowed. Lists are not compared: their elements move, so they have no previous value to compare with.
 */
export function forbidEditsWithin(before: unknown, written: unknown, pointer: string, locked: Locked): void {
  if (!isObject(before) || !isObject(written)) return;
  for (const [key, value] of Object.entries(written)) {
    const here = `${pointer}/${escape(key)}`;
    const current = propertyOf(before, key);
    if (!locked(here)) forbidEditsWithin(current, value, here, locked);
    else if (!areEqual(current, value)) throw editForbidden(here);
  }
}

function editForbidden(pointer: string): Failure {
  const message = `${shorten(pointer)} cannot be edited`;
  return new Failure('invalid', message, { fields: [{ field: pointer, message }] });
}

/** Shortens a text of the caller for an error message. */
export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
