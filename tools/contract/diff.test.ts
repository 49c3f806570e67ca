// Each of the eight breaking and six additive kinds, in every location where it can occur.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIFFERENCE_KINDS } from './difference.ts';
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
const LEVELS = { type: 'string', enum: ['low', 'high'] };
const MORE_LEVELS = { type: 'string', enum: ['low', 'mid', 'high'] };

const enclosures: [name: string, wrap: (schema: JsonRecord) => [unknown, JsonRecord?], path: string][] = [
  ['the root', (schema) => [schema], ''],
  ['an object', (schema) => [object({ a: schema })], ': a'],
  ['a nested object', (schema) => [object({ a: object({ b: schema }) })], ': a.b'],
  ['an array', (schema) => [list(object({ a: schema }))], ': [].a'],
  ['a nested array', (schema) => [object({ a: list(list(schema)) })], ': a[][]'],
  ['a map', (schema) => [{ type: 'object', additionalProperties: schema }], ': *'],
  ['a map by pattern', (schema) => [{ type: 'object', patternProperties: { '^.*$': schema } }], ': *'],
  ['a tuple', (schema) => [{ type: 'array', prefixItems: [text, schema] }], ': [1]'],
  ['a reference', (schema) => [object({ a: ref('S') }), { S: schema }], ': a'],
  ['a reference to a reference', (schema) => [ref('R'), { R: ref('S'), S: schema }], ''],
  ['allOf', (schema) => [{ allOf: [object({ z: text }), ref('S')] }, { S: object({ a: schema }) }], ': a'],
  [
    'anyOf with null',
    (schema) => [object({ a: { anyOf: [object({ b: schema }), { type: 'null' }] } })],
    ': a.b',
  ],
  ['one of several', (schema) => [{ oneOf: [ref('A'), ref('B')] }, branches(schema)], ': <A>.a'],
];

function branches(schema: JsonRecord): JsonRecord {
  return {
    A: object({ kind: { const: 'a' }, a: schema }, 'kind'),
    B: object({ kind: { const: 'b' } }, 'kind'),
  };
}

for (const [name, wrap, path] of enclosures) {
  test(`changes are found inside ${name}`, () => {
    const sent = (older: JsonRecord, newer: JsonRecord) =>
      changes(sends(...wrap(older)), sends(...wrap(newer)));
    const answered = (older: JsonRecord, newer: JsonRecord) =>
      changes(answers(...wrap(older)), answers(...wrap(newer)));
    const deeper = path === '' ? ': x' : `${path}.x`;
    const bare = object({ w: text });

    assert.deepEqual(sent(text, count), [`type-changed @ ${BODY}${path}`]);
    assert.deepEqual(answered(text, count), [`type-changed @ ${OK}${path}`]);
    assert.deepEqual(sent(MORE_LEVELS, LEVELS), [`enum-values-removed @ ${BODY}${path}`]);
    assert.deepEqual(answered(MORE_LEVELS, LEVELS), [`enum-values-removed @ ${OK}${path}`]);
    assert.deepEqual(sent(LEVELS, MORE_LEVELS), [`enum-values-added @ ${BODY}${path}`]);
    assert.deepEqual(answered(LEVELS, MORE_LEVELS), [`enum-values-added @ ${OK}${path}`]);
    assert.deepEqual(sent(text, { ...text, maxLength: 9 }), [`validation-rule-added @ ${BODY}${path}`]);
    assert.deepEqual(answered(text, { ...text, maxLength: 9 }), []);

    const wide = object({ w: text, x: count });
    const strict = object({ w: text, x: count }, 'x');
    assert.deepEqual(sent(wide, bare), [`parameter-or-field-removed @ ${BODY}${deeper}`]);
    assert.deepEqual(answered(wide, bare), [`parameter-or-field-removed @ ${OK}${deeper}`]);
    assert.deepEqual(sent(bare, wide), [`optional-parameter-added @ ${BODY}${deeper}`]);
    assert.deepEqual(answered(bare, wide), [`response-field-added @ ${OK}${deeper}`]);
    assert.deepEqual(sent(bare, strict), [`required-parameter-added @ ${BODY}${deeper}`]);
    assert.deepEqual(answered(bare, strict), [`response-field-added @ ${OK}${deeper}`]);
    assert.deepEqual(sent(wide, strict), [`parameter-made-required @ ${BODY}${deeper}`]);
    assert.deepEqual(answered(wide, strict), []);
  });
}

