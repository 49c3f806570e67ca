// The operators of clauses, each prepared once for the values of its clause, and semantic versions as rules write them.
import type { Json } from '../feature-flags/flag.ts';
import { compilePattern, MAX_TEXT } from './pattern/pattern.ts';
import { exceedLimit, Notice, spendSteps, type Meter, type Patterns } from './run.ts';

type Test = (value: Json, meter: Meter) => boolean;

/** Reads one side of a comparison; undefined when it is not of the operator's type. */
type Read<Meaning> = (value: Json) => Meaning | undefined;

type Compile = (values: readonly Json[], patterns: Patterns | undefined) => Test;

const OPERATORS = new Map<string, Compile>([
  ['in', isIn],
  ['startsWith', comparing(readText, (text, wanted) => text.startsWith(wanted))],
  ['endsWith', comparing(readText, (text, wanted) => text.endsWith(wanted))],
  ['contains', containing],
  ['matches', matching],
  ['lessThan', comparing(readNumber, (number, wanted) => number < wanted)],
  ['lessThanOrEqual', comparing(readNumber, (number, wanted) => number <= wanted)],
  ['greaterThan', comparing(readNumber, (number, wanted) => number > wanted)],
  ['greaterThanOrEqual', comparing(readNumber, (number, wanted) => number >= wanted)],
  ['before', comparing(readMoment, (moment, wanted) => moment < wanted)],
  ['after', comparing(readMoment, (moment, wanted) => moment > wanted)],
  ['semVerEqual', comparingVersions((order) => order === 0)],
  ['semVerLessThan', comparingVersions((order) => order < 0)],
  ['semVerGreaterThan', comparingVersions((order) => order > 0)],
]);

/** Whether the operator holds between the value and any of the wanted ones. An unknown operator never holds. */
export function compileOperator(op: string, values: readonly Json[], patterns?: Patterns): CountedTest {
  const test = OPERATORS.get(op)?.(values, patterns) ?? (() => false);
  return Object.assign(test, { cost: op === 'in' ? 1 : 1 + (values.length >> 2) });
}

/** A test, with the steps that it takes in a list. */
export type CountedTest = Test & { readonly cost: number };

/** Whether the test holds for any element. The steps are counted, because callers choose how long lists are. */
export function testAny(list: readonly Json[], test: CountedTest, meter: Meter): boolean {
  for (const value of list) if (spendSteps(meter, test.cost) && test(value, meter)) return true;
  return false;
}

function isIn(values: readonly Json[]): Test {
  const wanted = new Set(values);
  return (value) => wanted.has(value);
}

function comparing<Meaning>(
  read: Read<Meaning>,
  holds: (value: Meaning, wanted: Meaning) => boolean,
): Compile {
  return (values) => {
    const wanted = values.map(read).filter((meaning) => meaning !== undefined);
    return (given) => {
      const meaning = read(given);
      if (meaning === undefined) return false;
      for (const other of wanted) if (holds(meaning, other)) return true;
      return false;
    };
  };
}

/** Reading a version takes longer than anything else in a clause, and is done once per run. */
function comparingVersions(holds: (order: number) => boolean): Compile {
  return (values) => {
    const wanted = values
      .map((value) => (typeof value === 'string' ? readSemVer(value) : undefined))
      .filter((version) => version !== undefined);
    return (given, meter) => {
      if (typeof given !== 'string') return false;
      const version = findVersion(given, meter);
      if (version === undefined) return false;
      for (const other of wanted) if (holds(compareSemVers(version, other))) return true;
      return false;
    };
  };
}

/** Long lists of texts would make the cache large. */
const MAX_VERSIONS = 100;

function findVersion(text: string, meter: Meter): SemVer | undefined {
  const versions = (meter.versions ??= new Map());
  const known = versions.get(text);
  if (known !== undefined || versions.has(text)) return known;
  const version = readSemVer(text);
  if (versions.size < MAX_VERSIONS) versions.set(text, version);
  return version;
}

/** The number of texts to search for matters only where the searched text is long. */
function containing(values: readonly Json[]): Test {
  const wanted = values.filter((value) => typeof value === 'string');
  return (text, meter) =>
    typeof text === 'string' &&
    wanted.some((part) => spendSteps(meter, text.length >> 6) && text.includes(part));
}

/** A pattern that exceeds the limits does not match. */
function matching(values: readonly Json[], known: Patterns | undefined): Test {
  const patternOf = known === undefined ? compilePattern : (source: string) => known.get(source);
  const patterns = values
    .map((value) => (typeof value === 'string' ? patternOf(value) : undefined))
    .filter((pattern) => pattern !== undefined);
  return (text, meter) => {
    if (typeof text !== 'string' || patterns.length === 0) return false;
    if (text.length > MAX_TEXT) return exceedLimit(meter, Notice.longText);
    for (const pattern of patterns) {
      if (pattern.isTooLarge) exceedLimit(meter, Notice.largePattern);
      else {
        const isMatch = pattern.test(text, meter.steps);
        if (isMatch === true) return true;
        if (isMatch === undefined) exceedLimit(meter, Notice.noSteps);
        if (meter.steps.left === 0) return false;
      }
    }
    return false;
  };
}

function readText(value: Json): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readNumber(value: Json): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** No date has more characters. */
const LONGEST_MOMENT = 100;
/** As in SDKs, `Date.parse` decides on the rest. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::\d\d)?)/;

/** Epoch milliseconds, or a date with its time and zone. */
function readMoment(value: Json): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > LONGEST_MOMENT || !RFC_3339.test(value)) return undefined;
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? undefined : moment;
}

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
function readSemVer(text: string): SemVer | undefined {
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
function compareSemVers(one: SemVer, other: SemVer): number {
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
