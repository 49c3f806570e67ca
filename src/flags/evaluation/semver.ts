// Semantic versions as rules write them: minor and patch are optional.

export interface SemVer {
  numbers: readonly [major: number, minor: number, patch: number];
  prerelease: readonly (string | number)[];
}

const NUMBER = '(0|[1-9]\\d*)';
const WORD = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const BUILD = '[0-9a-zA-Z-]+';
const END = `(?:-(${WORD}(?:\\.${WORD})*))?(?:\\+${BUILD}(?:\\.${BUILD})*)?$`;
const FULL = new RegExp(`^v?${NUMBER}\\.${NUMBER}\\.${NUMBER}${END}`);
/** The group in between stands for the patch, which is missing. */
const SHORT = new RegExp(`^${NUMBER}(?:\\.${NUMBER})?()${END}`);

/** SDKs read no more characters. */
const LONGEST = 256;

/** As in SDKs, spaces around a version do not count, but only a full version may have some before it. */
export function readSemVer(text: string): SemVer | undefined {
  if (text.length > LONGEST || text.startsWith('v')) return undefined;
  const match = FULL.exec(text.trim()) ?? SHORT.exec(text.trimEnd());
  if (match === null) return undefined;
  const [, major, minor, patch, words] = match;
  const numbers = [Number(major), Number(minor ?? 0), Number(patch ?? 0)] as const;
  if (!numbers.every(Number.isSafeInteger)) return undefined;
  const prerelease = words?.split('.').map((word) => (/^\d+$/.test(word) ? Number(word) : word)) ?? [];
  return { numbers, prerelease };
}

/** Negative when the first precedes the second. Build metadata does not count. */
export function compareSemVers(one: SemVer, other: SemVer): number {
  for (let index = 0; index < 3; index += 1) {
    const difference = one.numbers[index]! - other.numbers[index]!;
    if (difference !== 0) return difference;
  }
  return comparePrereleases(one.prerelease, other.prerelease);
}

/** A pre-release precedes its release. */
function comparePrereleases(one: SemVer['prerelease'], other: SemVer['prerelease']): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  for (const [index, word] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    if (word === against) continue;
    if (typeof word !== typeof against) return typeof word === 'number' ? -1 : 1;
    return word < against ? -1 : 1;
  }
  return one.length - other.length;
}
