// The check of exported names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDoubleNames } from './exported-names.ts';

function find(files: Record<string, string>): string[] {
  return findDoubleNames(new Map(Object.entries(files))).map(
    ({ name, paths }) => `${name}: ${paths.join(' ')}`,
  );
}

test('a name that two files export is reported with both', () => {
  const files = {
    'src/kernel/http/route.ts': 'export interface Result {}\nexport const other = 1;',
    'src/flags/run.ts': 'export type Result = string;',
    'src/host/run.ts': 'const Result = 1;\nexport async function run() {}',
  };
  assert.deepEqual(find(files), ['Result: src/flags/run.ts src/kernel/http/route.ts']);
});

test('a list of exports counts by the names that importers use', () => {
  const files = {
    'src/a.ts': 'export { one, two as three };',
    'src/b.ts': 'export const three = 3;\nexport const two = 2;',
  };
  assert.deepEqual(find(files), ['three: src/a.ts src/b.ts']);
});

test('passing a name on is no second export, and neither are tests and fixtures', () => {
  const files = {
    'src/a.ts': 'export const one = 1;',
    'src/b.ts': `export { one } from './a.ts';`,
    'src/fixture.ts': 'export const one = 1;',
    'src/flags/fixture-flags.ts': 'export const one = 1;',
    'src/a.test.ts': 'export const one = 1;',
  };
  assert.deepEqual(find(files), []);
});

test('names that mean the same in each API may be in each', () => {
  const text = 'export function renderError() {}';
  assert.deepEqual(find({ 'src/flags/failures.ts': text, 'src/host/failures.ts': text }), []);
});
