// Semantic versions as rules write them: minor and patch are optional.

export interface SemVer {
  numbers: readonly [major: number, minor: number, patch: number];
  prerelease: readonly (string | number)[];
}

const NUMBER = '(0|[1-9]\\d*)';
const WORD = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const SEMVER = new RegExp(
  `^${NUMBER}(?:\\.${NUMBER})?(?:\\.${NUMBER})?(?:-(${WORD}(?:\\.${WORD})*))?(?:\\+[0-9a-zA-Z.-]+)?$`,
);

/** No version has more characters. */
const LONGEST = 1000;

export function readSemVer(text: string): SemVer | undefined {
  if (text.length > LONGEST) return undefined;
  const [, major, minor = '0', patch = '0', words = ''] = SEMVER.exec(text) ?? [];
  if (major === undefined) return undefined;
  const numbers = [Number(major), Number(minor), Number(patch)] as const;
  if (!numbers.every(Number.isSafeInteger)) return undefined;
  const prerelease = words.split('.').map((word) => (/^\d+$/.test(word) ? Number(word) : word));
  return { numbers, prerelease: words === '' ? [] : prerelease };
}

/** Negative when the first precedes the second. Build metadata does not count. */
export function compareSemVers(one: SemVer, other: SemVer): number {
  for (const [index, number] of one.numbers.entries()) {
    const difference = number - other.numbers[index]!;
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
