// Large JSON in slices: the same values, texts and errors as at once, and limits on the content.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../failure.ts';
import { hasNoBackslashInKeys } from './fixture.ts';
import { parseJson } from './parse.ts';
import { isSlowToWrite, stringifyLarge } from './stringify.ts';

/** Tiny, so that short texts are cut everywhere. */
const PART_BYTES = 4;

const parseBoth = async (text: string) => {
  const whole = ((): unknown[] => {
    try {
      return [JSON.parse(text)];
    } catch {
      return [];
    }
  })();
  const cut = await parseJson(Buffer.from(text), { partBytes: PART_BYTES }).then(
    (value): unknown[] => [value],
    (error: unknown): unknown[] => {
      assert.ok(error instanceof Failure && error.kind === 'malformed', String(error));
      return [];
    },
  );
  return { whole, cut };
};

test('a text that is cut everywhere has the value that it has as a whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue({ maxDepth: 6 }).filter(hasNoBackslashInKeys),
      fc.nat({ max: 3 }),
      async (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const { whole, cut } = await parseBoth(text);
        assert.deepEqual(cut, whole);
        assert.equal(JSON.stringify(cut[0]), JSON.stringify(whole[0]));
      },
    ),
    { numRuns: 500 },
  );
});

test('a text that is no JSON as a whole is none when it is cut', async () => {
  const piece = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '"a"',
    '"',
    '1',
    ' ',
    'true',
    '{"a":1}',
    '[[],[]]',
    '\\',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 14 }), async (pieces) => {
      const { whole, cut } = await parseBoth(pieces.join(''));
      assert.deepEqual(cut, whole);
    }),
    { numRuns: 3000 },
  );
});

test('a valid text with one changed byte is accepted or refused as it is at once', async () => {
  const sign = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '0', ' ', '');
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue({ maxDepth: 5 }).filter(hasNoBackslashInKeys),
      fc.nat(),
      sign,
      async (value, place, changed) => {
        const text = JSON.stringify(value);
        const at = place % text.length;
        const { whole, cut } = await parseBoth(text.slice(0, at) + changed + text.slice(at + 1));
        assert.deepEqual(cut, whole);
      },
    ),
    { numRuns: 3000 },
  );
});

test('a long string that is cut everywhere has the value that it has as a whole', async () => {
  const good = ['x', '\\n', '\\\\', '\\"', '\\u00e9', '\\ud83d\\ude00', '\\ud83d', 'é', '€', '😀'];
  const bad = ['\\', '"', '\\u12', '\n', ',', ':', '[', '{'];
  const sign = fc.constantFrom(...good, ...bad);
  // Keys are without backslashes, for the reason that `hasNoBackslashInKeys` gives.
  const around = fc.constantFrom(
    (text: string) => text,
    (text: string) => ` ${text} `,
    (text: string) => `[1,${text},${text} ]`,
    (text: string) => `{"a":1,"b":${text}, "c" : [${text}],${text.replaceAll('\\\\', 'x')}:2}`,
    (text: string) => `1 ${text}`,
    (text: string) => `{"a":1${text}}`,
    (text: string) => `[${text} 1]`,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(sign, { maxLength: 20 }), around, async (signs, put) => {
      const { whole, cut } = await parseBoth(put(`"${signs.join('')}"`));
      assert.deepEqual(cut, whole);
    }),
    { numRuns: 5000 },
  );
});

test('a value right behind another is refused, however large', async () => {
  for (const text of ['{"a":1[1,2,3,4,5]}', '{"a":-[1,2,3,4,5]}', '{"a":1"12345"}', '[1[2,3,4,5,6]]'])
    assert.deepEqual(await parseBoth(text), { whole: [], cut: [] });
});

test('names that mean something to JavaScript are names', async () => {
  const text = '{"a":[1,2,3],"__proto__":{"b":[4,5,6]},"constructor":[7],"a":[8,9]}';
  const { whole, cut } = await parseBoth(text);
  assert.equal(JSON.stringify(cut[0]), JSON.stringify(whole[0]));
  assert.equal(Object.getPrototypeOf(cut[0]), Object.prototype);
});

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(',');
const parse = (text: string) => parseJson(Buffer.from(text));
const refused =
  (message: RegExp, kind = 'invalid') =>
  (error: Failure) =>
    error.kind === kind && message.test(error.message);

test('an object has at most 10,000 keys', async () => {
  const keys = (count: number) => `{${many(count, (index) => `"key-${index}":1`)}}`;
  assert.equal(Object.keys((await parse(keys(10_000))) as object).length, 10_000);
  await assert.rejects(parse(keys(10_001)), refused(/more than 10,000 keys/));
  await assert.rejects(parse(`[{"a":${keys(10_001)}}]`), refused(/more than 10,000 keys/));
});

