// Properties of any two documents: a document equals itself, and a removal in one direction is an addition in the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { diffContracts } from './diff.ts';
import { api, ref } from './fixture.ts';
import type { DifferenceKind } from './diff.ts';
import type { JsonRecord } from './document.ts';

const NAMES = ['a', 'b', 'c'];
const COMPONENTS = ['S', 'T', 'U'];

/** An object with some of these keys. */
function some<T>(keys: readonly string[], value: fc.Arbitrary<T>): fc.Arbitrary<JsonRecord> {
  const record = Object.fromEntries(keys.map((key) => [key, value]));
  return fc.record(record, { requiredKeys: [] });
}

// Few names and few values, so that two documents have much in common.
const { schema } = fc.letrec<{ schema: JsonRecord }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonRecord>(
      { type: 'string' },
      { type: 'integer', minimum: 3 },
      { type: ['string', 'null'] },
      { type: 'number', nullable: true },
      {},
    ),
    fc
      .subarray(['x', 'y', 'z'], { minLength: 1 })
      .map((values): JsonRecord => ({ type: 'string', enum: values })),
    fc.constantFrom(...COMPONENTS).map(ref),
    fc
      .record({
        properties: some(NAMES, tie('schema')),
        required: fc.subarray(NAMES),
        closed: fc.boolean(),
      })
      .map(({ properties, required, closed }): JsonRecord => ({
        type: 'object',
        properties,
        required: required.filter((each) => each in properties),
        ...(closed && { additionalProperties: false }),
      })),
    tie('schema').map((items): JsonRecord => ({ type: 'array', items })),
    tie('schema').map((values): JsonRecord => ({ type: 'object', additionalProperties: values })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((parts): JsonRecord => ({ allOf: parts })),
    fc.subarray(COMPONENTS, { minLength: 1 }).map((names): JsonRecord => ({ oneOf: names.map(ref) })),
  ),
}));

const content = schema.map((each): JsonRecord => ({ content: { 'application/json': { schema: each } } }));
const parameter = (place: string, name: string) =>
  fc.record({ in: fc.constant(place), name: fc.constant(name), required: fc.boolean(), schema });
const operation = fc.record(
  {
    parameters: fc
      .tuple(
        parameter('query', 'a'),
        parameter('query', 'b'),
        parameter('header', 'a'),
        parameter('cookie', 'c'),
      )
      .chain((parameters) => fc.subarray(parameters)),
    requestBody: content,
    responses: some(
      ['200', '404'],
      fc.tuple(content, some(NAMES, fc.record({ schema }))).map(([body, headers]) => ({ ...body, headers })),
    ),
    'x-permission': fc.constantFrom('read', 'write'),
  },
  { requiredKeys: [] },
);
const document = fc
  .record({
    paths: some(['/a', '/b/{id}'], some(['get', 'post'], operation)),
    schemas: fc.record({ S: schema, T: schema, U: schema }),
  })
  .map(({ paths, schemas }) => api(paths, { components: { schemas } }));

/** A component that is only another reference may form a cycle, which is refused, not compared. */
function canBeRead(each: unknown): boolean {
  try {
    diffContracts(each, each);
    return true;
  } catch {
    return false;
  }
}
const readable = document.filter(canBeRead);

const COUNTERPARTS: Partial<Record<DifferenceKind, DifferenceKind[]>> = {
  'operation-removed': ['operation-added'],
  'parameter-or-field-removed': [
    'required-parameter-added',
    'optional-parameter-added',
    'optional-request-header-added',
    'response-field-added',
    'response-header-added',
  ],
  'enum-values-removed': ['enum-values-added'],
};

test('a document does not differ from itself', () => {
  fc.assert(
    fc.property(readable, (each) => {
      assert.deepEqual(diffContracts(each, structuredClone(each)), []);
    }),
    { numRuns: 200 },
  );
});

test('a removal in one direction is an addition in the other', () => {
  fc.assert(
    fc.property(readable, readable, (older, newer) => {
      const back = new Set(diffContracts(newer, older).map(({ kind, where }) => `${kind} ${plain(where)}`));
      for (const { kind, where } of diffContracts(older, newer)) {
        const counterparts = COUNTERPARTS[kind];
        if (counterparts === undefined) continue;
        assert.ok(
          counterparts.some((counterpart) => back.has(`${counterpart} ${plain(where)}`)),
          `${kind} at ${where} has no counterpart`,
        );
      }
    }),
    { numRuns: 300 },
  );
});

/** An alternative has its newer name, which is the older one in the opposite direction. */
function plain(where: string): string {
  return where.replaceAll(/<[^>]*>/g, '<>');
}

test('the same two documents always give the same report', () => {
  fc.assert(
    fc.property(readable, readable, (older, newer) => {
      assert.deepEqual(
        diffContracts(older, newer),
        diffContracts(structuredClone(older), structuredClone(newer)),
      );
    }),
    { numRuns: 50 },
  );
});
