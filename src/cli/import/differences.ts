// Which of the fields that an import sends differ from those on the target.
import { isDeepStrictEqual } from 'node:util';

export type RemoteFields = Record<string, unknown>;

/** Only these fields, without those that are null or absent. */
export function pickFields(from: RemoteFields, names: readonly string[]): RemoteFields {
  return Object.fromEntries(names.filter((name) => from[name] != null).map((name) => [name, from[name]]));
}

/** The names of fields that the target has otherwise; what the source leaves open may be anything. */
export function differingFields(wanted: RemoteFields, actual: RemoteFields): string[] {
  return Object.keys(wanted).filter((name) => !includes(actual[name], wanted[name]));
}

/** Objects may have more fields on the target, such as defaults; null counts as absent. */
function includes(actual: unknown, wanted: unknown): boolean {
  if (wanted == null) return true;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => includes(actual[index], item))
    );
  }
  if (typeof wanted !== 'object') return isDeepStrictEqual(actual, wanted);
  if (typeof actual !== 'object' || actual === null)
    return Object.values(wanted).every((value) => value == null);
  return Object.entries(wanted).every(([name, value]) => includes((actual as RemoteFields)[name], value));
}
