// The reading of schemas: equal ones in other notations, stricter ones, recursive ones, and malformed ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/kernel/failure.ts';
import { diffContracts } from './diff.ts';
import {
  answers,
  api,
  changes,
  count,
  list,
  object,
  operation,
  parameter,
  ref,
  sends,
  text,
} from './fixture.ts';
import type { JsonRecord } from './document.ts';

const BODY = '← application/json';
const OK = '→ 200 application/json';
const nothing = { type: 'null' };
const named = (name: string) => object({ kind: { const: name }, [name]: text }, 'kind');

const same: [fact: string, one: JsonRecord, other: JsonRecord, schemas?: JsonRecord][] = [
  ['a reference is what it points at', ref('S'), object({ a: text }), { S: object({ a: text }) }],
  ['nullable is a union with null', { ...text, nullable: true }, { type: ['string', 'null'] }],
  ['anyOf with null is a union with null', { anyOf: [text, nothing] }, { type: ['null', 'string'] }],
  [
    'a nullable reference is oneOf with null',
    { allOf: [ref('S')], nullable: true },
    { oneOf: [ref('S'), nothing] },
    { S: object({ a: text }) },
  ],
  ['const is an enum of one', { type: 'string', const: 'a' }, { enum: ['a'] }],
  [
    'anyOf of constants is an enum',
    { anyOf: [{ const: 'a' }, { const: 'b' }] },
    { type: 'string', enum: ['b', 'a'] },
  ],
  ['anyOf of types is a list of types', { anyOf: [text, count] }, { type: ['integer', 'string'] }],
  [
    'a nullable enum may list null or not',
    { ...text, nullable: true, enum: ['a', null] },
    { type: ['string', 'null'], enum: ['a'] },
  ],
  [
    'allOf is all its parts',
    { allOf: [object({ a: text }), object({ b: count }, 'b')] },
    object({ a: text, b: count }, 'b'),
  ],
  ['properties mean an object', { properties: { a: text } }, object({ a: text })],
  ['true is no rule', { type: 'object', additionalProperties: true }, { type: 'object' }],
  [
    'a map is a pattern for every name',
    { type: 'object', additionalProperties: text },
    { type: 'object', patternProperties: { '^.*$': text } },
  ],
  [
    'the exclusive limits of 3.0 and 3.1 agree',
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    { type: 'number', exclusiveMinimum: 1 },
  ],
  ['an integer above 0 is at least 1', { ...count, exclusiveMinimum: 0 }, { ...count, minimum: 1 }],
  [
    'the order of alternatives means nothing',
    { oneOf: [named('a'), named('b')] },
    { oneOf: [named('b'), named('a')] },
  ],
  ['the order of properties means nothing', object({ a: text, b: count }), object({ b: count, a: text })],
  [
    'words for readers are no difference',
    text,
    { ...text, description: 'A', example: 'b', deprecated: true, default: 'c' },
  ],
  ['a rule of at least nothing is none', text, { ...text, minLength: 0 }],
  [
    'a choice of what is required keeps the members together',
    { ...object({ a: text, b: text }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    object({ a: text, b: text }),
  ],
];

for (const [fact, one, other, schemas] of same) {
  test(fact, () => {
    for (const [older, newer] of [
      [one, other],
      [other, one],
    ]) {
      assert.deepEqual(changes(sends(older, schemas), sends(newer, schemas)), []);
      assert.deepEqual(changes(answers(older, schemas), answers(newer, schemas)), []);
    }
  });
}

const closed = { type: 'object', additionalProperties: false };
const stricter: [rule: string, loose: JsonRecord, strict: JsonRecord, place?: string][] = [
  ['minimum', { ...count, minimum: 1 }, { ...count, minimum: 2 }],
  ['maximum', count, { ...count, maximum: 2 }],
  ['exclusiveMinimum', { type: 'number', minimum: 1 }, { type: 'number', exclusiveMinimum: 1 }],
  ['exclusiveMaximum', { type: 'number', exclusiveMaximum: 2 }, { type: 'number', exclusiveMaximum: 1 }],
  ['multipleOf', { ...count, multipleOf: 3 }, { ...count, multipleOf: 6 }],
  ['minLength', text, { ...text, minLength: 1 }],
  ['maxLength', { ...text, maxLength: 5 }, { ...text, maxLength: 4 }],
  ['pattern', text, { ...text, pattern: '^a' }],
  ['format', text, { ...text, format: 'uuid' }],
  ['a narrower number format', { ...count, format: 'int64' }, { ...count, format: 'int32' }],
  ['minItems', list(text), { ...list(text), minItems: 1 }],
  ['maxItems', { ...list(text), maxItems: 9 }, { ...list(text), maxItems: 8 }],
  ['uniqueItems', { ...list(text), uniqueItems: false }, { ...list(text), uniqueItems: true }],
  ['minProperties', { type: 'object' }, { type: 'object', minProperties: 1 }],
  ['maxProperties', { type: 'object' }, { type: 'object', maxProperties: 1 }],
  ['closing an object', { type: 'object' }, closed, ': *'],
  ['describing free entries', { type: 'object' }, { type: 'object', additionalProperties: text }, ': *'],
  ['describing free items', { type: 'array' }, list(text), ': []'],
  ['a first enum', text, { ...text, enum: ['a'] }],
  ['a rule through allOf', text, { allOf: [text, { maxLength: 5 }] }],
];

for (const [rule, loose, strict, place = ''] of stricter) {
  test(`a stricter parameter breaks its senders: ${rule}`, () => {
    assert.deepEqual(changes(sends(loose), sends(strict)), [`validation-rule-added @ ${BODY}${place}`]);
    const loosened = changes(sends(strict), sends(loose)).filter(
      (change) => !change.startsWith('enum-values-added'),
    );
    assert.deepEqual(loosened, []);
  });
}

test('a different pattern is a new rule whichever way', () => {
  const [a, b] = [sends({ ...text, pattern: 'a' }), sends({ ...text, pattern: 'b' })];
  assert.deepEqual(changes(a, b), [`validation-rule-added @ ${BODY}`]);
  assert.deepEqual(changes(b, a), [`validation-rule-added @ ${BODY}`]);
});

test('a parameter may accept more types, a field may not have other types', () => {
  for (const [narrow, wide] of [
    [text, { type: ['string', 'null'] }],
    [count, { type: 'number' }],
    [text, {}],
    [named('a'), { oneOf: [named('a'), named('b')] }],
  ]) {
    assert.deepEqual(changes(sends(narrow), sends(wide)), []);
    assert.deepEqual(changes(sends(wide), sends(narrow)), [`type-changed @ ${BODY}`]);
    assert.deepEqual(changes(answers(narrow), answers(wide)), [`type-changed @ ${OK}`]);
    assert.deepEqual(changes(answers(wide), answers(narrow)), [`type-changed @ ${OK}`]);
  }
});

test('a removed map removes its entries', () => {
  const map = { type: 'object', additionalProperties: count };
  assert.deepEqual(changes(answers(map), answers(closed)), [`parameter-or-field-removed @ ${OK}: *`]);
  assert.deepEqual(changes(answers(closed), answers(map)), [`response-field-added @ ${OK}: *`]);
  assert.deepEqual(changes(sends(map), sends(closed)), [`parameter-or-field-removed @ ${BODY}: *`]);
  assert.deepEqual(changes(sends(closed), sends(map)), [`optional-parameter-added @ ${BODY}: *`]);
});

test('a read-only member is no parameter and a write-only one is no field', () => {
  const bare = object({ a: text });
  const readable = object({ a: text, b: { ...text, readOnly: true } }, 'b');
  const writable = object({ a: text, b: { ...text, writeOnly: true } }, 'b');
  assert.deepEqual(changes(sends(bare), sends(readable)), []);
  assert.deepEqual(changes(answers(bare), answers(readable)), [`response-field-added @ ${OK}: b`]);
  assert.deepEqual(changes(answers(bare), answers(writable)), []);
  assert.deepEqual(changes(sends(readable), sends(writable)), [`required-parameter-added @ ${BODY}: b`]);
});

test('a member without a schema is removed, although it is still listed as required', () => {
  const [whole, bare] = [object({ a: text }, 'a'), object({}, 'a')];
  assert.deepEqual(changes(answers(whole), answers(bare)), [`parameter-or-field-removed @ ${OK}: a`]);
  assert.deepEqual(changes(sends(whole), sends(bare)), [`parameter-or-field-removed @ ${BODY}: a`]);
  assert.deepEqual(changes(sends(object({})), sends(bare)), [`required-parameter-added @ ${BODY}: a`]);
});

test('the name of a path placeholder is no difference', () => {
  const path = (name: string, schema: JsonRecord) =>
    api({ [`/users/{${name}}/x`]: { get: { parameters: [{ in: 'path', name, required: true, schema }] } } });
  assert.deepEqual(changes(path('u', text), path('username', text)), []);
  assert.deepEqual(changes(path('u', text), path('username', count)), [
    'type-changed @ GET /users/{username}/x ← path username',
  ]);
});

test('a path parameter that is only now declared was always there', () => {
  assert.deepEqual(changes(operation({}), parameter('path', text, { required: true })), []);
});

test('keywords beside a reference count from 3.1 on', () => {
  const of = (openapi: string, schema: JsonRecord) => ({ ...sends(schema, { S: text }), openapi });
  const limited = { ...ref('S'), maxLength: 5 };
  assert.deepEqual(changes(of('3.0.3', ref('S')), of('3.0.3', limited)), []);
  assert.deepEqual(changes(of('3.1.0', ref('S')), of('3.1.0', limited)), [`validation-rule-added @ ${BODY}`]);
});

test('a schema shared by several places is reported at each', () => {
  const pair = (user: JsonRecord) =>
    answers(object({ owner: ref('U'), members: list(ref('U')) }), { U: user });
  assert.deepEqual(changes(pair(object({ id: count, name: text })), pair(object({ id: count }))), [
    `parameter-or-field-removed @ ${OK}: members[].name`,
    `parameter-or-field-removed @ ${OK}: owner.name`,
  ]);
});

test('a schema that contains itself is reported once, at its shallowest place', () => {
  const tree = (more: JsonRecord) =>
    answers(object({ root: ref('Node') }), {
      Node: object({ parent: ref('Node'), children: list(ref('Node')), owner: ref('Owner'), ...more }),
      Owner: object({ trees: list(ref('Node')) }),
    });
  assert.deepEqual(changes(tree({ a: text }), tree({})), [`parameter-or-field-removed @ ${OK}: root.a`]);
  assert.deepEqual(changes(tree({ a: text }), tree({ a: text })), []);
});

test('a base that lists its subtypes is complete from either end', () => {
  const pets = (root: string, base: JsonRecord) =>
    answers(ref(root), {
      Pet: { ...object({ id: count, ...base }), oneOf: [ref('Cat'), ref('Dog')] },
      Cat: { allOf: [ref('Pet'), object({ lives: count })] },
      Dog: { allOf: [ref('Pet'), object({ breed: text })] },
    });
  assert.deepEqual(changes(pets('Cat', { name: text }), pets('Cat', {})), [
    `parameter-or-field-removed @ ${OK}: name`,
  ]);
  assert.deepEqual(changes(pets('Pet', { name: text }), pets('Pet', {})), [
    `parameter-or-field-removed @ ${OK}: <Cat>.name`,
    `parameter-or-field-removed @ ${OK}: <Dog>.name`,
  ]);
});

test('merged schemas that contain themselves terminate', () => {
  const knot = (more: JsonRecord) =>
    answers(ref('A'), {
      A: { allOf: [ref('B'), object({ next: ref('A') })] },
      B: object({ next: ref('B'), ...more }),
    });
  assert.deepEqual(changes(knot({ x: text }), knot({})), [
    `parameter-or-field-removed @ ${OK}: next.x`,
    `parameter-or-field-removed @ ${OK}: x`,
  ]);
});

test('the order of the report does not depend on the order of the documents', () => {
  const older = api({ '/b': { get: {} }, '/a': { get: {}, delete: {} } });
  const turned = api({ '/a': { delete: {}, get: {} }, '/b': { get: {} } });
  const newer = api({ '/c': { get: {} } });
  assert.deepEqual(diffContracts(older, newer), diffContracts(turned, newer));
  assert.deepEqual(
    diffContracts(older, newer).map(({ where }) => where),
    ['DELETE /a', 'GET /a', 'GET /b', 'GET /c'],
  );
});

const fine = operation({});
const broken: [fact: string, document: unknown, sentence: RegExp][] = [
  ['no document', null, /^The newer document is not a JSON object\.$/],
  ['a list', [], /is not a JSON object/],
  ['another format', { swagger: '2.0', paths: {} }, /is not an OpenAPI 3 description/],
  ['no paths', { openapi: '3.1.0' }, /has no "paths" object/],
  ['a path that is no object', api({ '/things/{id}': 7 }), /the path "\/things\/\{id\}" must be an object/],
  ['parameters that are no list', operation({ parameters: {} }), /"parameters" must be an array/],
  [
    'a parameter without a name',
    operation({ parameters: [{ in: 'query' }] }),
    /the name of a parameter must be/,
  ],
  ['a schema that is no schema', parameter('query', 'string'), /a schema must be an object/],
  ['an unknown type', parameter('query', { type: 'text' }), /unknown type "text"/],
  [
    'a dangling reference',
    parameter('query', ref('No')),
    /"#\/components\/schemas\/No", which it does not contain/,
  ],
  [
    'a reference to the prototype',
    parameter('query', { $ref: '#/__proto__/x' }),
    /which it does not contain/,
  ],
  [
    'a reference elsewhere',
    parameter('query', { $ref: 'a.json#/b' }),
    /"a\.json#\/b", which lies outside of it/,
  ],
  [
    'references in a circle',
    { ...parameter('query', ref('A')), components: { schemas: { A: ref('B'), B: ref('A') } } },
    /which only refers back to itself/,
  ],
];

for (const [fact, document, sentence] of broken) {
  test(`a broken document is refused by name: ${fact}`, () => {
    assert.throws(
      () => diffContracts(fine, document),
      (error) => error instanceof Failure && error.kind === 'invalid' && sentence.test(error.message),
    );
  });
}

test('hostile documents are compared or refused, without delay', () => {
  const names = Array.from({ length: 60 }, (_, index) => `S${index}`);
  const all = (make: (name: string, index: number) => JsonRecord) =>
    Object.fromEntries(names.map((name, index) => [name, make(name, index)]));
  const links = Object.fromEntries(names.map((name) => [name, ref(name)]));
  const dense = (more: JsonRecord) =>
    answers(
      ref('S0'),
      all(() => object({ ...links, ...more })),
    );
  assert.equal(diffContracts(dense({ x: text }), dense({})).length, names.length);

  const doubling = (last: JsonRecord) =>
    answers(
      ref('S0'),
      all((_, index) => (index === 59 ? last : object({ a: ref(`S${index + 1}`), b: ref(`S${index + 1}`) }))),
    );
  assert.deepEqual(changes(doubling(text), doubling(text)), []);
  assert.throws(() => diffContracts(doubling(text), doubling(count)), Failure);

  const knotted = answers(
    ref('S0'),
    all(() => ({ allOf: names.map(ref) })),
  );
  assert.throws(() => diffContracts(knotted, knotted), Failure);

  const choices = answers({ allOf: names.map((name) => ({ oneOf: [named(name), named(`${name}x`)] })) });
  assert.throws(() => diffContracts(choices, choices), Failure);

  let deep: JsonRecord = text;
  for (let level = 0; level < 20_000; level++) deep = object({ a: deep });
  assert.deepEqual(changes(answers(deep), answers(deep)), []);
  let parts: JsonRecord = text;
  for (let level = 0; level < 20_000; level++) parts = { allOf: [parts] };
  assert.throws(() => diffContracts(answers(parts), answers(parts)), /nested too deeply/);
});
