// The operators of clauses, each prepared once for the values it compares with.
import type { Json } from '../feature-flags/flag.ts';
import { compilePattern } from './pattern.ts';
import { compareSemVers, readSemVer } from './semver.ts';

export type Test = (value: Json) => boolean;

/** Reads what one side of a comparison means; undefined where it means nothing there. */
type Read<Meaning> = (value: Json) => Meaning | undefined;

type Prepare = (wanted: Json) => Test | undefined;

const OPERATORS = new Map<string, Prepare>([
  ['startsWith', comparing(readText, (text, wanted) => text.startsWith(wanted))],
  ['endsWith', comparing(readText, (text, wanted) => text.endsWith(wanted))],
  ['contains', comparing(readText, (text, wanted) => text.includes(wanted))],
  ['matches', matching],
  ['lessThan', comparing(readNumber, (number, wanted) => number < wanted)],
  ['lessThanOrEqual', comparing(readNumber, (number, wanted) => number <= wanted)],
  ['greaterThan', comparing(readNumber, (number, wanted) => number > wanted)],
  ['greaterThanOrEqual', comparing(readNumber, (number, wanted) => number >= wanted)],
  ['before', comparing(readMoment, (moment, wanted) => moment < wanted)],
  ['after', comparing(readMoment, (moment, wanted) => moment > wanted)],
  ['semVerEqual', comparing(readVersion, (version, wanted) => compareSemVers(version, wanted) === 0)],
  ['semVerLessThan', comparing(readVersion, (version, wanted) => compareSemVers(version, wanted) < 0)],
  ['semVerGreaterThan', comparing(readVersion, (version, wanted) => compareSemVers(version, wanted) > 0)],
]);

/** Whether a value is to any of the wanted ones as the operator says. An unknown one is never true. */
export function compileOperator(op: string, values: readonly Json[]): Test {
  if (op === 'in') {
    const wanted = new Set(values);
    return (value) => wanted.has(value);
  }
  const prepare = OPERATORS.get(op) ?? (() => undefined);
  const tests = values.map(prepare).filter((test) => test !== undefined);
  const [only] = tests;
  return tests.length === 1 ? only! : (value) => tests.some((test) => test(value));
}

function comparing<Meaning>(
  read: Read<Meaning>,
  holds: (value: Meaning, wanted: Meaning) => boolean,
): Prepare {
  return (value) => {
    const wanted = read(value);
    if (wanted === undefined) return undefined;
    return (given) => {
      const meaning = read(given);
      return meaning !== undefined && holds(meaning, wanted);
    };
  };
}

function readText(value: Json): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readNumber(value: Json): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function readVersion(value: Json) {
  return typeof value === 'string' ? readSemVer(value) : undefined;
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Epoch milliseconds, or a date with its time and zone. */
function readMoment(value: Json): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !RFC_3339.test(value)) return undefined;
  const moment = Date.parse(value.toUpperCase());
  return Number.isNaN(moment) ? undefined : moment;
}

function matching(wanted: Json): Test | undefined {
  const test = typeof wanted === 'string' ? compilePattern(wanted) : undefined;
  return test && ((value) => typeof value === 'string' && test(value));
}
