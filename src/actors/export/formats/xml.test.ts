import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../../kernel/failure.ts';
import { childrenOf, readXml, textIn } from '../fixture-readers.ts';
import { anyBatches, nested, sourceOf, textOf } from '../fixture.ts';
import type { Item } from '../input.ts';
import { escapeAttribute, escapeMarkup, exportRss, exportXml, toXmlName } from './xml.ts';

/** The exported item without the elements around it. */
async function toXml(item: Item): Promise<string> {
  const [, , row] = (await textOf(exportXml(sourceOf([item])))).split('\n');
  return row!;
}

test('items are elements within a root', async () => {
  assert.equal(
    await textOf(exportXml(sourceOf<Item>([{ a: 1, b: 'x' }], [{}]))),
    '<?xml version="1.0" encoding="UTF-8"?>\n<items>\n<item><a>1</a><b>x</b></item>\n<item/>\n</items>\n',
  );
  assert.equal(
    await textOf(exportXml(sourceOf([{}]), { xmlRoot: 'my pages', xmlRow: 'page', bom: true })),
    '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<my_pages>\n<page/>\n</my_pages>\n',
  );
});

test('an array repeats its tag, null is an empty element', async () => {
  assert.equal(
    await toXml({
      name: 'Ada',
      address: [
        { kind: 'home', city: 'London' },
        { kind: 'office', city: null },
      ],
      none: [],
    }),
    '<item><name>Ada</name><address><kind>home</kind><city>London</city></address>' +
      '<address><kind>office</kind><city/></address></item>',
  );
  assert.equal(await toXml({ a: [1, [2, [3]], []] }), '<item><a>1</a><a>2</a><a>3</a></item>');
});

test('the members of @ are attributes, and # is the text', async () => {
  assert.equal(
    await toXml({
      '@': { id: 7 },
      link: [
        { '@': { rel: 'a"b', n: null }, '#': 'x<y' },
        { '#': true, b: 1 },
      ],
    }),
    '<item id="7"><link rel="a&quot;b" n="">x&lt;y</link><link>true<b>1</b></link></item>',
  );
});

test('attributes are never doubled, and hold objects as JSON', async () => {
  assert.equal(
    await toXml({ '@': { 'a b': 1, a_b: 2, a_b_3: 3, 'a:b': 4, o: { x: [1] }, xmlns: 'urn:x' } }),
    '<item a_b="1" a_b_2="2" a_b_3="3" a_b_4="4" o="{&quot;x&quot;:[1]}" _xmlns="urn:x"/>',
  );
});

test('many keys that become one name take linear time', async () => {
  const symbols = Array.from({ length: 20_000 }, (_, at) => [String.fromCharCode(0x2190 + at), 1]);
  const element = await toXml({ '@': Object.fromEntries(symbols) });
  assert.ok(element.length < 20_000 * 20);
  assert.equal(Object.keys(readXml(element).attributes).length, 20_000);
});

test('@ and # that hold something else are keys like others', async () => {
  assert.equal(await toXml({ '@': 'x', '#': { y: 1 } }), '<item><_>x</_><_><y>1</y></_></item>');
});

test('whatever the items hold, the document is well-formed and has as many items', async () => {
  const names = fc.string({ unit: 'binary' });
  await fc.assert(
    fc.asyncProperty(anyBatches, names, names, async (batches, xmlRoot, xmlRow) => {
      const root = readXml(await textOf(exportXml(sourceOf(...batches), { xmlRoot, xmlRow })));
      assert.equal(childrenOf(root).length, batches.flat().length);
    }),
  );
});

test('text comes back from a reader of XML', async () => {
  const text = 'a\r\nb\rc\td "e" <f> &amp; \u2028 😀 ]]> ';
  const root = readXml(await textOf(exportXml(sourceOf([{ text, '@': { text } }]))));
  const [item] = childrenOf(root);
  assert.equal(textIn(item!), text);
  assert.equal(item!.attributes['text'], text);
});

test('deep nesting is refused and does not fill the stack', async () => {
  let list: unknown[] = [];
  for (let level = 0; level < 10_000; level += 1) list = [list];
  for (const item of [nested(10_000), { list }, { '@': nested(100_000) }]) {
    await assert.rejects(toXml(item), (error) => error instanceof Failure && error.kind === 'invalid');
  }
  assert.match(await toXml(nested(200)), /<a>1<\/a>/);
});

test('items of a feed are those of a channel', async () => {
  const options = {
    feedTitle: 'News & more',
    feedDescription: 'All of it',
    feedLink: 'https://x.test/?a=1&b=2',
  };
  assert.equal(
    await textOf(
      exportRss(sourceOf([{ title: 'One', guid: { '@': { isPermaLink: false }, '#': 1 } }]), options),
    ),
    '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">\n<channel>\n<title>News &amp; more</title>\n' +
      '<link>https://x.test/?a=1&amp;b=2</link>\n<description>All of it</description>\n' +
      '<item><title>One</title><guid isPermaLink="false">1</guid></item>\n</channel>\n</rss>\n',
  );
});

test('whatever items and titles hold, the feed is well-formed', async () => {
  const texts = fc.string({ unit: 'binary' });
  await fc.assert(
    fc.asyncProperty(anyBatches, texts, texts, async (batches, feedTitle, feedDescription) => {
      const root = readXml(await textOf(exportRss(sourceOf(...batches), { feedTitle, feedDescription })));
      const [channel] = childrenOf(root);
      assert.equal(childrenOf(channel!, 'item').length, batches.flat().length);
    }),
  );
});

test('a feed without items is a feed', async () => {
  const root = readXml(await textOf(exportRss(sourceOf())));
  assert.equal(textIn(childrenOf(childrenOf(root)[0]!, 'title')[0]!), 'Dataset');
});

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