for (const place of ['query', 'header', 'cookie', 'path']) {
  test(`changes of a ${place} parameter are found`, () => {
    const at = `← ${place} id`;
    const required = place === 'path' ? { required: true } : {};
    const of = (older: JsonRecord, newer: JsonRecord) =>
      changes(parameter(place, older, required), parameter(place, newer, required));
    assert.deepEqual(of(text, count), [`type-changed @ ${at}`]);
    assert.deepEqual(of(MORE_LEVELS, LEVELS), [`enum-values-removed @ ${at}`]);
    assert.deepEqual(of(LEVELS, MORE_LEVELS), [`enum-values-added @ ${at}`]);
    assert.deepEqual(of(text, LEVELS), [`validation-rule-added @ ${at}`]);
    assert.deepEqual(of(list(text), list({ ...text, pattern: '^a' })), [`validation-rule-added @ ${at}: []`]);
  });
}

for (const [place, added] of [
  ['query', 'optional-parameter-added'],
  ['cookie', 'optional-parameter-added'],
  ['header', 'optional-request-header-added'],
] as const) {
  test(`a ${place} parameter can be added, removed and become required`, () => {
    const without = operation({ parameters: [] });
    const optional = parameter(place, text);
    const required = parameter(place, text, { required: true });
    const at = `← ${place} id`;
    assert.deepEqual(changes(optional, without), [`parameter-or-field-removed @ ${at}`]);
    assert.deepEqual(changes(without, optional), [`${added} @ ${at}`]);
    assert.deepEqual(changes(without, required), [`required-parameter-added @ ${at}`]);
    assert.deepEqual(changes(optional, required), [`parameter-made-required @ ${at}`]);
    assert.deepEqual(changes(required, optional), []);
  });
}

const json = (schema: unknown) => ({ 'application/json': { schema } });
const bearer = { type: 'http', scheme: 'bearer' };
const key = { type: 'apiKey', in: 'header', name: 'X-Key' };
const secured = (security: unknown, schemes: JsonRecord = { main: bearer, other: key }) =>
  operation({}, { security, components: { securitySchemes: schemes } });

