// The documentation in the search, and the pages of guides that it leads to.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { giveToken, join } from '../../people.ts';
import { startServer, type Json, type TestServer } from '../../server.ts';

let server: TestServer;
let token: string;

const search = async (q: string, query = '&kinds=operation,guide'): Promise<Json[]> => {
  const path = `/signalbox/v1/search?q=${encodeURIComponent(q)}${query}`;
  const { status, json, text } = await server.call(path, { token });
  assert.equal(status, 200, text);
  return json['items'] as Json[];
};

before(async () => {
  server = await startServer({ limits: 'off' });
  token = (await giveToken(server, await join(server, 'olga'), { role: 'no_access' })).value;
});
after(() => server.stop());

test('an operation is found by its summary, its id and its path, by everybody', async () => {
  const expected = {
    kind: 'operation',
    id: 'signalbox/listAttention',
    title: 'List what needs attention',
    detail: 'GET /signalbox/v1/attention · Signalbox API',
    path: '/docs/signalbox/attention#listAttention',
  };
  for (const q of ['what needs attention', 'GET /signalbox/v1/attention', 'attention list'])
    assert.ok(
      (await search(q)).some((item) => JSON.stringify(item) === JSON.stringify(expected)),
      q,
    );
  assert.deepEqual(await search('listattention'), [expected]);
});

test('the page that an operation leads to has its anchor', async () => {
  const [found] = await search('issues/create', '&kinds=operation');
  assert.equal(found!['path'], '/docs/host/issues#issues%2Fcreate');
  for (const [page, element] of [
    ['/docs/host/issues', '<h2 id="issues/create">'],
    ['/docs/host', '<code id="issues/create">POST /repos/{owner}/{repo}/issues</code>'],
  ] as const) {
    const { status, text } = await server.call(page, { token: null });
    assert.equal(status, 200);
    assert.ok(text.includes(element), page);
  }
});

test('the documentation is searched without a token, and what is sought is shown as text', async () => {
  const { status, text } = await server.call('/docs/search?q=create+an+issue', { token: null });
  assert.equal(status, 200);
  assert.ok(text.includes('href="/docs/host/issues#issues%2Fcreate"'));
  const hostile = await server.call('/docs/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E', {
    token: null,
  });
  assert.equal(hostile.status, 200);
  assert.doesNotMatch(hostile.text, /<script>alert/);
  for (const query of ['', '?q=', '?q=a&q=b', `?q=${'x'.repeat(5000)}`])
    assert.equal((await server.call(`/docs/search${query}`, { token: null })).status, 200, query);
});

test('every guide is also there as it is written', async () => {
  const { status, headers, text } = await server.call('/docs/guide/operate.md', { token: null });
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/markdown/);
  assert.match(text, /^# Operate/);
});

test('a section of a guide is found by words of its text, and leads to its heading', async () => {
  const [found] = await search('back up and restore', '&kinds=guide');
  assert.deepEqual(found, {
    kind: 'guide',
    id: 'operate/back-up-and-restore',
    title: 'Back up and restore',
    detail: 'Guide: Operate',
    path: '/docs/guide/operate#back-up-and-restore',
  });
  const { status, text } = await server.call('/docs/guide/operate', { token: null });
  assert.equal(status, 200);
  assert.ok(text.includes('<h2 id="back-up-and-restore">Back up and restore</h2>'));
});

test('guides link to each other, and not to files that the server has not', async () => {
  const { text: index } = await server.call('/docs/guide', { token: null });
  const pages = [...index.matchAll(/href="(\/docs\/guide\/[^"]+)"/g)].map(([, path]) => path!);
  assert.ok(pages.length > 20);
  for (const page of pages) {
    const { status, text } = await server.call(page, { token: null });
    assert.equal(status, 200, page);
    for (const [, target] of text.matchAll(/<a [^>]*href="([^"#]*)(?:#[^"]*)?"/g))
      assert.ok(
        target === '' || /^https?:/.test(target!) || /^\/(?:docs|console)/.test(target!),
        `${page} links to ${target}`,
      );
  }
});

test('there is no page for another name, and none outside of the folder', async () => {
  for (const name of ['none', 'none.md', '..%2f..%2fREADME', '%00', 'constructor'])
    assert.equal((await server.call(`/docs/guide/${name}`, { token: null })).status, 404, name);
});

test('the limit is of each kind, and documentation comes last', async () => {
  const items = await search('list', '&limit=3');
  assert.ok(items.filter(({ kind }) => kind === 'operation').length <= 3);
  const make = { method: 'POST', body: { key: 'webhook-retries', name: 'Webhook retries' } } as const;
  assert.equal((await server.call('/api/v2/flags/default', make)).status, 201);
  const all = (await server.call('/signalbox/v1/search?q=webhook')).json['items'] as Json[];
  assert.equal(all[0]!['kind'], 'flag');
  assert.ok(all.some(({ kind }) => kind === 'operation'));
  assert.ok(all.some(({ kind }) => kind === 'guide'));
});
