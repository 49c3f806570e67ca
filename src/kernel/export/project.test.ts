import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../failure.ts';
import { anyBatches, nested, sourceOf } from './fixture.ts';
import type { Item } from './input.ts';
import { projectBatches, projector, type Projection } from './project.ts';

function project(item: Item, asked: Projection): Item[] {
  return projector(asked)!(item);
}

test('nothing asked is nothing to do', () => {
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

test('simplified items hold the address and what was found there', () => {
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

test('whatever is asked, items stay plain objects and the source is not changed', () => {
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
      for (const item of items.flatMap((each) => projector(projection)?.(each) ?? [each])) {
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

test('unwinding that would fill the memory is refused', () => {
  const list = Array.from({ length: 100_000 }, (_, at) => at);
  assert.equal(project({ id: 1, list }, { unwind: ['list'] }).length, 100_000);
  for (const item of [
    { a: list, b: list },
    { ...Object.fromEntries(list.map((at) => [`k${at}`, 0])), a: list },
  ]) {
    assert.throws(
      () => project(item, { unwind: ['a', 'b'] }),
      (error) => error instanceof Failure && error.kind === 'invalid',
    );
  }
});

test('batches stay about as large when their items unwind', async () => {
  const batch = Array.from({ length: 10 }, (_, id) => ({ id, list: [1, 2, 3, 4] }));
  const sizes: number[] = [];
  for await (const each of projectBatches(
    sourceOf<Item>(batch, [], [{}])(),
    projector({ unwind: ['list'] })!,
  )) {
    sizes.push(each.length);
  }
  assert.deepEqual(sizes, [12, 12, 12, 4, 1]);
});
