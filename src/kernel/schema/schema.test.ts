// Schemas: accepted values, errors, and the conversion of query strings.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Failure } from '../failure.ts';
import { checker, coercer, Nullable, OneOf, Type } from './schema.ts';

const problemsOf = (run: () => void) => {
  try {
    run();
  } catch (error) {
    return (error as Failure).details.fields;
  }
  return undefined;
};

const Person = Type.Object(
  {
    name: Type.String({ maxLength: 5 }),
    age: Type.Optional(Type.Integer({ minimum: 0 })),
    role: Type.Optional(OneOf(['reader', 'writer'])),
    tags: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
);

test('a value that fits is let through', () => {
  checker(Person, 'body')({ name: 'Ann', age: 3, role: 'writer', tags: [] });
});

test('every problem is named by its field', () => {
  const problems = problemsOf(() =>
    checker(Person, 'body')({ age: -1, role: 'king', tags: ['a', 2], extra: true }),
  );
  assert.deepEqual(problems?.map(({ field }) => field).toSorted(), [
    'age',
    'extra',
    'name',
    'role',
    'tags.1',
  ]);
  assert.equal(problems?.find(({ field }) => field === 'name')?.message, 'is required');
  assert.match(problems?.find(({ field }) => field === 'role')?.message ?? '', /reader, writer/);
});

test('of a field that may be null, only what is wrong with it is named', () => {
  const Job = Type.Object({
    title: Nullable(Type.String({ maxLength: 3 })),
    steps: Type.Optional(
      Nullable(Type.Array(Type.Object({ kind: OneOf(['a', 'b']), n: Nullable(Type.Integer()) }))),
    ),
  });
  const textOf = (value: unknown) =>
    problemsOf(() => checker(Job, 'body')(value))?.map(({ field, message }) => `${field} ${message}`);
  assert.deepEqual(textOf({ title: 5 }), ['title must be string']);
  assert.deepEqual(textOf({ title: 'long' }), ['title must not have more than 3 characters']);
  assert.deepEqual(textOf({ title: null, steps: [{ kind: 'c', n: 'x' }] }), [
    'steps.0.kind must be one of a, b',
    'steps.0.n must be integer',
  ]);
  assert.deepEqual(textOf({ title: null, steps: 'x' }), ['steps must be array']);
});

test('a body of the wrong type altogether is named as the body', () => {
  assert.deepEqual(problemsOf(() => checker(Person, 'body')(null))?.[0]?.field, 'body');
  assert.deepEqual(problemsOf(() => checker(Person, 'query')({}))?.[0]?.field, 'query.name');
});

test('query strings become numbers, booleans and lists as the schema asks', () => {
  const read = coercer(
    Type.Object({
      limit: Type.Integer({ default: 25 }),
      desc: Type.Optional(Type.Boolean()),
      fields: Type.Optional(Type.Array(Type.String())),
      name: Type.Optional(Type.String()),
    }),
  );
  assert.deepEqual(read({}), { limit: 25 });
  assert.deepEqual(read({ limit: '7', desc: '1', fields: 'a,b', name: '12' }), {
    limit: 7,
    desc: true,
    fields: ['a', 'b'],
    name: '12',
  });
  assert.deepEqual(read({ desc: 'false', limit: 'many' }), { desc: false, limit: 'many' });
});

test('a key that a map does not accept is named as a key, also one with a slash', () => {
  const Bag = Type.Object({
    properties: Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.String(), {
      additionalProperties: false,
    }),
  });
  assert.deepEqual(
    problemsOf(() => checker(Bag, 'body')({ properties: { 'a/b': 'x', good: 'y' } })),
    [{ field: 'properties', message: 'cannot have the key "a/b": keys must match ^[a-z]+$' }],
  );
});

