// How rule numbers are read from the names of tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCoverage, findLongOnly, type Ledger } from './ledger-coverage.ts';

const ledger: Ledger = {
  flags: [
    ['F1', 'first'],
    ['F2', 'second'],
    ['F14', 'patch'],
  ],
  host: [['H1', 'status']],
};

function read(text: string) {
  const { apis, unknown } = findCoverage(ledger, new Map([['a.test.ts', text]]));
  return { covered: apis.flatMap(({ covered }) => covered), unknown: unknown.map(({ id }) => id) };
}

test('a rule is covered by a test whose name starts with its number', () => {
  assert.deepEqual(read(`test('F1 is so', () => {});`), { covered: ['F1'], unknown: [] });
  assert.deepEqual(read('test(`H1 is so on ${name}`, () => {});'), { covered: ['H1'], unknown: [] });
  assert.deepEqual(read(`await t.test(\n  "F14 is so", () => {});`), { covered: ['F14'], unknown: [] });
});

test('one test may cover several rules', () => {
  assert.deepEqual(read(`test('F14 F2 H1 hold together', () => {});`).covered, ['F2', 'F14', 'H1']);
});

test('tests declared in a loop over engines count', () => {
  assert.deepEqual(read('onEachEngine((open, name) => test(`F1 on ${name}`, async () => {}));').covered, [
    'F1',
  ]);
});

test('a number in the middle of a name, in a comment or on a skipped test covers nothing', () => {
  const text = `
    test('about F1 only', () => {});
    // test('F1 later', () => {});
    test.skip('F2 later', () => {});
    test.todo('F14 later');
    test('H1x is no number', () => {});`;
  assert.deepEqual(read(text), { covered: [], unknown: [] });
});

test('numbers that the ledger does not have are named', () => {
  assert.deepEqual(read(`test('F99 is so', () => {}); test('F1 F3 too', () => {});`).unknown, ['F99', 'F3']);
});

test('the counts are per API', () => {
  const { apis } = findCoverage(ledger, new Map([['a.test.ts', `test('F2 is so', () => {});`]]));
  assert.deepEqual(apis, [
    { api: 'flags', total: 3, covered: ['F2'], missing: ['F1', 'F14'] },
    { api: 'host', total: 1, covered: [], missing: ['H1'] },
  ]);
});

test('rules that only long files and long tests hold are named', () => {
  const tests = new Map([
    ['long.test.ts', `test('F1 F2 are so', () => {});`],
    ['quick.test.ts', `test('F2 is so too', () => {}); test('H1 takes long', () => {});`],
  ]);
  const isLong = (path: string) => path === 'long.test.ts';
  assert.deepEqual(findLongOnly(ledger, tests, { isLong, longTests: ['H1 takes long'] }), ['F1', 'H1']);
});
