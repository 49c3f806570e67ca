// How long a version is supported, and which one a call gets.
import { Failure } from './failure.ts';

const SUPPORT_MONTHS = 24;

/** When support of a version ends: 24 calendar months after its successor came. The newest has no end. */
export function supportEnds(names: readonly string[], version: string): number | undefined {
  const successor = names[names.indexOf(version) + 1];
  if (successor === undefined) return undefined;
  const end = new Date(`${successor}T00:00:00Z`);
  end.setUTCMonth(end.getUTCMonth() + SUPPORT_MONTHS);
  return end.getTime();
}

export function supportedVersions(names: readonly string[], now: number): string[] {
  return names.filter((name) => (supportEnds(names, name) ?? Infinity) > now);
}

/** The version asked for, or the oldest still supported: a caller who never chose one must not be moved early. */
export function selectVersion(names: readonly string[], asked: string | undefined, now: number): string {
  const supported = supportedVersions(names, now);
  if (asked === undefined) return supported[0]!;
  if (supported.includes(asked)) return asked;
  const list = supported.map((name, index) =>
    index === supported.length - 1 ? `${name} (most recent)` : name,
  );
  if (names.includes(asked)) {
    throw new Failure(
      'gone',
      `API version ${asked} is no longer supported. Supported versions: ${list.join(', ')}.`,
    );
  }
  throw new Failure(
    'malformed',
    `"${asked}" is not a supported API version. Supported versions: ${list.join(', ')}.`,
  );
}
