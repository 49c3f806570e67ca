// Fields by CSS selectors, and page functions.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import { extractItems, parseFields, parseNumber } from '../src/fields.js';
import { compilePageFunction, itemsOf } from '../src/page-function.js';

const PAGE = `<html><head><title> A  page </title></head><body>
  <h1>One</h1><h1>Two</h1><a href="/x">X</a><a href="y">Y</a><a>none</a>
  <div class="card"><b>Ada</b><i>1</i></div><div class="card"><b>Ben</b></div><p><em>in</em> here</p></body></html>`;

function extract(fields: object, itemSelector?: string, html = PAGE) {
  const $ = load(html) as never;
  return extractItems($, parseFields(fields), { itemSelector, url: 'https://a.test/dir/page' });
}

describe('fields', () => {
  test('are texts of first matches, lists, attributes, HTML and numbers', () => {
    assert.deepEqual(
      extract({
        title: 'title',
        first: 'h1',
        all: { selector: 'h1', all: true },
        links: { selector: 'a', attribute: 'href', all: true },
        html: { selector: 'p', html: true },
        number: { selector: 'i', number: true },
        missing: 'h7',
        none: { selector: 'h7', all: true },
      }),
      [
        {
          title: 'A page',
          first: 'One',
          all: ['One', 'Two'],
          links: ['https://a.test/x', 'https://a.test/dir/y'],
          html: '<em>in</em> here',
          number: 1,
          missing: null,
          none: [],
        },
      ],
    );
  });

  test('of each match of an item selector', () => {
    assert.deepEqual(extract({ name: 'b', number: { selector: 'i', number: true } }, '.card'), [
      { name: 'Ada', number: 1 },
      { name: 'Ben', number: null },
    ]);
    assert.deepEqual(extract({ name: 'b' }, '.nothing'), []);
  });

  test('are relative to the base of the page', () => {
    const html = '<base href="/other/"><a href="z">Z</a>';
    assert.deepEqual(extract({ link: { selector: 'a', attribute: 'href' } }, undefined, html), [
      { link: 'https://a.test/other/z' },
    ]);
  });

  for (const [name, fields, message] of [
    ['a list', ['h1'], /must be an object/],
    ['a number', { a: 1 }, /fields\.a must be a CSS selector/],
    ['null', { a: null }, /fields\.a must be/],
    ['an object without a selector', { a: { attribute: 'href' } }, /fields\.a must be/],
    ['an unknown option', { a: { selector: 'a', atribute: 'href' } }, /unknown option atribute.*attribute/],
    ['a word as a flag', { a: { selector: 'a', all: 'yes' } }, /fields\.a\.all must be true or false/],
    ['no CSS selector', { a: 'a[' }, /no CSS selector/],
  ] as const) {
    test(`${name} is refused`, () => {
      assert.throws(() => parseFields(fields), message);
    });
  }
});

test('numbers are read as people write them', () => {
  for (const [text, number] of [
    ['7', 7],
    ['€ 1.234,50', 1234.5],
    ['$1,234.50', 1234.5],
    ['1 234,5 kg', 1234.5],
    ["1'234.5", 1234.5],
    ['1,234', 1234],
    ['1.234.567', 1_234_567],
    ['0,5', 0.5],
    ['0.125', 0.125],
    ['-3.5 °C', -3.5],
    ['from 10 to 20', 10],
    ['no number', null],
  ] as const)
    assert.equal(parseNumber(text), number, text);
});

describe('a page function', () => {
  test('may be written in any of the usual ways', () => {
    for (const source of [
      'async () => 1',
      'function () { return 1 }',
      'async function pageFunction(context) { return 1 }',
      'export default () => 1;',
      '() => 1 // one',
    ])
      assert.equal(typeof compilePageFunction(source), 'function', source);
  });

  test('must be a function', () => {
    assert.throws(() => compilePageFunction('1'), /must be a function/);
    assert.throws(() => compilePageFunction('function ('), /cannot be compiled/);
    assert.throws(() => compilePageFunction(7), /text of a JavaScript function/);
  });

  test('returns items', () => {
    assert.deepEqual(itemsOf(undefined), []);
    assert.deepEqual(itemsOf(null), []);
    assert.deepEqual(itemsOf({ a: 1 }), [{ a: 1 }]);
    assert.deepEqual(itemsOf([{ a: 1 }, { b: 2 }]), [{ a: 1 }, { b: 2 }]);
    assert.throws(() => itemsOf('text'), /must return objects, not "text"/);
    assert.throws(() => itemsOf([[]]), /must return objects/);
  });
});
