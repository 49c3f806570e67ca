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

test('calls that ask for the same text at once wait for one task', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => renderer.renderOnce('x', 'x', 'server')));
  assert.deepEqual(new Set(all), new Set(['<p>x</p>']));
});

test('further documents are refused while too many wait', async () => {
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => render('# x')));
  const refused = all.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
  assert.deepEqual(
    new Set(refused),
    new Set(['Too many documents are waiting on this server. Try again in a moment.']),
  );
  assert.equal(refused.length, 2);
});
