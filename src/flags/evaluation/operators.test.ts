// Every operator with values of its type, values of other types, and edge cases.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../feature-flags/flag.ts';
import { compileOperator } from './operators.ts';

function holdsFor(op: string, value: Json, ...wanted: Json[]): boolean {
  return compileOperator(op, wanted)(value, {
    steps: { left: 1_000_000 },
    notices: 0,
    exceeded: 0,
    versions: undefined,
  });
}

const DAY = '2017-12-06T00:00:00.000-07:00';
const DAY_MS = Date.parse(DAY);

const cases: [op: string, value: Json, wanted: Json, holds: boolean][] = [
  ['in', 'x', 'x', true],
  ['in', 'x', 'X', false],
  ['in', 99, 99, true],
  ['in', '99', 99, false],
  ['in', 99, '99', false],
  ['in', true, true, true],
  ['in', true, 'true', false],
  ['in', { a: 1 }, 'x', false],
  ['startsWith', 'xyz', 'x', true],
  ['startsWith', 'x', 'xyz', false],
  ['startsWith', 1, '1', false],
  ['endsWith', 'xyz', 'z', true],
  ['endsWith', 'z', 'xyz', false],
  ['endsWith', '1', 1, false],
  ['contains', 'xyz', 'y', true],
  ['contains', 'y', 'xyz', false],
  ['matches', 'hello world', 'hello.*rld', true],
  ['matches', 'hello world', '^world', false],
  ['matches', 'hello world', 'l+', true],
  ['matches', 'hello world', '***not a regex', false],
  ['matches', '12345678901234567890', String.raw`^\d{20}$`, true],
  ['matches', 'abab', String.raw`^(ab)\1$`, true],
  ['matches', 'abba', String.raw`^(ab)\1$`, false],
  ['matches', 2, '2', false],
  ['matches', '2', 2, false],
  ['lessThan', 1, 1.99999, true],
  ['lessThan', 1, 1, false],
  ['lessThan', '1', 2, false],
  ['lessThanOrEqual', 1, 1, true],
  ['lessThanOrEqual', 1.1, 1, false],
  ['greaterThan', 2, 1.99999, true],
  ['greaterThan', 2, 2, false],
  ['greaterThanOrEqual', 2, 2, true],
  ['greaterThanOrEqual', 1, 2, false],
  ['before', '2017-12-06T00:00:00Z', '2017-12-06T00:01:01Z', true],
  ['before', '2017-12-06T00:01:01Z', '2017-12-06T00:00:00Z', false],
  ['before', 0, 1, true],
  ['before', DAY_MS - 1, DAY, true],
  ['before', DAY, DAY_MS, false],
  ['before', 'not a date', DAY, false],
  ['before', DAY, '2017-12-06', false],
  ['before', '2017-13-41T00:00:00Z', DAY, false],
  ['before', true, DAY, false],
  ['after', DAY, DAY_MS - 1, true],
  ['after', '2017-12-06t07:00:00.001z', DAY, false],
  ['after', DAY, DAY, false],
  ['semVerEqual', '2.0.0', '2.0.0', true],
  ['semVerEqual', '2.0', '2.0.0', true],
  ['semVerEqual', '2', '2.0.0', true],
  ['semVerEqual', '2-rc1', '2.0.0-rc1', true],
  ['semVerEqual', '2+build2', '2.0.0', true],
  ['semVerEqual', '2.0.0+a', '2.0.0+b', true],
  ['semVerEqual', 'v2.0.0', '2.0.0', false],
  ['semVerEqual', '02.0.0', '2.0.0', false],
  ['semVerEqual', '2.0.0.0', '2.0.0', false],
  ['semVerEqual', 2, '2.0.0', false],
  ['semVerEqual', '2.0.0', 'xbad%ver', false],
  ['semVerLessThan', '2.0.0', '2.0.1', true],
  ['semVerLessThan', '2.0', '2.0.1', true],
  ['semVerLessThan', '2.0.1', '2.0.0', false],
  ['semVerLessThan', '2.0.0-rc', '2.0.0', true],
  ['semVerLessThan', '2.0.0-rc.beta', '2.0.0-rc.beta.1', true],
  ['semVerLessThan', '2.0.0-rc.9', '2.0.0-rc.10', true],
  ['semVerLessThan', '2.0.0-rc.9', '2.0.0-rc.beta', true],
  ['semVerLessThan', '2.9.0', '2.10.0', true],
  ['semVerGreaterThan', '2.0.1', '2.0', true],
  ['semVerGreaterThan', '10.0.1', '2.0', true],
  ['semVerGreaterThan', '2.0.0', '2.0.0-rc.0', true],
  ['semVerGreaterThan', '2.0.0-beta', '2.0.0-alpha.9', true],
  ['semVerGreaterThan', '2.0.0', '2.0.1', false],
  ['semVerGreaterThan', '9007199254740993.0.0', '1.0.0', false],
  ['noSuchOperator', 'x', 'x', false],
  ['constructor', 'x', 'x', false],
];

describe('an operator', () => {
  for (const [op, value, wanted, holds] of cases) {
    const words = `${JSON.stringify(value)} ${op} ${JSON.stringify(wanted)}`;
    test(`says that ${words} is ${holds}`, () => assert.equal(holdsFor(op, value, wanted), holds));
  }

  test('needs but one of the values', () => {
    assert.equal(holdsFor('lessThan', 2, 1, 'x', 3), true);
    assert.equal(holdsFor('lessThan', 2, 1, 'x'), false);
    assert.equal(holdsFor('lessThan', 2), false);
  });

  test('knows no version and no moment that is longer than any can be', () => {
    assert.equal(holdsFor('semVerEqual', `1.0.0-${'a'.repeat(2000)}`, `1.0.0-${'a'.repeat(2000)}`), false);
    assert.equal(holdsFor('after', `2017-12-06T00:00:00.${'0'.repeat(200)}Z`, 0), false);
  });
});
