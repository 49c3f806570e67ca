// What the pages of code compute: addresses, patches, tokens, the finder, and where links of texts lead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefName } from '../../console/host/branches/ref-name.ts';
import { graphOf, widthOf } from '../../console/host/commits/commit-graph.ts';
import { parsePatch, splitRows } from '../../console/host/diff/patch.ts';
import { linesOf, textOf } from '../../console/host/files/content.ts';
import { matchPaths } from '../../console/host/files/match-paths.ts';
import { languageOf } from '../../console/lib/highlight/languages.ts';
import { tokenizeLines } from '../../console/lib/highlight/tokenize.ts';
import {
  blobHref,
  compareHref,
  longestRef,
  readComparison,
  readPlace,
  resolvePath,
} from '../../console/host/place.ts';
import { resolveImage, resolveLink } from '../../console/lib/safe-links.ts';

const PLACE = { owner: 'ada', repo: 'garden' };

test('the address of a file leads back to it, whatever its branch and its path are called', () => {
  for (const ref of ['main', 'fix/a b', 'é%2F#?'])
    for (const path of ['a.ts', 'a b/c#d?e%20f.txt', 'ü/%', '.../x']) {
      const { owner, repo, kind, ...place } = readPlace(blobHref(PLACE, ref, path));
      assert.deepEqual({ owner, repo, kind }, { ...PLACE, kind: 'blob' });
      assert.deepEqual(place, { ref, path });
    }
  assert.deepEqual(readPlace('/code/ada/garden'), { ...PLACE, kind: '', ref: undefined, path: '' });
  assert.equal(readPlace('/code/ada/garden/tree/%E0%A4%A').ref, '%E0%A4%A');
});

test('the two sides of a comparison are read from its address, also with slashes in them', () => {
  const sides = { base: 'main', head: 'fix/prices' };
  assert.deepEqual(readComparison(readPlace(compareHref(PLACE, sides.base, sides.head))), sides);
  assert.deepEqual(readComparison(readPlace('/code/ada/garden/compare/main...fix/prices')), sides);
  assert.deepEqual(readComparison(readPlace('/code/ada/garden/compare')), {});
});

test('a branch with slashes is found in an address that does not encode them', () => {
  assert.equal(longestRef(['fix', 'fix/prices', 'fix/price'], 'fix/prices/src/a.ts'), 'fix/prices');
  assert.equal(longestRef(['fix/prices'], 'fix/pricesx'), undefined);
});

test('relative paths stay inside of the repository', () => {
  assert.equal(resolvePath('docs/guide/a.md', '../b.md'), 'docs/b.md');
  assert.equal(resolvePath('docs/a.md', './x/./y.md'), 'docs/x/y.md');
  assert.equal(resolvePath('docs/a.md', '/top.md'), 'top.md');
  assert.equal(resolvePath('docs/a.md', '../../etc/passwd'), undefined);
});

