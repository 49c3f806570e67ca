import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeAttribute, escapeMarkup, toXmlName } from './markup.ts';

test('characters that could break out of text or an attribute are escaped', () => {
  assert.equal(
    escapeMarkup(`<a href="x">'&amp;'</a> ]]>`),
    `&lt;a href=&quot;x&quot;&gt;'&amp;amp;'&lt;/a&gt; ]]&gt;`,
  );
  assert.equal(escapeMarkup('tab\tline\nreturn\r'), 'tab\tline\nreturn&#13;');
  assert.equal(escapeAttribute('tab\tline\nreturn\r"'), 'tab&#9;line&#10;return&#13;&quot;');
});

test('characters that XML forbids are left out, and pairs are not', () => {
  assert.equal(
    escapeMarkup('a\u0000b\u0008c\u000Bd\u001Fe\uFFFEf\uFFFFg\u007F\u0085'),
    'abcdefg\u007F\u0085',
  );
  assert.equal(escapeMarkup('\uD83D\uDE00 \uD83D \uDE00 \uDE00\uD83D'), '😀   ');
});

test('keys become valid names', () => {
  const names = {
    title: 'title',
    'a-b.c_1': 'a-b.c_1',
    název: 'název',
    名前: '名前',
    __proto__x: '__proto__x',
    'a b': 'a_b',
    'a:b': 'a_b',
    '#hidden': '_hidden',
    '1st': '_1st',
    '-x': '_-x',
    '.': '_.',
    '': '_',
    xmlns: '_xmlns',
    '<x>': '_x_',
    'price €': 'price__',
    '😀': '__',
  };
  for (const [key, name] of Object.entries(names)) assert.equal(toXmlName(key), name);
});

test('any key becomes a name, and a name stays one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      const name = toXmlName(key);
      assert.match(name, /^[\p{L}_][\p{L}\w.-]*$/u);
      assert.equal(toXmlName(name), name);
    }),
  );
});
