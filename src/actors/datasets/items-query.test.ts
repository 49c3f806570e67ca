import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../kernel/failure.ts';
import {
  exportOptions,
  paginationHeaders,
  rangeOf,
  parseItemsQuery,
  type ItemsRequest,
} from './items-query.ts';

const plain: ItemsRequest = {
  format: 'json',
  offset: 0,
  limit: undefined,
  desc: false,
  projection: {},
  isAttachment: false,
};

describe('readQuery', () => {
  test('without parameters all items are returned unchanged', () => {
    assert.deepEqual(parseItemsQuery({ format: 'json' }, null), plain);
  });

  test('a limit of 0 is none', () => {
    assert.equal(parseItemsQuery({ format: 'json', limit: 0 }, null).limit, undefined);
  });

  test('empty names are no names', () => {
    assert.deepEqual(parseItemsQuery({ format: 'json', fields: ['', 'a', ''] }, null).projection, {
      fields: ['a'],
    });
  });

  const schema = {
    views: {
      overview: {
        transformation: {
          fields: ['a', 'b'],
          unwind: 'list',
          omit: ['c'],
          limit: 5,
          desc: true,
          flatten: null,
        },
      },
      plain: { display: {} },
    },
  };

  test('a view provides the parameters that the query omits', () => {
    assert.deepEqual(parseItemsQuery({ format: 'csv', view: 'overview' }, schema), {
      ...plain,
      format: 'csv',
      limit: 5,
      desc: true,
      projection: { fields: ['a', 'b'], unwind: ['list'], omit: ['c'] },
    });
    const query = { format: 'json', view: 'overview', fields: ['z'], limit: 2, desc: false } as const;
    const request = parseItemsQuery({ ...query, fields: ['z'] }, schema);
    assert.deepEqual([request.projection.fields, request.limit, request.desc], [['z'], 2, false]);
    assert.deepEqual(parseItemsQuery({ format: 'json', view: 'plain' }, schema), plain);
  });

  test('a view that is not there is refused, whatever its name', () => {
    for (const view of ['nope', 'constructor', '__proto__', '']) {
      assert.throws(
        () => parseItemsQuery({ format: 'json', view }, schema),
        (error) => error instanceof Failure && error.details.code === 'requested-dataset-view-does-not-exist',
      );
    }
    assert.throws(
      () => parseItemsQuery({ format: 'json', view: 'overview' }, null),
      (error) => error instanceof Failure && error.details.code === 'dataset-does-not-have-schema',
    );
  });
});

test('only the options that were given reach the exporter', () => {
  const feed = { feedTitle: 'T', feedDescription: 'D', feedLink: 'L' };
  assert.deepEqual(exportOptions({ format: 'csv', bom: false, feedTitle: 'Mine' }, feed), {
    ...feed,
    feedTitle: 'Mine',
    bom: false,
  });
});

test('a range equals a slice of the list, in either direction', () => {
  const list = fc.integer({ min: 0, max: 30 });
  fc.assert(
    fc.property(
      list,
      list,
      fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
      fc.boolean(),
      run,
    ),
  );
  function run(total: number, offset: number, limit: number | undefined, desc: boolean) {
    const all = Array.from({ length: total }, (_, n) => n);
    const expected = (desc ? all.toReversed() : all).slice(offset, limit && offset + limit);
    const { first, end } = rangeOf({ ...plain, offset, limit, desc }, total);
    const got = all.slice(first, end);
    assert.deepEqual(desc ? got.toReversed() : got, expected);
  }
});

test('the headers tell the page', () => {
  const request = { ...plain, offset: 8, limit: 5 };
  assert.deepEqual(paginationHeaders(request, rangeOf(request, 10), 10), {
    'x-apify-pagination-total': '10',
    'x-apify-pagination-offset': '8',
    'x-apify-pagination-limit': '5',
    'x-apify-pagination-count': '2',
    'x-apify-pagination-desc': 'false',
  });
  assert.equal(paginationHeaders(plain, rangeOf(plain, 1), 1)['x-apify-pagination-limit'], '999999999999');
});
