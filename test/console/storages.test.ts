// What the pages of storages compute themselves: rows in view, columns in an address, statistics of a page, why a request waits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeFields,
  measureFields,
  readColumns,
  writeColumns,
} from '../../console/actors/storage/dataset/fields.ts';
import { ROW_HEIGHT, scrollTopOf, viewRows } from '../../console/actors/storage/dataset/row-window.ts';
import { whyNotNext } from '../../console/actors/storage/queue/request.ts';

const HEIGHT = 640;

test('every row of a table can be scrolled to, however long it is', () => {
  for (const count of [1, 15, 20, 21, 500, 10_000, 468_750, 1_000_000, 50_000_000]) {
    const end = viewRows({ count, height: HEIGHT, scrollTop: Number.MAX_SAFE_INTEGER });
    assert.equal(end.last, count - 1, `${count}`);
    assert.equal(Math.round(end.after), 0, `${count}`);
    for (const row of [0, Math.floor(count / 3), Math.floor(count / 2), count - 1]) {
      const { first, last } = viewRows({
        count,
        height: HEIGHT,
        scrollTop: scrollTopOf(row, { count, height: HEIGHT }),
      });
      assert.ok(first <= row && row <= last, `row ${row} of ${count}: ${first} to ${last}`);
    }
  }
});

test('what is drawn and the gaps around it are together as high as the table, which browsers can draw', () => {
  for (const count of [30, 10_000, 1_000_000]) {
    const whole = Math.min(count * ROW_HEIGHT, 15_000_000);
    for (let scrollTop = 0; scrollTop < whole; scrollTop += whole / 97) {
      const { first, last, before, after } = viewRows({ count, height: HEIGHT, scrollTop });
      const height = before + (last - first + 1) * ROW_HEIGHT + after;
      assert.ok(Math.abs(height - whole) < ROW_HEIGHT, `${count} at ${scrollTop}: ${height}`);
      assert.ok(last - first < 60, 'few rows are drawn');
      assert.ok(before >= 0 && before <= scrollTop + 1);
    }
  }
});

test('names of columns survive an address, with commas and percent signs', () => {
  const names = ['a,b', '100%', 'ü', 'plain', '__proto__'];
  assert.deepEqual(readColumns(writeColumns(names), names), names);
  assert.deepEqual(readColumns('plain,gone', names), ['plain']);
  assert.equal(readColumns('gone,%zz', names), undefined);
  assert.equal(readColumns(undefined, names), undefined);
});

test('statistics count what is filled and distinct, and the range of numbers and lengths', () => {
  const items = [
    { price: 5, title: 'Rake', tags: ['a'], seen: '2026-10-14T12:00:00Z' },
    { price: 12, title: 'Rake', tags: [], url: 'https://shop.example.com/a.png' },
    { price: null, title: '', nested: { a: 1 } },
  ];
  const [price, title, tags, none] = measureFields(['price', 'title', 'tags', 'none'], items);
  assert.deepEqual(price, {
    name: 'price',
    types: ['number'],
    filled: 2,
    distinct: 2,
    range: { least: 5, most: 12, isLength: false },
  });
  assert.deepEqual([title!.filled, title!.distinct, title!.range?.most], [2, 1, 4]);
  assert.deepEqual([tags!.types, tags!.range], [['list'], { least: 0, most: 1, isLength: true }]);
  assert.deepEqual(none, { name: 'none', types: [], filled: 0, distinct: 0 });
  const types = describeFields(['seen', 'url', 'nested', 'none'], items).map(({ type }) => type);
  assert.deepEqual(types, ['date', 'image', 'object', undefined]);
});

test('a request waits because it is handled, locked, or behind others', () => {
  const now = Date.parse('2026-10-14T12:00:00Z');
  const request = (id: string) => ({ id, uniqueKey: id, url: `https://shop.example.com/${id}` });
  const head = [request('a'), request('b'), request('c')];
  assert.equal(whyNotNext(head[0]!, head, now).kind, 'next');
  assert.deepEqual(whyNotNext(head[2]!, head, now), { kind: 'behind', count: 2, next: head[0] });
  assert.deepEqual(whyNotNext(request('z'), head, now), { kind: 'far', count: 3 });
  const handled = { ...request('a'), handledAt: '2026-10-14T11:00:00Z' };
  assert.equal(whyNotNext(handled, head, now).kind, 'handled');
  const lock = { lockExpiresAt: '2026-10-14T12:01:00Z', lockByClient: 'x' };
  assert.deepEqual(whyNotNext({ ...request('z'), ...lock }, head, now), {
    kind: 'locked',
    until: now + 60_000,
    client: 'x',
  });
  const ended = { ...request('a'), lockExpiresAt: '2026-10-14T11:59:00Z' };
  assert.equal(whyNotNext(ended, head, now).kind, 'next');
});
