// The HTML of texts: references are links, and nothing in it is active on the page that shows it, however hostile the text.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MarkdownRenderer } from '../contents/markdown-client.ts';
import { placeLinks } from './link-references.ts';

const renderer = new MarkdownRenderer();
after(() => renderer.close());

const SHA = '0123456789abcdef0123456789abcdef01234567';
const PLACE = { base: 'https://host.test/api/v3', fullName: 'ada/tools' };
let texts = 0;

async function render(text: string): Promise<string> {
  const html = await renderer.renderOnce(`${(texts += 1)}`, text, 'repository');
  assert.ok(html !== undefined);
  return placeLinks(html, PLACE);
}

const link = (path: string, text: string) =>
  `<a rel="nofollow noopener" href="https://host.test/${path}">${text}</a>`;

test('references are links, by their text alone', async () => {
  const html = await render(`#12 ben/app#3 @ben ${SHA} "#4" a/b@abc1234`);
  const links = [
    link('ada/tools/issues/12', '#12'),
    link('ben/app/issues/3', 'ben/app#3'),
    link('ben', '@ben'),
    link(`ada/tools/commit/${SHA}`, SHA),
    `&quot;${link('ada/tools/issues/4', '#4')}&quot;`,
    link('a/b/commit/abc1234', 'a/b@abc1234'),
  ];
  assert.equal(html, `<p>${links.join(' ')}</p>`);
});

test('code, links and images have no references inside', async () => {
  const html = await render(
    '`#1` [#2](https://x.test) ![#3](https://y.test)\n\n    #4\n\n```\n#5\n```\n\nhttps://z.test/#6',
  );
  assert.doesNotMatch(html, /issues/);
});

test('a text outside of a repository refers to others alone', async () => {
  const html = await renderer.renderOnce('outside', `#1 a/b#2 @ada ${SHA}`, 'server');
  assert.equal(
    placeLinks(html!, { base: PLACE.base }),
    `<p>#1 ${link('a/b/issues/2', 'a/b#2')} ${link('ada', '@ada')} ${SHA}</p>`,
  );
});

test('lines stay lines, and lists of tasks and tables are shown as such', async () => {
  assert.equal(await render('a\nb'), '<p>a<br />\nb</p>');
  const html = await render('- [ ] a\n- [x] b\n\n|c|\n|-|\n|d|');
  assert.match(html, /<li><input type="checkbox" disabled="" \/> a<\/li>/);
  assert.match(html, /<input type="checkbox" disabled="" checked="" \/> b/);
  assert.match(html, /<td>d<\/td>/);
});

test('no text can write the place where addresses of the server are filled in', async () => {
  const html = await render(
    '[a]({origin}/x) [b](<{repository}/x>) <a href="{origin}/x"> {origin} [c]: {origin}',
  );
  assert.doesNotMatch(html, /href="https:\/\/host\.test/);
});

test('ids are prefixed, and classes are languages alone', async () => {
  const html = await render('a[^1]\n\n[^1]: b\n\n```a&#32;modal\nx\n```\n\n```c++\ny\n```');
  assert.deepEqual(
    [...html.matchAll(/ (?:id|aria-describedby)="([^"]*)"/g)].filter(
      ([, id]) => !id!.startsWith('user-content-'),
    ),
    [],
  );
  assert.deepEqual(
    [...html.matchAll(/ class="([^"]*)"/g)].map(([, name]) => name),
    ['language-c++'],
  );
});

