import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../kernel/failure.ts';
import { anyBatches, nested, sourceOf } from './fixture.ts';
import type { Item } from './input.ts';
import { projectBatches, projector, type Projection } from './project.ts';

function project(item: Item, asked: Projection): Item[] {
  return [...projector(asked)!(item)].filter((each) => each !== undefined);
}

test('without options there is no projection', () => {
  assert.equal(projector({}), undefined);
  assert.equal(projector({ unwind: [], fields: [], omit: [], flatten: [], outputFields: [] }), undefined);
  assert.equal(
    projector({ clean: false, skipEmpty: false, skipHidden: false, simplified: false }),
    undefined,
  );
});

test('fields are kept in the order they are named', () => {
  const [item] = project({ a: 1, b: null, c: 3 }, { fields: ['c', 'missing', 'b'] });
  assert.equal(JSON.stringify(item), '{"c":3,"b":null}');
});

test('a dotted field is found in nested objects, unless there is a key of that name', () => {
  const fields = ['a.b'];
  assert.deepEqual(project({ a: { b: 1, c: 2 } }, { fields }), [{ 'a.b': 1 }]);
  assert.deepEqual(project({ 'a.b': 0, a: { b: 1 } }, { fields }), [{ 'a.b': 0 }]);
  assert.deepEqual(project({ a: ['x'] }, { fields: ['a.0', 'a.length'] }), [{}]);
});

test('fields are renamed by their position', () => {
  assert.deepEqual(
    project({ headline: 'x', url: 'y' }, { fields: ['url', 'headline'], outputFields: ['link', 'title'] }),
    [{ link: 'y', title: 'x' }],
  );
  for (const asked of [{ outputFields: ['x'] }, { fields: ['a', 'b'], outputFields: ['x'] }]) {
    assert.throws(
      () => projector(asked),
      (error) => error instanceof Failure && error.kind === 'invalid',
    );
  }
});

test('omitted fields are left out, nested ones too, and the item itself is not changed', () => {
  const item = { a: { b: 1, c: 2 }, 'x.y': 3, d: 4 };
  const before = structuredClone(item);
  assert.deepEqual(project(item, { omit: ['a.b', 'x.y', 'd', 'missing', 'd.e', 'a.z.y'] }), [
    { a: { c: 2 } },
  ]);
  assert.deepEqual(project(item, { fields: ['a', 'd'], omit: ['d'] }), [{ a: item.a }]);
  assert.deepEqual(item, before);
});

test('an array unwinds to an item for each element', () => {
  assert.deepEqual(project({ id: 1, list: [{ x: 1, id: 2 }, 'plain', null, [3]] }, { unwind: ['list'] }), [
    { id: 2, x: 1 },
    { id: 1, list: 'plain' },
    { id: 1, list: null },
    { id: 1, list: [3] },
  ]);
  assert.deepEqual(project({ id: 1, list: [] }, { unwind: ['list'] }), []);
});

test('an object unwinds into its item; anything else stays as it is', () => {
  assert.deepEqual(project({ id: 1, part: { x: 2 } }, { unwind: ['part'] }), [{ id: 1, x: 2 }]);
  for (const item of [{ id: 1 }, { part: 'x' }, { part: null }]) {
    assert.deepEqual(project(item, { unwind: ['part'] }), [item]);
  }
});

test('fields unwind one after the other, and by a path', () => {
  const item = { a: [{ b: [{ c: 1 }, { c: 2 }] }, { b: [{ c: 3 }] }] };
  assert.deepEqual(project(item, { unwind: ['a', 'b'] }), [{ c: 1 }, { c: 2 }, { c: 3 }]);
  assert.deepEqual(project({ p: { q: [{ r: 1 }, 2], s: 0 } }, { unwind: ['p.q'] }), [
    { p: { s: 0 }, r: 1 },
    { p: { s: 0 }, 'p.q': 2 },
  ]);
});

test('flattened objects become dotted keys, in place', () => {
  const [item] = project(
    { a: 1, foo: { bar: { baz: 'x' }, list: [{ y: 1 }], none: {} }, z: { y: 2 } },
    { flatten: ['foo', 'a'] },
  );
  assert.equal(
    JSON.stringify(item),
    '{"a":1,"foo.bar.baz":"x","foo.list":[{"y":1}],"foo.none":{},"z":{"y":2}}',
  );
});

test('unwinding comes before flattening, and flattening before picking', () => {
  assert.deepEqual(
    project(
      { list: [{ foo: { bar: 1 } }, { foo: { bar: 2, no: 3 } }] },
      { unwind: ['list'], flatten: ['foo'], fields: ['foo.bar'] },
    ),
    [{ 'foo.bar': 1 }, { 'foo.bar': 2 }],
  );
});

test('hidden keys are dropped at the top, empty items after that', () => {
  const item = { '#debug': 1, a: { '#b': 2 } };
  assert.deepEqual(project(item, { skipHidden: true }), [{ a: { '#b': 2 } }]);
  assert.deepEqual(project({ '#debug': 1 }, { skipHidden: true }), [{}]);
  assert.deepEqual(project({ '#debug': 1 }, { skipEmpty: true }), [{ '#debug': 1 }]);
  assert.deepEqual(project({ '#debug': 1 }, { clean: true }), []);
  assert.deepEqual(project({ a: 1 }, { fields: ['b'], skipEmpty: true }), []);
  assert.deepEqual(project({}, { clean: true, skipEmpty: false }), [{}]);
});

test('simplified items contain the URL and the results of the page', () => {
  const item = { url: 'u', loadedUrl: 'v', pageFunctionResult: [{ title: 'x' }, { title: 'y' }] };
  assert.deepEqual(project(item, { simplified: true }), [
    { url: 'u', title: 'x' },
    { url: 'u', title: 'y' },
  ]);
});

