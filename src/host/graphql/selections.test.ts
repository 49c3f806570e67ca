// The selections of a query: repeated ones are merged, and more than a number are refused before they are compared.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GraphQLError, parse, print } from 'graphql';
import { boundSelections } from './selections.ts';

const merged = (query: string) => print(boundSelections(parse(query))).replaceAll(/\s+/g, ' ');
const isRefused = (error: unknown) =>
  error instanceof GraphQLError &&
  /more than 2000 selections|too often in different ways/.test(error.message);

test('equal selections of a set are one, on every level', () => {
  assert.equal(
    merged('{ viewer { login login id } viewer { login id } a: viewer { login } ...F ...F }'),
    '{ viewer { login id } a: viewer { login } ...F }',
  );
  assert.equal(
    merged('{ a(x: 1) a(x: 2) a(x: 1) @skip(if: true) }'),
    '{ a(x: 1) a(x: 2) a(x: 1) @skip(if: true) }',
  );
});

test('more than a thousand equal selections are one, and as many different ones are refused', () => {
  assert.equal(merged(`{ ${'viewer { login } '.repeat(1225)} }`), '{ viewer { login } }');
  const different = Array.from({ length: 64 }, (_, index) => `viewer(x: ${index}) `);
  assert.throws(() => merged(`{ ${different.join('')} }`), isRefused);
  assert.ok(merged(`{ ${different.slice(0, 63).join('')} }`));
  const nested = Array.from({ length: 64 }, (_, index) => `... on Q${index} { a { b(x: ${index}) } } `);
  assert.throws(() => merged(`{ ${nested.join('')} }`), isRefused);
});

test('a query may have two thousand selections of different names', () => {
  const aliases = Array.from({ length: 2001 }, (_, index) => `a${index}: viewer `);
  assert.throws(() => merged(`{ ${aliases.join('')} }`), isRefused);
  assert.ok(merged(`{ ${aliases.slice(0, 2000).join('')} }`));
});

test('fragments count wherever they are used, however often they use each other', () => {
  const levels = Array.from(
    { length: 60 },
    (_, index) => `fragment F${index} on Q { a: b { ...F${index + 1} } c: b { ...F${index + 1} } }`,
  );
  assert.throws(() => merged(`{ ...F0 } ${levels.join(' ')} fragment F60 on Q { login }`), isRefused);
  assert.throws(() => merged(`{ x } ${levels.join(' ')} fragment F60 on Q { login }`), isRefused);
  assert.ok(merged('{ ...F } fragment F on Q { ...F }'));
  const names = Array.from({ length: 30 }, (_, index) => `...F${index}`).join(' ');
  const mutual = Array.from({ length: 30 }, (_, index) => `fragment F${index} on Q { ${names} }`);
  assert.throws(() => merged(`{ ...F0 } ${mutual.join(' ')}`), isRefused);
});
