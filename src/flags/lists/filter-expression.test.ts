// Filters made of comparisons: their meaning, and invalid ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../kernel/failure.ts';
import { foldExpression, readExpression, textsOf, truthOf, type Comparison } from './filter-expression.ts';

const FIELDS = {
  query: ['equals', 'notEquals'],
  tags: ['anyOf', 'contains'],
  unbounded: ['equals'],
  external: ['exists'],
  'created.at': ['before', 'after'],
} as const;

/** The expression on one line, with all parentheses. */
function printed(text: string): string | undefined {
  const expression = readExpression(text, FIELDS);
  return (
    expression &&
    foldExpression(
      expression,
      ({ field, op, value }) => `${field} ${op} ${JSON.stringify(value)}`,
      (kind, parts) => `(${parts.join(kind === 'all' ? ' & ' : ' | ')})`,
    )
  );
}

test('comparisons, joined by commas, bars and parentheses, are read', () => {
  const cases: [text: string, meaning: string | undefined][] = [
    ['', undefined],
    ['   ', undefined],
    ['query equals toggle', 'query equals "toggle"'],
    ['  query   equals   two words  ', 'query equals "two words"'],
    ['query equals "a, b | (c) \\"d\\""', 'query equals "a, b | (c) \\"d\\""'],
    [
      'tags anyOf ["enterprise", "beta"],query equals "toggle"',
      '(tags anyOf ["enterprise","beta"] & query equals "toggle")',
    ],
    ['tags anyOf ["a]"]|query equals x', '(tags anyOf ["a]"] | query equals "x")'],
    ['tags contains {"a":[1,{"b":"}"}]}', 'tags contains {"a":[1,{"b":"}"}]}'],
    ['unbounded equals true', 'unbounded equals true'],
    ['unbounded equals null', 'unbounded equals null'],
    ['created.at before 1700000000000', 'created.at before 1700000000000'],
    ['created.at after -1.5', 'created.at after -1.5'],
    ['query equals 007', 'query equals "007"'],
    ['query equals 12345678901234567890', 'query equals "12345678901234567890"'],
    ['external exists', 'external exists true'],
    ['external exists false', 'external exists false'],
    ['external exists,query equals a', '(external exists true & query equals "a")'],
    [
      'query equals a,query equals b|query equals c',
      '((query equals "a" & query equals "b") | query equals "c")',
    ],
    [
      'query equals a,(query equals b|query equals c)',
      '(query equals "a" & (query equals "b" | query equals "c"))',
    ],
    ['((query equals a))', 'query equals "a"'],
    [
      '(query equals a)|(query equals b , query equals c)',
      '(query equals "a" | (query equals "b" & query equals "c"))',
    ],
    ['query equals a:b', 'query equals "a:b"'],
  ];
  for (const [text, meaning] of cases) assert.equal(printed(text), meaning, text);
});

test('what is no filter is refused', () => {
  for (const text of [
    'query',
    'query equals',
    'query:toggle',
    'query is toggle',
    'query anyOf ["a"]',
    'nothing equals a',
    '__proto__ equals a',
    'constructor equals a',
    'query equals a,',
    ',query equals a',
    'query equals a||query equals b',
    '(query equals a',
    'query equals a)',
    '()',
    'tags anyOf ["a"',
    'tags anyOf ["a"] more',
    'tags anyOf [a]',
    'query equals "a',
    'query equals a(b)',
    '('.repeat(51) + 'query equals a' + ')'.repeat(51),
    '('.repeat(10_000),
    `tags anyOf ${'['.repeat(10_000)}`,
  ])
    assert.throws(
      () => readExpression(text, FIELDS),
      (error: Failure) => error.kind === 'malformed',
      text,
    );
});

test('values are read as texts or as a truth', () => {
  const compared = (text: string) => readExpression(text, FIELDS) as Comparison;
  assert.deepEqual(textsOf(compared('tags anyOf ["a", 1, true]')), ['a', '1', 'true']);
  assert.deepEqual(textsOf(compared('query equals beta')), ['beta']);
  assert.equal(truthOf(compared('unbounded equals false')), false);
  assert.throws(() => textsOf(compared('tags anyOf [["a"]]')), Failure);
  assert.throws(() => textsOf(compared('query equals null')), Failure);
  assert.throws(() => truthOf(compared('unbounded equals yes')), Failure);
});

test('every text is read or refused, and every value in JSON comes back', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        readExpression(text, FIELDS);
      } catch (error) {
        assert.ok(error instanceof Failure);
      }
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), fc.string(), (tags, query) => {
      const text = `(tags anyOf ${JSON.stringify(tags)}|query equals ${JSON.stringify(query)})`;
      const expression = readExpression(text, FIELDS);
      assert.ok(expression?.kind === 'any');
      assert.deepEqual(
        expression.of.map((each) => (each as Comparison).value),
        [tags, query],
      );
    }),
  );
});