test('failed pages are dropped', () => {
  assert.deepEqual(project({ url: 'u', errorInfo: 'timed out' }, { skipFailedPages: true }), []);
  for (const item of [{ url: 'u' }, { url: 'u', errorInfo: null }]) {
    assert.deepEqual(project(item, { skipFailedPages: true }), [item]);
  }
});

test('members named like those of every object are ordinary ones', () => {
  const item = JSON.parse('{"__proto__": {"polluted": 1}, "list": [{"__proto__": {"polluted": 2}}]}') as Item;
  const texts = (asked: Projection) => project(item, asked).map((each) => JSON.stringify(each));
  assert.deepEqual(texts({ fields: ['__proto__'] }), ['{"__proto__":{"polluted":1}}']);
  assert.deepEqual(texts({ fields: ['list'], outputFields: ['__proto__'], flatten: ['x'] }), [
    '{"__proto__":[{"__proto__":{"polluted":2}}]}',
  ]);
  assert.deepEqual(texts({ fields: ['__proto__.polluted', 'constructor', 'constructor.name', 'toString'] }), [
    '{"__proto__.polluted":1}',
  ]);
  assert.deepEqual(texts({ omit: ['__proto__.polluted', 'list'] }), ['{"__proto__":{}}']);
  assert.deepEqual(texts({ unwind: ['__proto__'], omit: ['list'] }), ['{"polluted":1}']);
  assert.deepEqual(texts({ unwind: ['list'] }), ['{"__proto__":{"polluted":2}}']);
  assert.deepEqual(texts({ flatten: ['__proto__'], omit: ['list'] }), ['{"__proto__.polluted":1}']);
  assert.equal(({} as Item)['polluted'], undefined);
});

test('with any options, items stay plain objects and the source is not changed', () => {
  const names = fc.array(
    fc.constantFrom('a', 'b', 'a.b', '__proto__', '#', '#hidden', '', 'constructor', '.'),
    { maxLength: 3 },
  );
  const asked = fc.record(
    {
      unwind: names,
      flatten: names,
      fields: names,
      omit: names,
      clean: fc.boolean(),
      simplified: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyBatches, asked, (batches, projection) => {
      const items = batches.flat();
      const before = JSON.stringify(items);
      const isAsked = projector(projection) !== undefined;
      for (const item of isAsked ? items.flatMap((each) => project(each, projection)) : items) {
        assert.equal(Object.getPrototypeOf(item), Object.prototype);
        assert.equal(JSON.stringify(JSON.parse(JSON.stringify(item))), JSON.stringify(item));
        if (projection.clean === true) assert.ok(Object.keys(item).every((key) => !key.startsWith('#')));
      }
      assert.equal(JSON.stringify(items), before);
    }),
  );
});

test('deep nesting is refused by flattening and does not fill the stack', () => {
  assert.throws(
    () => project(nested(10_000), { flatten: ['a'] }),
    (error) => error instanceof Failure && error.kind === 'invalid',
  );
  assert.equal(project({ list: [nested(10_000)] }, { unwind: ['list'], clean: true }).length, 1);
});

const list = Array.from({ length: 10_000 }, (_, at) => at);

function unwound(item: Item, asked: Projection): AsyncGenerator<Item[], void> {
  return projectBatches(sourceOf([item])(), projector(asked)!);
}

test('lists that multiply are unwound one by one, and the reader can stop early', async () => {
  const items: Item[] = [];
  for await (const batch of unwound({ a: list, b: list, c: list }, { unwind: ['a', 'b', 'c'] })) {
    items.push(...batch);
    if (items.length > 20_000) break;
  }
  assert.deepEqual(items[0], { a: 0, b: 0, c: 0 });
  assert.deepEqual(items[10_001], { a: 0, b: 1, c: 1 });
});

test('a batch ends when its time is over, however few its items are', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 1));
  const { value } = await unwound({ a: list }, { unwind: ['a'] }).next();
  assert.equal(value!.length, 10);
});

const nothing: [string, Item, Projection][] = [
  ['all items are left out', { a: list, b: list }, { unwind: ['a', 'b'], fields: ['none'], skipEmpty: true }],
  ['lists are empty', { a: list, b: list, c: [] }, { unwind: ['a', 'b', 'c'] }],
];
for (const [why, item, asked] of nothing) {
  test(`other work has its turn while nothing comes because ${why}`, async () => {
    const batches = unwound(item, asked);
    for (let turn = 0; turn < 3; turn += 1)
      assert.deepEqual(await batches.next(), { done: false, value: [] });
    await batches.return();
  });
}

test('an item that unwinds to more than five million is refused', () => {
  const readAll = () => {
    for (const _ of projector({ unwind: ['a', 'b'] })!({ a: list, b: list }));
  };
  assert.throws(readAll, (error) => error instanceof Failure && error.kind === 'invalid');
});

test('as many unwound fields as a query can name do not fill the stack', () => {
  const unwind = Array.from({ length: 10_000 }, (_, at) => `k${at}`);
  const item = Object.fromEntries(unwind.slice(0, 100).map((key) => [key, [1]]));
  assert.equal(project(item, { unwind }).length, 1);
});

test('items that unwind to few share a batch', async (t) => {
  t.mock.method(performance, 'now', () => 0);
  const batch = Array.from({ length: 10 }, (_, id) => ({ id, list: [1, 2, 3, 4] }));
  const sizes: number[] = [];
  const unwindList = projector({ unwind: ['list'] })!;
  for await (const each of projectBatches(sourceOf<Item>(batch, [], [{}])(), unwindList)) {
    sizes.push(each.length);
  }
  assert.deepEqual(sizes, [40, 1]);
});