test('a value of the wrong type is distinguished from one that breaks a rule, on request', () => {
  const Change = Type.Object(
    {
      name: Type.Optional(Type.Union([Type.String({ maxLength: 5 }), Type.Null()])),
      role: OneOf(['reader', 'writer']),
      weights: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }))),
    },
    { additionalProperties: false },
  );
  const kindOf = (value: unknown) => {
    try {
      checker(Change, 'body', 'bad-patch')(value);
    } catch (error) {
      return (error as Failure).kind;
    }
    return undefined;
  };
  const cases: [value: unknown, kind: string | undefined][] = [
    [{ role: 'reader', name: null, weights: [1] }, undefined],
    [{}, 'bad-patch'],
    [{ role: 5 }, 'bad-patch'],
    [{ role: 'reader', nmae: 'x' }, 'bad-patch'],
    [{ role: 'reader', name: 5 }, 'bad-patch'],
    [{ role: 'reader', weights: [1.5] }, 'bad-patch'],
    [{ role: 'reader', weights: [0, 'x'] }, 'bad-patch'],
    [[], 'bad-patch'],
    [{ role: 'king' }, 'invalid'],
    [{ role: 'reader', name: 'too long' }, 'invalid'],
    [{ role: 'reader', weights: [0] }, 'invalid'],
  ];
  for (const [value, kind] of cases) assert.equal(kindOf(value), kind, JSON.stringify(value));
});

describe('a large value', () => {
  const schema = Type.Object({
    name: Type.String(),
    few: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
    inside: Type.Optional(Type.Object({ few: Type.Array(Type.Integer(), { maxItems: 3 }) })),
    rules: Type.Optional(Type.Array(Type.Object({ weights: Type.Array(Type.Integer()) }))),
    nullable: Type.Optional(
      Nullable(Type.Array(Type.Object({ id: Nullable(Type.String()) }), { maxItems: 9000 })),
    ),
  });
  const check = checker(schema, 'body');
  const many = <T>(count: number, value: T) => Array.from({ length: count }, () => value);
  const problemTextsOf = (value: unknown) => {
    try {
      check(value);
      return [];
    } catch (error) {
      return (error as Failure).details.fields!.map(({ field, message }) => `${field} ${message}`);
    }
  };

  test('has its lists measured before anything in them is looked at', () => {
    const told = 'must not have more than 3 items';
    assert.deepEqual(problemTextsOf({ name: 'a', few: many(100_000, 'x') }), [`few ${told}`]);
    assert.deepEqual(problemTextsOf({ name: 'a', few: many(4, 5) }), [`few ${told}`]);
    assert.deepEqual(problemTextsOf({ name: 'a', inside: { few: many(100_000, 1) } }), [
      `inside.few ${told}`,
    ]);
  });

  test('has lists that may be null treated like others', () => {
    const id = 'x';
    const told = 'must not have more than 9000 items';
    assert.deepEqual(problemTextsOf({ name: 'a', nullable: many(100_000, 5) }), [`nullable ${told}`]);
    const nullable = [...many(5000, { id }), { id: 5 }, 7];
    assert.deepEqual(problemTextsOf({ name: 'a', nullable }), ['nullable.5000.id must be string']);
    assert.deepEqual(problemTextsOf({ name: 'a', nullable: many(5000, { id: null }) }), []);
    assert.deepEqual(problemTextsOf({ name: 'a', nullable: null }), []);
  });

  test('is refused for the first part of it that is wrong', () => {
    const weights = many(5000, 1);
    const rules = [{ weights }, { weights: [...weights, 'x', 'y'] }, { weights: 'z' }];
    assert.deepEqual(problemTextsOf({ name: 'a', rules }), ['rules.1.weights.5000 must be integer']);
    assert.deepEqual(problemTextsOf({ rules: [{ weights }] }), ['name is required']);
    assert.deepEqual(problemTextsOf(weights), ['body must be object']);
    assert.deepEqual(problemTextsOf({ name: 'a', rules: [{ weights }] }), []);
  });
});
