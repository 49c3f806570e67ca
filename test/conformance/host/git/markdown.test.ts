// Texts that callers send to be rendered: the two forms of Markdown, what is refused, and what hostile texts can do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../../eventually.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServer, type Answer, type CallInit, type TestServer } from '../../../server.ts';

const VERSIONS = ['2022-11-28', '2026-03-10'];
const MAX_BYTES = 400 * 1024;

let server: TestServer;
let ada: HostPerson;
let bob: HostPerson;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  bob = await joinHost(server, 'bob');
});
after(() => server.stop());

const render = (body: unknown, init: CallInit = {}) =>
  server.call('/markdown', { method: 'POST', token: ada.token, body, ...init });

const renderRaw = (body: string | Uint8Array, type?: string, init: CallInit = {}) =>
  server.call('/markdown/raw', {
    method: 'POST',
    token: ada.token,
    body,
    ...init,
    headers: { ...(type !== undefined && { 'content-type': type }), ...init.headers },
  });

function assertHtml(answer: Answer, expected: string): void {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.text, expected);
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(answer.headers.get('content-security-policy') ?? '', /^sandbox/);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
}

test('a text is rendered in both versions, at both addresses, with a token and without', async () => {
  const text = '# Title\n\nHello *world*\n';
  const html = '<h1>Title</h1>\n<p>Hello <em>world</em></p>\n';
  for (const version of VERSIONS)
    for (const token of [ada.token, null]) {
      const init = { token, headers: { 'x-host-api-version': version } };
      assertHtml(await render({ text }, init), html);
      assertHtml(await renderRaw(text, 'text/plain; charset=utf-8', init), html);
      assertHtml(await renderRaw(text, 'text/x-markdown', init), html);
    }
  assertHtml(await server.call('/api/v3/markdown', { method: 'POST', body: { text } }), html);
  assertHtml(await render({ text: '' }), '');
  assertHtml(await renderRaw('é ☃', 'text/plain'), '<p>é ☃</p>');
});

test('tables, task lists and addresses are rendered in both modes', async () => {
  const text = '| a |\n| - |\n| b |\n\n- [x] done\n\nhttps://a.test ~~gone~~';
  for (const mode of ['markdown', 'gfm']) {
    const { text: html } = await render({ text, mode });
    assert.match(html, /<table>.*<td>b<\/td>/s, mode);
    assert.match(html, /<input type="checkbox" disabled="" checked="" ?\/?>/, mode);
    assert.match(
      html,
      /<a rel="nofollow noopener" href="https:\/\/a\.test">https:\/\/a\.test<\/a> <del>gone<\/del>/,
      mode,
    );
  }
});

test('in the mode gfm the lines of a paragraph stay lines, as in comments', async () => {
  const lines = 'one\ntwo  \nthree\\\nfour';
  assertHtml(await render({ text: lines }), '<p>one\ntwo<br />\nthree<br />\nfour</p>');
  assertHtml(
    await render({ text: lines, mode: 'gfm', context: 'ada/demo' }),
    '<p>one<br />\ntwo<br />\nthree<br />\nfour</p>',
  );
  for (const [text, html] of [
    ['> a\n> b', '<blockquote>\n<p>a<br />\nb</p>\n</blockquote>'],
    ['- a\n  b', '<ul>\n<li>a<br />\nb</li>\n</ul>'],
    ['`a\nb`', '<p><code>a b</code></p>'],
    ['```\na\nb\n```', '<pre><code>a\nb\n</code></pre>'],
    ['    a\n    b', '<pre><code>a\nb\n</code></pre>'],
    ['![a\nb](c)', '<p><img src="c" alt="a\nb" /></p>'],
    ['[a](b "c\nd")', '<p><a rel="nofollow noopener" href="b" title="c\nd">a</a></p>'],
    ['a\n\nb', '<p>a</p>\n<p>b</p>'],
    ['a\nb\n===', '<h1>a<br />\nb</h1>'],
    ['[a]: b\n\n[a]\nc', '<p><a rel="nofollow noopener" href="b">a</a><br />\nc</p>'],
    ['a [^1]\nb\n\n[^1]: c\nd', undefined],
  ] as const) {
    const answer = await render({ text, mode: 'gfm' });
    if (html !== undefined) assertHtml(answer, html);
    else assert.match(answer.text, /<br \/>\nb<\/p>.*c<br \/>\nd/s);
  }
});

test('HTML is text, and links lead to web and mail addresses only', async () => {
  const text = [
    '<script>x</script> <img src=x onerror=x>',
    '[a](javascript:x) [b](data:text/html,x) <xmpp:e> [d](IRCS:x)',
  ].join('\n\n');
  for (const answer of [
    await render({ text }),
    await render({ text, mode: 'gfm' }),
    await renderRaw(text, 'text/plain'),
  ]) {
    assert.equal(answer.status, 200);
    assert.doesNotMatch(answer.text, /<script|<img|javascript:|data:|href="(?:xmpp|ircs)/i);
  }
});

test('what cannot be rendered is refused with an error in JSON', async () => {
  const refused = async (status: number, answer: Promise<Answer>) => {
    const { status: given, json, text, headers } = await answer;
    assert.equal(given, status, text);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(json['status'], String(status));
    return String(json['message']);
  };
  for (const body of [
    {},
    { text: 1 },
    { text: 'a', mode: 'html' },
    { text: 'a', context: 1 },
    { text: null },
  ])
    await refused(422, render(body));
  for (const body of ['{', 'text']) await refused(400, render(body));
  await refused(400, render([]));
  for (const type of ['application/json', 'text/html', 'application/x-www-form-urlencoded', 'text/plainer'])
    assert.match(await refused(415, renderRaw('a', type)), /text\/plain/);
  await refused(415, renderRaw('a', 'text/plain', { headers: { 'content-encoding': 'zip' } }));
  await refused(400, renderRaw('a', 'text/plain', { headers: { 'content-encoding': 'gzip' } }));
  const long = `${'word '.repeat(MAX_BYTES / 5)}!`;
  assert.match(await refused(413, render({ text: long })), /409600 bytes/);
  await refused(413, render({ text: 'ü'.repeat(MAX_BYTES / 2 + 1) }));
  await refused(413, renderRaw(long, 'text/plain'));
  assert.equal((await renderRaw(long.slice(1), 'text/plain')).status, 200);
  for (const path of ['/markdown', '/markdown/raw'])
    for (const method of ['GET', 'PUT', 'DELETE'])
      assert.equal((await server.call(path, { method, token: ada.token })).status, 404, `${method} ${path}`);
  await refused(401, render({ text: 'a' }, { token: 'api-nobody-has-this-token' }));
});

test('texts that take too long are refused, and do not keep others waiting in turn', async () => {
  const { markdownTurns } = server.app.kernel.services;
  const attacks = Array.from({ length: 2 }, () => render({ text: ']('.repeat(150_000) }));
  await eventually(() => markdownTurns.waiting === 1);
  const other = await render({ text: '*a*' }, { token: bob.token });
  assert.deepEqual([other.status, other.text], [200, '<p><em>a</em></p>']);
  assert.ok(markdownTurns.used + markdownTurns.waiting > 0, 'the second hostile text comes later');
  for (const { status, json } of await Promise.all(attacks)) {
    assert.equal(status, 422);
    assert.match(String(json['message']), /takes too long/);
  }
});