/** All that may be in the HTML; values have no quotes and no angle brackets. */
const TAG = new RegExp(
  String.raw`^</?(?:a|blockquote|br|code|del|em|h[1-6]|hr|img|input|li|ol|p|pre|section|strong|sup|table|tbody|td|th|thead|tr|ul)(?<attributes>(?: [a-z-]+="[^"<>]*")*)(?: /)?>`,
);
const ATTRIBUTES: Record<string, RegExp> = {
  href: /^(?:https?:\/\/|mailto:|#user-content-|$|[^:]*$|[^:]*[/?#])/i,
  src: /^(?:https?:\/\/|$|[^:]*$|[^:]*[/?#])/i,
  rel: /^nofollow noopener$/,
  id: /^user-content-/,
  'aria-describedby': /^user-content-/,
  'aria-label': /^Back to reference [\d-]+$/,
  class: /^language-[\w+#.-]+$/,
  align: /^(?:left|right|center)$/,
  type: /^checkbox$/,
  disabled: /^$/,
  checked: /^$/,
  start: /^\d+$/,
  title: /^/,
  alt: /^/,
  'data-footnotes': /^$/,
  'data-footnote-ref': /^$/,
  'data-footnote-backref': /^$/,
};

/** Reads it tag by tag: what is no such tag, and no text, fails. */
function checkInactive(html: string, text: string): void {
  for (let at = 0; at < html.length;) {
    const next = html.indexOf('<', at);
    const end = next < 0 ? html.length : next;
    assert.ok(!html.slice(at, end).includes('>'), `${JSON.stringify(text)} → ${html}`);
    if (next < 0) return;
    const found = TAG.exec(html.slice(next, next + 70_000));
    assert.ok(found !== null, `${JSON.stringify(text)} → ${html.slice(next, next + 200)}`);
    const [tag] = found;
    for (const [, name, value] of found.groups!['attributes']!.matchAll(/ ([a-z-]+)="([^"]*)"/g))
      assert.match(value!, ATTRIBUTES[name!] ?? /$^/, `${JSON.stringify(text)} → ${tag}`);
    at = next + tag.length;
  }
}

test('hostile texts become no active HTML', async () => {
  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1)) [x](JaVaScRiPt:x) [x](java&#115;cript:x) [x](java\\script:x) [x](&#x1;javascript:x)',
    '[x](data:text/html,x) [x](vbscript:x) [x](file:///etc) [x](irc://x) [x](XMPP:x) [x](blob:x)',
    '![x](javascript:x) ![x](data:image/svg+xml,x) <javascript:x> <data:x>',
    '[x](https://x.test "a\\" onclick=\\"x") [x](<https://x.test/" onclick="x>)',
    '![a" onerror="x](https://x.test)',
    '[x]: javascript:x\n\n[x] ![x]',
    '```"onclick="x\ny\n```',
    '[^"><script>]: x\n\n[^"><script>]',
    'www.x.test/"onclick="x www.x.test/<script>',
    '@a"onclick=x #1"x a/b"#1 <b/c#1',
    '|<script>|"|\n|:-|-:|\n|`<b>`|[x](javascript:x)|',
    '<!-- --><script>x</script> <![CDATA[<b>]]> <?php x ?> <!DOCTYPE x>',
    '&lt;script&gt; &#60;script&#62; &#x3c;script&#x3e;',
    '\u0000<script>\u2028</script>',
  ];
  for (const text of hostile) checkInactive(await render(text), text);
});

test('random mixtures of such parts become no active HTML', async () => {
  const parts = [
    '<', '>', '"', "'", '&', '`', '```', '\n', '\n\n', ' ', '[', ']', '(', ')', '](', '![', '*', '_', '~~', '|', '-',
    '[^1]', '[^1]: ', '#1', 'a/b#2', '@ada', SHA, 'javascript:', 'data:', 'https://x.test', 'www.x.test', '<script>',
    'onclick=', '- [ ] ', '> ', '\\', '&#60;', '&quot;', '{origin}', 'href="', '    ', 'x@y.test', '|-|\n',
  ]; // prettier-ignore
  for (let round = 0; round < 400; round += 1) {
    const length = 1 + Math.floor(Math.random() * 40);
    const text = Array.from({ length }, () => parts[Math.floor(Math.random() * parts.length)]).join('');
    checkInactive(await render(text), text);
  }
});
