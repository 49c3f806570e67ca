// What `api` sends: fields as a query or as a body, and the header that names a version of the API that the path belongs to.
import { readFileSync } from 'node:fs';
import { Failure } from '../../kernel/failure.ts';
import { messageOf } from '../command-errors.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];

/** `[METHOD] PATH`. Without a method it is GET, or POST where something is sent. */
export function readTarget(words: readonly string[], hasBody: boolean): { method: string; path: string } {
  const [first = '', second] = words;
  const [method, path] =
    second === undefined ? [hasBody ? 'POST' : 'GET', first] : [first.toUpperCase(), second];
  if (path === '' || words.length > 2)
    throw new Failure(
      'invalid',
      'Name a path and at most a method before it, like: api DELETE /api/v2/projects/old',
    );
  if (!METHODS.includes(method))
    throw new Failure('invalid', `"${first}" is no method: use one of ${METHODS.join(', ')}.`);
  return { method, path };
}

/** `name=value`, where the value is JSON if it can be, and a file behind `@`. */
export function readField(field: string): [name: string, value: unknown] {
  const [name, value] = splitField(field, '--field');
  if (value.startsWith('@')) return [name, readFieldFile(value.slice(1))];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    return [name, value];
  }
}

export function splitField(field: string, flag: string, separator = '='): [name: string, value: string] {
  const at = field.indexOf(separator);
  if (at > 0) return [field.slice(0, at).trim(), field.slice(at + 1)];
  throw new Failure('invalid', `${flag} must be like name${separator}value, not "${field.slice(0, 100)}".`);
}

function readFieldFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure('invalid', `The file of a field cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** Methods without a body have their fields in the query. */
export function withFields(path: string, fields: readonly (readonly [string, unknown])[]): string {
  if (fields.length === 0) return path;
  const query = new URLSearchParams(
    fields.map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
}

/** The host answers at every path that is not of another API. */
export function versionHeader(path: string, version: string): Record<string, string> {
  const { pathname } = new URL(path, 'http://localhost');
  if (/^\/(v2|signalbox\/v1)(\/|$)/.test(pathname))
    throw new Failure('invalid', `The API of ${pathname} has one version: leave --api-version out.`);
  return { [/^\/api\/v2(\/|$)/.test(pathname) ? 'ld-api-version' : 'x-host-api-version']: version };
}
