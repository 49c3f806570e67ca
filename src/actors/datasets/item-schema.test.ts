import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import type { InvalidItem } from './invalid-items.ts';
import { ItemChecker } from './item-checker.ts';
import { checkDatasetSchema } from './item-schema.ts';

type Schema = Record<string, unknown>;

async function failureOf(run: () => void | Promise<void>): Promise<Failure> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a schema', () => {
  test('is accepted in the format of the platform', () => {
    checkDatasetSchema({
      actorSpecification: 1,
      fields: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1, pattern: '^[^ ]+$' },
          price: { type: ['number', 'null'] },
          tree: { $ref: '#/$defs/node' },
          $ref: { type: 'string' },
          odd: { enum: [{ $ref: 'http://example.com' }, { type: 'anything' }] },
        },
        $defs: { node: { type: 'object', properties: { inner: { $ref: '#/$defs/node' } } } },
        required: ['name'],
      },
      views: {
        overview: {
          title: 'Overview',
          transformation: { fields: ['name'], unwind: ['a'], flatten: null },
          display: { component: 'table' },
        },
      },
    });
    for (const schema of [
      {},
      { fields: {} },
      { fields: null, views: null },
      { fields: { type: 'object' } },
    ]) {
      checkDatasetSchema(schema);
    }
  });

  const wrong: Record<string, Schema> = {
    'fields that are no schema': { fields: [] },
    'an unknown type': { fields: { type: 'text' } },
    'an unknown type deep inside': { fields: { anyOf: [{ items: { type: 7 } }] } },
    'no types at all': { fields: { type: [] } },
    'a pattern that is none': { fields: { properties: { a: { pattern: '(' } } } },
    'a pattern that is no text': { fields: { properties: { a: { pattern: 5 } } } },
    'a property pattern that is none': { fields: { patternProperties: { '[': {} } } },
    'a reference elsewhere': { fields: { $ref: 'https://example.com/schema.json' } },
    'a reference to a file': { fields: { properties: { a: { $ref: 'file:///etc/passwd' } } } },
    'a dynamic reference elsewhere': { fields: { $dynamicRef: 'other.json#x' } },
    'properties that are a list': { fields: { properties: [] } },
    'a property that is no schema': { fields: { properties: { a: 'string' } } },
    'a circle of references': { fields: { $ref: '#' } },
    'a wider circle': {
      fields: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    },
    'views that are a list': { views: [] },
    'a view that is none': { views: { a: 5 } },
    'a view with wrong fields': { views: { a: { transformation: { fields: 'a' } } } },
    'a view with a wrong limit': { views: { a: { transformation: { limit: -1 } } } },
  };
  for (const [what, schema] of Object.entries(wrong)) {
    test(`with ${what} is refused`, async () => {
      const { kind, details } = await failureOf(() => checkDatasetSchema(schema));
      assert.deepEqual([kind, details.code], ['invalid', 'dataset-schema-invalid']);
    });
  }
});

describe('items', () => {
  const checker = new ItemChecker();
  after(() => checker.close());
  const schema = {
    fields: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] },
  };

  test('that keep to the schema pass, and without one all do', async () => {
    await checker.check([{ n: 1 }, { n: 2, more: 'x' }], schema);
    for (const none of [null, {}, { fields: {} }, { fields: null }])
      await checker.check([{ anything: [] }], none);
  });

  test('that break it are all named, with what is wrong', async () => {
    const { kind, details, message } = await failureOf(() =>
      checker.check([{ n: 1 }, { n: 0 }, { n: 5 }, {}, { n: 'x' }], schema),
    );
    assert.deepEqual([kind, details.code], ['invalid', 'schema-validation-error']);
    assert.match(message, /3 of 5/);
    const { invalidItems } = details.data as { invalidItems: InvalidItem[] };
    assert.deepEqual(
      invalidItems.map(({ itemPosition }) => itemPosition),
      [1, 3, 4],
    );
    const [below, missing] = invalidItems.map(({ validationErrors }) => validationErrors[0]!);
    assert.deepEqual([below!.instancePath, below!.keyword], ['/n', 'minimum']);
    assert.equal(missing!.keyword, 'required');
  });

  test('in large numbers yield to other work', async (t) => {
    let turns = 0;
    const count = setInterval(() => (turns += 1));
    t.after(() => clearInterval(count));
    await checker.check(
      Array.from({ length: 20_000 }, (_, n) => ({ n: n + 1 })),
      schema,
    );
    assert.ok(turns > 0);
  });

  test('an item that takes longer than a time slice is checked by a thread, with the same result', async () => {
    const wide = (count: number, value: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`key-${n}`, { value }]));
    const deep = {
      fields: { additionalProperties: { properties: { value: { type: 'integer', minimum: 1 } } } },
    };
    await checker.check([{ a: { value: 1 } }, wide(30_000, 1)], deep);
    const { message, details } = await failureOf(() =>
      checker.check([{}, { a: { value: 0 } }, wide(30_000, 1)], deep),
    );
    assert.match(message, /1 of 3/);
    const { invalidItems } = details.data as { invalidItems: InvalidItem[] };
    assert.deepEqual(
      invalidItems.map(({ itemPosition }) => itemPosition),
      [1],
    );
  });

  test('of very many invalid items only the first are reported', async () => {
    const { message, details } = await failureOf(() =>
      checker.check(
        Array.from({ length: 3000 }, () => ({})),
        schema,
      ),
    );
    assert.match(message, /3000 of 3000/);
    assert.equal((details.data as { invalidItems: InvalidItem[] }).invalidItems.length, 1000);
  });

  test('an endless pattern is stopped, and not started again', async () => {
    const hostile = { fields: { properties: { a: { type: 'string', pattern: '^(a+)+$' } } } };
    checkDatasetSchema(hostile);
    await checker.check([{ a: 'aaaa' }], hostile);
    const item = { a: `${'a'.repeat(60)}!` };
    for (let n = 0; n < 100; n += 1) {
      assert.match((await failureOf(() => checker.check([item], hostile))).message, /too long/);
    }
  });

  test('references that multiply are stopped too', async () => {
    const $defs: Schema = { d0: { type: 'integer' } };
    for (let n = 1; n < 40; n += 1) {
      const ref = { $ref: `#/$defs/d${n - 1}` };
      $defs[`d${n}`] = { anyOf: [{ allOf: [ref, false] }, { allOf: [ref, false] }, ref] };
    }
    const multiplying = { fields: { properties: { a: { $ref: '#/$defs/d39' } }, $defs } };
    const { details } = await failureOf(() => checker.check([{ a: 1 }], multiplying));
    assert.equal(details.code, 'schema-validation-error');
  });
});