const cases: [fact: string, older: JsonRecord, newer: JsonRecord, expected: string[]][] = [
  ['an operation is removed', operation({}), api({ '/things/{id}': {} }), ['operation-removed @ ']],
  ['an operation is added', api({}), operation({}), ['operation-added @ ']],
  [
    'an operation that moves is removed and added',
    api({ '/a': { get: {} } }),
    api({ '/b': { get: {} } }),
    ['operation-removed @ GET /a', 'operation-added @ GET /b'],
  ],
  [
    'a parameter of the path item counts for its operations',
    api({ '/a': { parameters: [{ in: 'query', name: 'q', schema: text }], get: {}, put: {} } }),
    api({ '/a': { get: {}, put: { parameters: [{ in: 'query', name: 'q', schema: text }] } } }),
    ['parameter-or-field-removed @ GET /a ← query q'],
  ],
  [
    'a parameter of the operation overrides that of the path item',
    api({ '/a': { get: { parameters: [{ in: 'query', name: 'q', schema: count }] } } }),
    api({
      '/a': {
        parameters: [{ in: 'query', name: 'q', schema: text }],
        get: { parameters: [{ in: 'query', name: 'q', schema: count }] },
      },
    }),
    [],
  ],
  [
    'a parameter that moves to another place is removed and added',
    parameter('query', text),
    parameter('header', text),
    ['parameter-or-field-removed @ ← query id', 'optional-request-header-added @ ← header id'],
  ],
  [
    'a required body is added',
    operation({}),
    operation({ requestBody: { required: true, content: json(text) } }),
    ['required-parameter-added @ ← body'],
  ],
  ['an optional body is added', operation({}), sends(text), ['optional-parameter-added @ ← body']],
  ['a body is removed', sends(text), operation({}), ['parameter-or-field-removed @ ← body']],
  [
    'a body becomes required',
    sends(text),
    operation({ requestBody: { required: true, content: json(text) } }),
    ['parameter-made-required @ ← body'],
  ],
  [
    'a media type of the request goes and another comes',
    sends(text),
    operation({ requestBody: { content: { 'text/plain': { schema: text } } } }),
    ['parameter-or-field-removed @ ← application/json', 'optional-parameter-added @ ← text/plain'],
  ],
  [
    'a media type of the response goes and another comes',
    answers(text),
    operation({ responses: { 200: { content: { 'text/plain': { schema: text } } } } }),
    ['parameter-or-field-removed @ → 200 application/json', 'response-field-added @ → 200 text/plain'],
  ],
  [
    'a status goes and another comes',
    operation({ responses: { 204: {} } }),
    operation({ responses: { 202: {} } }),
    ['parameter-or-field-removed @ → 204', 'response-field-added @ → 202'],
  ],
  [
    'a response header is added',
    operation({ responses: { 200: {} } }),
    operation({ responses: { 200: { headers: { ETag: { schema: text } } } } }),
    ['response-header-added @ → 200 header ETag'],
  ],
  [
    'a response header is removed',
    operation({ responses: { 200: { headers: { ETag: { schema: text } } } } }),
    operation({ responses: { 200: {} } }),
    ['parameter-or-field-removed @ → 200 header ETag'],
  ],
  [
    'a response header changes its type',
    operation({ responses: { 200: { headers: { Left: { schema: text } } } } }),
    operation({ responses: { 200: { headers: { left: { schema: count } } } } }),
    ['type-changed @ → 200 header left'],
  ],
  ['authentication is added', operation({}), secured([{ main: [] }]), ['access-changed @ ']],
  ['authentication is dropped', secured([{ main: [] }]), secured([]), ['access-changed @ ']],
  ['a scope is added', secured([{ main: ['a'] }]), secured([{ main: ['a', 'b'] }]), ['access-changed @ ']],
  ['an alternative is added', secured([{ main: [] }]), secured([{ main: [] }, { other: [] }]), []],
  [
    'authentication becomes optional',
    secured([{ main: [] }]),
    secured([{}, { main: [] }]),
    ['access-changed @ '],
  ],
  ['a body that had words alone gets a schema', sends({ description: 'Any' }), sends(text), []],
  [
    'an alternative is dropped',
    secured([{ main: [] }, { other: [] }]),
    secured([{ main: [] }]),
    ['access-changed @ '],
  ],
  [
    'two schemes are demanded at once',
    secured([{ main: [] }]),
    secured([{ main: [], other: [] }]),
    ['access-changed @ '],
  ],
  [
    'a scheme is redefined',
    secured([{ main: [] }]),
    secured([{ main: [] }], { main: key }),
    ['access-changed @ '],
  ],
  ['a scheme is only renamed', secured([{ main: [] }]), secured([{ mine: [] }], { mine: bearer }), []],
  [
    'an operation overrides the security of the document',
    operation({ security: [] }, { security: [{ main: [] }] }),
    operation({}, { security: [{ main: [] }] }),
    ['access-changed @ '],
  ],
  [
    'another permission is demanded',
    operation({ 'x-permission': 'things:read' }),
    operation({ 'x-permission': 'things:write' }),
    ['access-changed @ '],
  ],
];

for (const [fact, older, newer, expected] of cases) {
  test(fact, () => assert.deepEqual(changes(older, newer), expected));
}

test('there are eight breaking and six additive kinds', () => {
  assert.equal(DIFFERENCE_KINDS.length, 14);
  const both = diffContracts(operation({}), api({ '/b': { get: {} } }));
  assert.deepEqual(both, [
    {
      severity: 'breaking',
      kind: 'operation-removed',
      where: 'POST /things/{id}',
      message: 'The operation POST /things/{id} was removed.',
    },
    {
      severity: 'additive',
      kind: 'operation-added',
      where: 'GET /b',
      message: 'The operation GET /b was added.',
    },
  ]);
});

test('messages tell the old and the new value', () => {
  const message = (older: JsonRecord, newer: JsonRecord) =>
    diffContracts(older, newer).map((each) => each.message);
  assert.deepEqual(message(answers(text), answers(count)), ['The type changed from string to integer.']);
  assert.deepEqual(message(sends({ ...count, maximum: 9 }), sends({ ...count, maximum: 5 })), [
    'The rule maximum changed from 9 to 5.',
  ]);
  assert.deepEqual(message(sends(LEVELS), sends({ const: 'low' })), [
    'Removed "high": the values were "low", "high" and are "low".',
  ]);
  assert.deepEqual(
    message(answers(object({ old: text, a: text })), answers(object({ fresh: text, a: text }))),
    [
      'The field "old" (string) was removed; it was probably renamed to "fresh".',
      'The field "fresh" (string) was added; it was probably called "old".',
    ],
  );
  assert.deepEqual(message(operation({}), secured([{ main: ['read'] }, { other: [] }])), [
    'Who may call it changed from anyone to HTTP bearer [read] or key in header x-key.',
  ]);
});
