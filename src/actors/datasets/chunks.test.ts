import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../kernel/failure.ts';
import { packItems, readFields, readItems, writeFields, ColumnOutline } from './chunks.ts';
import { parseItems, type Item } from '../export/input.ts';
import { collectColumns } from '../export/formats/columns.ts';

const none = new Set<string>();

describe('readItems', () => {
  test('takes an object, an array of objects, and a string that is the JSON of either', async () => {
    assert.deepEqual(await readItems({ a: 1 }), [{ a: 1 }]);
    assert.deepEqual(await readItems([{ a: 1 }, {}]), [{ a: 1 }, {}]);
    assert.deepEqual(await readItems('{"a":1}'), [{ a: 1 }]);
    assert.deepEqual(await readItems('[{"a":1},{}]'), [{ a: 1 }, {}]);
    assert.deepEqual(await readItems([]), []);
  });

  test('refuses everything else, and says which item is wrong', async () => {
    for (const body of [undefined, null, 5, true, [1], [null], [[]], [{}, 'x'], ['{"a":1}'], '5', '"{}"']) {
      await assert.rejects(
        readItems(body),
        (error) => error instanceof Failure && error.kind === 'invalid',
        JSON.stringify(body),
      );
    }
    await assert.rejects(readItems([{}, {}, 7]), /position 2/);
  });

  test('a string that is no JSON, or nested too deep, is malformed', async () => {
    for (const body of ['x', '', '{"a":', `[${'['.repeat(300)}${']'.repeat(300)}]`]) {
      await assert.rejects(
        readItems(body),
        (error) => error instanceof Failure && error.kind === 'malformed',
      );
    }
  });
});

describe('packItems', () => {
  test('keeps the order, joined as JSON', async () => {
    const { chunks, count } = await packItems([{ n: 1 }, { n: 2 }, {}], none);
    assert.equal(count, 3);
    assert.deepEqual(
      chunks.map(({ at, count: items, text }) => [at, items, text]),
      [[0, 3, '{"n":1},\n{"n":2},\n{}']],
    );
  });

  test('whatever an item holds, its text has no line break, NUL or half a surrogate pair', async () => {
    const item = JSON.parse(
      '{"a":"\\n\\r\\u0000\\ud800\\u2028","\\u0000\\n":1,"__proto__":{"x":1}}',
    ) as object;
    const { chunks } = await packItems([item as Record<string, unknown>], none);
    const { text } = chunks[0]!;
    assert.equal(text.split('\n').length, 1);
    assert.ok(!text.includes('\0') && text.isWellFormed());
    assert.deepEqual(Object.keys(parseItems(text)[0]!), ['a', '\0\n', '__proto__']);
    assert.equal(parseItems(text)[0]!['a'], '\n\r\u0000\ud800\u2028');
  });

  test('cuts at a thousand items, and where a chunk would become too large', async () => {
    const many = await packItems(
      Array.from({ length: 2500 }, (_, n) => ({ n })),
      none,
    );
    assert.deepEqual(
      many.chunks.map(({ at, count }) => [at, count]),
      [
        [0, 1000],
        [1000, 1000],
        [2000, 500],
      ],
    );
    const large = await packItems(
      [1, 70_000, 1, 30_000, 30_000, 30_000].map((size) => ({ x: 'ä'.repeat(size) })),
      none,
    );
    assert.deepEqual(
      large.chunks.map(({ at, count }) => [at, count]),
      [
        [0, 1],
        [1, 1],
        [2, 3],
        [5, 1],
      ],
    );
    assert.equal(
      large.bytes,
      large.chunks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    );
  });

  test('counts items with a visible field as clean', async () => {
    assert.equal((await packItems([{}, { '#a': 1 }, { '#a': 1, b: null }, { b: 1 }], none)).cleanCount, 2);
  });

  test('finds the fields that are new, in the order of their appearance', async () => {
    const items = [
      { b: 1, a: 2 },
      { c: 1, b: 2 },
      JSON.parse('{"constructor":1}') as Record<string, unknown>,
    ];
    assert.deepEqual((await packItems(items, new Set(['a']))).newFields, ['b', 'c', 'constructor']);
  });

  test('does not learn names without end', async () => {
    const wild = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key${n}`, n]));
    assert.equal((await packItems([wild], new Set(['known']))).newFields.length, 1999);
    assert.deepEqual((await packItems([{ ['x'.repeat(201)]: 1 }], none)).newFields, []);
  });
});

test('names of fields are read as written, each once', async () => {
  const names = ['a', 'with "quotes"', 'line\nbreak', '\0', '\ud800', ''];
  assert.deepEqual(readFields(writeFields(names) + writeFields(['b', 'a'])), [...names, 'b']);
  assert.deepEqual(readFields(''), []);
});

function outlineOf(items: Item[]): Item[] | null {
  const outline = new ColumnOutline();
  for (const item of items) outline.add(item);
  const text = outline.toText(Infinity);
  return text === null ? null : parseItems(text);
}

describe('the outline of a chunk', () => {
  test('has the items that are the first with a value in some column, without their values', () => {
    const items = [
      { a: 1, o: { x: 'y' } },
      { a: 2 },
      { a: { deep: 1 } },
      { l: [1, { b: 2 }], e: [], n: null },
      { a: null, l: [3] },
    ];
    assert.deepEqual(outlineOf(items), [
      { a: null, o: { x: null } },
      { a: { deep: null } },
      { l: [null, { b: null }], e: [], n: null },
    ]);
  });

  test('is not stored if it would be long or the items have little in common', () => {
    const outline = new ColumnOutline();
    outline.add({ abcdef: 1 });
    assert.equal(outline.toText('{"abcdef":1}'.length), null);
    assert.equal(outline.toText(1000), '{"abcdef":null}');
    assert.equal(outlineOf(Array.from({ length: 17 }, (_, n) => ({ [`key${n}`]: 1 }))), null);
  });

  test('a table of the outline has the columns of all items, in their order', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'a/b', '0', '__proto__', 'constructor');
    const { item } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, 1, 'x', true),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('item'),
      ),
      item: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    }));
    const namesOf = async (items: Item[]) => {
      const columns = await collectColumns(async function* () {
        yield items;
      }).catch(() => undefined);
      return columns?.names;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 12 }), async (items) => {
        const all = items as Item[];
        // An outline does not record the number of items, so an error for items without columns becomes an empty list.
        assert.deepEqual(await namesOf(outlineOf(all)!), (await namesOf(all)) ?? []);
      }),
    );
  });
});
