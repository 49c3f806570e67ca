// Rendered Markdown: what it may contain, and that no document holds up the server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarkdownRenderer } from './markdown-client.ts';

/** Less than a server has: hostile documents use up all of the time. */
const renderer = new MarkdownRenderer({ maxCpuMs: 1000, maxWaiting: 5 });
const render = (text: string) => renderer.render(text);

test('links lead to web and mail addresses only, and HTML is text', async () => {
  const html = await render(
    [
      '[a](javascript:x) [b](data:text/html,x) [c](irc://x) [d](IRCS:x) <xmpp:e> [f](vbscript:x)',
      '[g](https://g.test) [h](mailto:h@h.test) [i](relative/path) ![j](javascript:x) ![k](data:x)',
      '<script>x</script> <img src=x onerror=x> <a href="javascript:x">l</a>',
    ].join('\n\n'),
  );
  const addresses = [...html!.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address]) => address);
  assert.deepEqual(addresses.filter(Boolean), ['https://g.test', 'mailto:h@h.test', 'relative/path'], html);
  assert.doesNotMatch(html!, /<script|<img src=x/);
});

test('a document that takes too long is not rendered', async () => {
  assert.equal(await render(']('.repeat(200_000)), undefined);
  assert.equal(await render('x'.repeat(600_000)), undefined);
  assert.equal(await render('# x'), '<h1>x</h1>');
});

test('a document whose HTML is many times as long is not rendered', async () => {
  const columns = 200;
  const table = `${'|a'.repeat(columns)}\n${'|-'.repeat(columns)}\n${'|\n'.repeat(10_000)}`;
  assert.equal(await render(table), undefined);
  assert.equal(await render(`[^1]: a\n\n${'[^1]'.repeat(5000)}`), undefined);
});

test('lists and quotes nested as deep as a text has room for are rendered, with all that they say', async () => {
  const lines = (prefix: (depth: number) => string) =>
    Array.from({ length: 150 }, (_, depth) => `${prefix(depth)}t${depth}`).join('\n');
  for (const text of [
    lines((depth) => `${'  '.repeat(depth)}- `),
    lines((depth) => '> '.repeat(depth)),
    `${'- '.repeat(12_000)}t0`,
    `${'1. '.repeat(8000)}t0`,
    `${'>'.repeat(24_000)}t0`,
  ]) {
    const html = (await render(text)) ?? '';
    for (const [word] of text.matchAll(/t\d+/g))
      assert.ok(html.includes(word), `${text.slice(0, 20)} ${word}`);
    let depth = 0;
    for (const [tag] of html.matchAll(/<\/?(?:ul|ol|blockquote)>/g)) {
      depth += tag.startsWith('</') ? -1 : 1;
      assert.ok(depth < 100, text.slice(0, 20));
    }
  }
});

test('a list and a quote that people write are nested as they wrote them', async () => {
  const html = await render('- a\n  - b\n    1. c\n\n> > d\n\n```\n- - x\n```');
  assert.match(html!, /<ul>\s*<li>a\s*<ul>\s*<li>b\s*<ol>\s*<li>c/);
  assert.match(html!, /<blockquote>\s*<blockquote>\s*<p>d/);
  assert.match(html!, /<code>- - x\n<\/code>/);
});

test('a document is rendered once, until others take its place', async () => {
  assert.equal(renderer.find('# kept'), undefined);
  const html = await render('# kept');
  assert.equal(renderer.find('# kept'), html);
  assert.equal(renderer.find('# kept', 'gfm'), undefined);
});

test('calls that ask for the same text at once wait for one task', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => renderer.renderOnce('x', 'x', 'server')));
  assert.deepEqual(new Set(all), new Set(['<p>x</p>']));
});

test('further documents are refused while too many wait', async () => {
  const all = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => render(`# ${index}`)));
  const refused = all.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
  assert.deepEqual(
    new Set(refused),
    new Set(['Too many documents are waiting on this server. Try again in a moment.']),
  );
  assert.equal(refused.length, 2);
});
