import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { childrenOf, readXml, textIn } from './fixture-readers.ts';
import { anyBatches, sourceOf, textOf } from './fixture.ts';
import { exportRss } from './rss.ts';

test('items are those of a channel', async () => {
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
