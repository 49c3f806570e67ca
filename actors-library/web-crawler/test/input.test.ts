// The input of web-crawler: what it accepts, and what it says about mistakes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { InputError, parseInput } from '../src/input.js';

const start = { startUrls: [{ url: 'https://example.com' }] };

test('only the start pages are required, as objects or texts', () => {
  const options = parseInput({ startUrls: [{ url: ' https://example.com/a ' }, 'http://b.test'] });
  assert.deepEqual(options.startUrls, ['https://example.com/a', 'http://b.test/']);
  assert.deepEqual(
    [options.maxDepth, options.maxPages, options.maxConcurrency, options.respectRobotsTxt],
    [5, 1000, 10, true],
  );
  assert.deepEqual(
    [options.fields, options.pageFunction, options.errorsAs],
    [undefined, undefined, 'record'],
  );
  assert.deepEqual(parseInput({ sitemapUrls: ['https://example.com/s.xml'] }).startUrls, []);
});

test('the defaults of the input schema are those of the program', () => {
  const text = readFileSync(new URL('../.actor/input_schema.json', import.meta.url), 'utf8');
  const { properties } = JSON.parse(text) as { properties: Record<string, { default?: unknown }> };
  const options = parseInput(start) as unknown as Record<string, unknown>;
  for (const [name, schema] of Object.entries(properties)) {
    assert.ok(name in options, name);
    if ('default' in schema) assert.equal(options[name], schema.default, name);
  }
  assert.deepEqual(Object.keys(options).sort(), Object.keys(properties).sort());
});

test('empty texts in lists are left out', () => {
  assert.deepEqual(parseInput({ ...start, includeGlobs: ['', ' a/** '] }).includeGlobs, ['a/**']);
});

for (const [name, input, message] of [
  ['nothing', null, /must be a JSON object/],
  ['a list', [], /must be a JSON object/],
  ['no pages', {}, /no startUrls/],
  ['no list', { startUrls: 'https://a.test' }, /startUrls must be a list/],
  ['no address', { startUrls: [{ url: 'a.test' }] }, /startUrls\[0\] must be a URL.*"a\.test"/],
  ['another protocol', { startUrls: ['file:///etc/passwd'] }, /https:\/\/ or http:\/\//],
  ['null as a page', { startUrls: [null] }, /startUrls\[0\]/],
  ['a number as a pattern', { ...start, includeGlobs: [1] }, /includeGlobs must be a list of texts/],
  ['a negative depth', { ...start, maxDepth: -1 }, /maxDepth must be a whole number, 0 or more/],
  ['half a page', { ...start, maxPages: 1.5 }, /maxPages/],
  ['a word as a flag', { ...start, respectRobotsTxt: 'yes' }, /respectRobotsTxt must be true or false/],
  ['a bad proxy', { ...start, proxyUrls: ['proxy:80'] }, /proxyUrls\[0\]/],
  ['bad fields', { ...start, fields: { a: '!!' } }, /fields\.a.*no CSS selector/],
  ['a bad item selector', { ...start, itemSelector: '>>' }, /no CSS selector/],
  ['a broken function', { ...start, pageFunction: 'async () => {' }, /cannot be compiled/],
  ['fields and a function', { ...start, fields: { a: 'b' }, pageFunction: '() => 1' }, /both fields/],
] as const) {
  test(`${name} is refused`, () => {
    assert.throws(
      () => parseInput(input),
      (error: Error) => error instanceof InputError && message.test(error.message),
    );
  });
}