test('an item has at most 250,000 keys and elements, and a push 250,000 items', async () => {
  const item = (count: number) => `{"list":[${many(count, () => '1')}]}`;
  await parse(item(249_999));
  await assert.rejects(parse(item(250_000)), refused(/The body has more than 250,000 keys and elements/));
  await parse(`[${many(3, () => item(249_999))}]`);
  await assert.rejects(parse(`[{},${item(250_000)}]`), refused(/An item of the body has more than 250,000/));
  assert.equal(((await parse(`[${many(250_000, () => '{}')}]`)) as unknown[]).length, 250_000);
  await assert.rejects(parse(`[${many(250_001, () => '{}')}]`), refused(/more than 250,000 items/));
});

test('all objects together may be limited, too', async () => {
  const keys = (count: number) => `[${many(count / 3, (index) => `{"a":1,"b":{"c-${index}":[]}}`)}]`;
  const limited = (text: string) => parseJson(Buffer.from(text), { maxKeys: 30_000 });
  await limited(keys(30_000));
  await assert.rejects(limited(keys(30_003)), refused(/The body has more than 30,000 keys in all/));
});

test('bytes alone are no reason to refuse a body', async () => {
  const long = 'x'.repeat(5_000_000);
  assert.deepEqual(await parse(`{"text":"${long}"}`), { text: long });
  assert.equal(await parse(`"${long}"`), long);
});

test('too deep nesting is refused in large and small texts', async () => {
  for (const padding of ['', ' '.repeat(100_000)]) {
    const deep = (levels: number) => `${'['.repeat(levels)}${padding}${']'.repeat(levels)}`;
    await parse(deep(200));
    await assert.rejects(parse(deep(201)), refused(/deeper than 200 levels/, 'malformed'));
  }
});

test('brackets in strings are no nesting, behind escaped quotes neither', async () => {
  const brackets = '['.repeat(201);
  for (const padding of ['', ' '.repeat(100_000)]) {
    for (const text of [brackets, `"${brackets}`, `\\"${brackets}`, `${brackets}\\`])
      assert.deepEqual(await parse(`${JSON.stringify([text])}${padding}`), [text]);
    const deep = `["\\\\",${brackets}${']'.repeat(201)}]${padding}`;
    await assert.rejects(parse(deep), refused(/deeper than 200 levels/, 'malformed'));
  }
});

test('while a large text is parsed, others have their turn', async () => {
  let turns = 0;
  const counting = setInterval(() => (turns += 1));
  await parse(`[${many(200_000, (index) => `{"id":${index},"name":"n${index}"}`)}]`);
  clearInterval(counting);
  assert.ok(turns > 0);
});

test('while a long string is parsed and written, others have their turn', async () => {
  let turns = 0;
  const counting = setInterval(() => (turns += 1));
  const value = await parse(`{"text":"${'\\n'.repeat(4_000_000)}"}`);
  const parsing = turns;
  assert.ok(parsing > 0);
  await stringifyLarge(value);
  clearInterval(counting);
  assert.ok(turns > parsing);
});

test('a long string is written piece by piece as it is at once', async () => {
  for (const sign of ['x', '\n', '😀', '\ud83d', '\ude00\ud83d', 'é"']) {
    for (const start of ['', 'a']) {
      const text = start + sign.repeat(600_000);
      for (const value of [text, [text, 1, text], { text, 'a "name"': text }]) {
        assert.ok(isSlowToWrite(value));
        assert.equal((await stringifyLarge(value)).toString(), JSON.stringify(value));
      }
    }
  }
});

test('a value is written piece by piece as it is at once', async () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(undefined));
  await fc.assert(
    fc.asyncProperty(fc.object({ values: [leaf], maxDepth: 4 }), async (value) => {
      const large = { value, list: Array.from({ length: 8100 }, () => value), __proto__: 1, u: undefined };
      assert.ok(isSlowToWrite(large));
      assert.equal((await stringifyLarge(large)).toString(), JSON.stringify(large));
    }),
    { numRuns: 20 },
  );
  const wide = Object.fromEntries(Array.from({ length: 9500 }, (_, index) => [`key "${index}"`, [index]]));
  for (const value of [wide, [wide, 1, wide], [], {}, 'text', { at: new Date(0) }])
    assert.equal((await stringifyLarge(value)).toString(), JSON.stringify(value));
});