test('a patch becomes hunks with numbered lines, and the part that differs is marked', () => {
  const patch =
    '@@ -1,3 +1,3 @@ function total\n one\n-const a = 1;\n+const a = 22;\n three\n\\ No newline at end of file\n@@ -10 +10,2 @@\n ten\n+eleven';
  const [first, second] = parsePatch(patch);
  assert.equal(first!.title, 'function total');
  assert.deepEqual(first!.lines, [
    { kind: 'same', text: 'one', before: 1, after: 1 },
    { kind: 'del', text: 'const a = 1;', before: 2, mark: { start: 10, end: 11 } },
    { kind: 'add', text: 'const a = 22;', after: 2, mark: { start: 10, end: 12 } },
    { kind: 'same', text: 'three', before: 3, after: 3, isUnended: true },
  ]);
  assert.deepEqual(second!.lines.at(-1), { kind: 'add', text: 'eleven', after: 11 });
  assert.deepEqual(
    splitRows(first!.lines).map(({ left, right }) => [left?.before, right?.after]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  );
  assert.deepEqual(parsePatch('no patch at all'), []);
});

test('a mark never cuts a character in two', () => {
  const [hunk] = parsePatch('@@ -1 +1 @@\n-a long line 😀\n+a long line 😁');
  assert.deepEqual(
    hunk!.lines.map(({ text, mark }) => text.slice(mark!.start, mark!.end)),
    ['😀', '😁'],
  );
});

function kindsIn(path: string, text: string): string[] {
  const lines = text.split('\n');
  return tokenizeLines(lines, languageOf(path)!).flatMap((tokens, index) =>
    tokens.map(({ start, end, kind }) => `${kind} ${lines[index]!.slice(start, end)}`),
  );
}

test('comments, strings, numbers and keywords are told apart, also over lines', () => {
  assert.deepEqual(kindsIn('a.ts', 'const a = `x\ny` + 0x1f; // "no"'), [
    'k const',
    's `x',
    's y`',
    'n 0x1f',
    'c // "no"',
  ]);
  assert.deepEqual(kindsIn('a.py', 'def f(): # x\n  """a\n  b""" \'c\\\'d\''), [
    'k def',
    'f f',
    'c # x',
    's """a',
    's   b"""',
    "s 'c\\'d'",
  ]);
  assert.deepEqual(kindsIn('a.c', '/* a\nb */ int x = 1;'), ['c /* a', 'c b */', 'k int', 'n 1']);
  assert.deepEqual(kindsIn('Dockerfile', 'FROM node # x'), ['k FROM', 'c # x']);
  assert.equal(languageOf('notes'), undefined);
});

test('the finder puts names before folders, and takes letters with gaps', () => {
  const paths = ['src/app/prices.ts', 'prices/readme.md', 'src/page.ts', 'docs/x.md'];
  assert.deepEqual(matchPaths(paths, 'prices'), ['src/app/prices.ts', 'prices/readme.md']);
  assert.deepEqual(matchPaths(paths, 'sp ts'), ['src/page.ts', 'src/app/prices.ts']);
  assert.deepEqual(matchPaths(paths, 'zzz'), []);
});

test('bytes that are no text are not shown as text, and the end of the last line is no line', () => {
  assert.equal(textOf(new Uint8Array([0x61, 0])), undefined);
  assert.equal(textOf(new Uint8Array([0xff, 0xfe])), undefined);
  assert.deepEqual(linesOf('a\r\nb\n'), ['a', 'b']);
  assert.deepEqual(linesOf('\n'), ['']);
});

test('links of a text lead to pages elsewhere or into the console, and nowhere else', () => {
  for (const server of ['https://box.example', 'https://tools.example/box']) checkLinks(server);
});

function checkLinks(server: string): void {
  const link = (href: string) => resolveLink(href, server, (relative) => `/at/${relative}`);
  assert.deepEqual(link('https://example.com/a'), { href: 'https://example.com/a', isInside: false });
  assert.deepEqual(link('docs/a.md'), { href: '/at/docs/a.md', isInside: true });
  assert.deepEqual(link(`${server}/ada/garden/pull/3#x`), {
    href: '/code/ada/garden/pulls/3#x',
    isInside: true,
  });
  assert.deepEqual(link(`${server}/session/abc`), { href: `${server}/session/abc`, isInside: false });
  for (const href of ['javascript:alert(1)', ' JavaScript:x', 'data:text/html,x', 'vbscript:x', 'mailto:a@b'])
    assert.equal(link(href), undefined, href);
  const image = (src: string) => resolveImage(src, server)?.kind;
  assert.equal(image('a.png'), 'relative');
  assert.equal(image(`${server}/raw/ada/garden/main/a.png`), 'raw');
  assert.equal(image(`${server}/v2/key-value-stores/x`), 'elsewhere');
  assert.equal(image('//elsewhere.example/a.png'), undefined);
  assert.equal(image('data:image/png;base64,x'), undefined);
}

test('names that git refuses are refused before they are sent', () => {
  for (const name of ['main', 'fix/prices', 'v1.2', 'a-b_c']) assert.ok(isRefName(name), name);
  for (const name of ['', 'a b', '/a', 'a/', 'a..b', 'a~1', '-a', '.a', 'a/.b', 'x.lock', 'a:b', 'a@{b'])
    assert.ok(!isRefName(name), name);
});

test('commits that simply follow each other have no graph, and a merge leads to both of its parents', () => {
  const commit = (sha: string, ...parents: string[]) => ({
    sha,
    parents: parents.map((one) => ({ sha: one })),
  });
  assert.equal(graphOf([]), undefined);
  assert.equal(graphOf([commit('c', 'b'), commit('b', 'a'), commit('a')]), undefined);
  const rows = graphOf([
    commit('merge', 'main', 'topic'),
    commit('topic', 'root'),
    commit('main', 'root'),
    commit('root'),
  ]);
  assert.deepEqual(rows, [
    { at: 0, past: [], from: [], to: [0, 1] },
    { at: 1, past: [[0, 0]], from: [1], to: [1] },
    { at: 0, past: [[1, 0]], from: [0], to: [0] },
    { at: 0, past: [], from: [0], to: [] },
  ]);
  assert.equal(widthOf(rows), 2);
  // More lanes than can be told apart.
  const heads = Array.from({ length: 20 }, (_, index) => commit(`head-${index}`, `base-${index}`));
  assert.equal(graphOf(heads), undefined);
});
