// Unknown members of a body, and the names that were probably meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checker, Nullable, Type } from './schema.ts';
import { unknownFields } from './schema-errors.ts';

const Clause = Type.Object({ attribute: Type.String(), values: Type.Array(Type.String()) });
const Body = Type.Object({
  name: Type.String(),
  isOn: Type.Optional(Type.Boolean()),
  clauses: Type.Optional(Type.Array(Clause)),
  parent: Type.Optional(Nullable(Type.Object({ key: Type.String() }))),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
});

test('a body whose fields are all known has none that are not', () => {
  const body = {
    name: 'a',
    clauses: [{ attribute: 'b', values: [] }],
    parent: { key: 'c' },
    labels: { any: 'd' },
  };
  assert.deepEqual(unknownFields(Body, body), []);
});

test('unknown fields are found at every depth, with the one that was probably meant', () => {
  const body = { nmae: 'a', clauses: [{ attribut: 'b' }], parent: { kay: 'c' }, surprise: 1 };
  assert.deepEqual(unknownFields(Body, body), [
    { path: '/nmae', message: 'is not a known field; did you mean "name"?' },
    { path: '/clauses/0/attribut', message: 'is not a known field; did you mean "attribute"?' },
    { path: '/parent/kay', message: 'is not a known field; did you mean "key"?' },
    { path: '/surprise', message: 'is not a known field' },
  ]);
});

test('names that an object inherits are not known fields', () => {
  assert.deepEqual(
    unknownFields(Body, JSON.parse('{"name":"a","constructor":1,"toString":2}')).map(({ path }) => path),
    ['/constructor', '/toString'],
  );
});

test('the error of an invalid body names its unknown fields; a valid one is accepted with them', () => {
  const check = checker(Body, 'body');
  assert.throws(() => check({ nmae: 'a' }), {
    message: 'name is required; nmae is not a known field; did you mean "name"?',
  });
  check({ name: 'a', nmae: 'b' });
});

test('no more than twenty are named, however many there are', () => {
  const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`x${index}`, 1]));
  assert.equal(unknownFields(Body, body).length, 20);
});
