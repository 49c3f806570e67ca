// Finding the error in a text, compared with JSON.parse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonError } from './json-error.ts';

const CASES: [text: string, line: number, column: number, problem: string][] = [
  ['', 1, 1, 'expected a value, found the end'],
  ['{"a":1,}', 1, 8, 'expected a name in double quotes, found "}"'],
  ['[1,2,]', 1, 6, 'expected a value, found "]"'],
  ['{\n  "a": yes\n}', 2, 8, 'expected a value, found "yes"'],
  ["{'a':1}", 1, 2, 'expected a name in double quotes, found "\'"'],
  ['{"a" 1}', 1, 6, 'expected ":", found "1"'],
  ['{"a":1 "b":2}', 1, 8, 'expected "," or "}", found "\\""'],
  ['[1] [2]', 1, 5, 'expected the end, found "["'],
  ['["a', 1, 4, 'a text is not closed'],
  ['["a\nb"]', 1, 4, 'a control character must be escaped'],
  ['["\\x"]', 1, 3, 'an escape is not known'],
  ['[[[', 1, 4, 'expected a value, found the end'],
  ['01', 1, 2, 'expected the end, found "1"'],
];

for (const [text, line, column, problem] of CASES) {
  test(`${JSON.stringify(text)} is wrong at line ${line}, column ${column}`, () => {
    assert.deepEqual(findJsonError(text), { line, column, problem });
  });
}

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test('exactly the texts that JSON.parse refuses have an error', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-',
    'e5',
    '.5',
    'true',
    'nul',
    ' ',
    '\n',
    '"',
    '\\u00e4',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece).map((pieces) => pieces.join('')),
        fc.json(),
      ),
      (text) => {
        assert.equal(findJsonError(text) === undefined, isJson(text), text);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a deep text and a long one are read without overflow', () => {
  assert.equal(findJsonError('['.repeat(100_000))?.column, 100_001);
  assert.equal(findJsonError(`["${'a\\n'.repeat(500_000)}"]`), undefined);
});
