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

/** Made once for a list of versions, because every call asks. */
export function versionSelector(
  names: readonly string[],
): (asked: string | undefined, now: number) => string {
  const ends = names.map((name) => supportEnds(names, name) ?? Infinity);
  return (asked, now) => {
    const index = asked === undefined ? ends.findIndex((end) => end > now) : names.indexOf(asked);
    if (index !== -1 && ends[index]! > now) return names[index]!;
    throw refusal(asked, index !== -1, supportedVersions(names, now));
  };
}

function refusal(asked: string | undefined, wasSupported: boolean, supported: string[]): Failure {
  const list = supported
    .map((name) => (name === supported.at(-1) ? `${name} (most recent)` : name))
    .join(', ');
  return wasSupported
    ? new Failure('gone', `API version ${asked} is no longer supported. Supported versions: ${list}.`)
    : new Failure('malformed', `"${asked}" is not a supported API version. Supported versions: ${list}.`);
}
