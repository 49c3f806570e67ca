// The reference: a page for each resource of each API, with every operation once, in any version, and as Markdown.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { apis } from '../../src/app/apis.ts';
import { escapeHtml } from '../../src/kernel/http/pages/html.ts';
import { listErrors } from '../../src/kernel/openapi/error-catalogue.ts';
import { resourcePath, resourcesOf } from '../../src/kernel/openapi/reference/resources.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

let server: TestServer;
before(async () => (server = await startServer({ limits: 'off' })));
after(() => server.stop());

const read = (path: string) => server.call(path, { token: null });

for (const api of apis) {
  const { name } = api.protocol;

  test(`${name}: every operation has its part on one page, and every page is linked from the others`, async () => {
    const resources = resourcesOf(api);
    const overview = await read(`/docs/${name}`);
    const seen = new Set<string>();
    for (const { slug, shapes } of resources) {
      const path = resourcePath(name, slug);
      assert.ok(overview.text.includes(`<a href="${path}">`), path);
      const { status, text } = await read(path);
      assert.equal(status, 200, path);
      for (const { id, until } of shapes) {
        if (until !== undefined) continue;
        assert.equal(text.split(`<h2 id="${escapeHtml(id)}">`).length, 2, `${path} ${id}`);
        assert.ok(!seen.has(id), id);
        seen.add(id);
      }
    }
    const expected = api.routes.filter(
      ({ shape }) => shape.aliasOf === undefined && shape.until === undefined,
    );
    assert.equal(seen.size, expected.length);
  });

  test(`${name}: a read without parameters is answered when its command is run as it stands there`, async () => {
    for (const { slug, shapes } of resourcesOf(api)) {
      // Those of apps take a token that an app signs, and without limits there is nothing to say of them.
      const plain = shapes.filter(
        ({ method, path }) =>
          method === 'GET' && !path.includes('{') && !/^\/(?:app|rate_limit)(?:\/|$)/.test(path),
      );
      if (plain.length === 0) continue;
      const { text } = await read(`${resourcePath(name, slug)}.md`);
      for (const { path, id, until, produces } of plain) {
        if (until !== undefined || produces === 'text/event-stream' || id === 'streamChanges') continue;
        const url = `${server.url}${api.protocol.prefixes[0]}${path}`;
        const [, rest = ''] = text.split(`curl "${url}"`);
        const headers = [...rest.split('```')[0]!.matchAll(/-H "([^:]+): ([^"]*)"/g)].map(
          ([, header, value]): [string, string] => [header!, value!.replace('$SIGNALBOX_TOKEN', ADMIN_TOKEN)],
        );
        const reply = await fetch(url, { headers, redirect: 'manual' });
        await reply.body?.cancel();
        assert.ok(![401, 404, 405].includes(reply.status) && reply.status < 500, `${id}: ${reply.status}`);
      }
    }
  });
}

test('every error has its place in the catalogue of its API, with a cause', async () => {
  for (const api of apis) {
    const { name } = api.protocol;
    const { status, text } = await read(`/docs/${name}/errors`);
    assert.equal(status, 200);
    const markdown = await read(`/docs/${name}/errors.md`);
    assert.match(markdown.headers.get('content-type')!, /^text\/markdown/);
    for (const { code, causes, cures } of listErrors(api)) {
      assert.equal(text.split(`<h2 id="${code}">`).length, 2, code);
      assert.ok(markdown.text.includes(`## ${code}\n`), code);
      // A guide describes those of the Actors API.
      if (name !== 'actors') assert.ok(causes.length > 0, code);
      assert.ok(cures.length > 0, code);
    }
  }
});

test('replies and pages lead to errors that the catalogue has', async () => {
  const calls = [
    server.call('/repos/nobody/nothing'),
    server.call('/user/repos', { method: 'POST', body: {} }),
    server.call('/signalbox/v1/nothing'),
    server.call('/signalbox/v1/me/password', { method: 'PUT', body: {} }),
    server.call('/signalbox/v1/me', { token: null }),
  ];
  for (const { json } of await Promise.all(calls)) {
    const url = new URL((json['documentation_url'] ?? json['type']) as string);
    const { status, text } = await read(url.pathname);
    assert.equal(status, 200);
    assert.ok(text.includes(`id="${url.hash.slice(1)}"`), url.href);
  }
  for (const path of [
    '/docs/actors',
    '/docs/actors/datasets',
    '/docs/flags/feature-flags',
    '/docs/host/issues',
  ])
    for (const [, page = '', anchor = ''] of (await read(path)).text.matchAll(
      /href="([^"#]+\/errors)#([^"]+)"/g,
    ))
      assert.ok((await read(page)).text.includes(`<h2 id="${anchor}">`), `${path}: ${anchor}`);
});

test('the limits of all APIs are on one page, and the frame has the links of the layer above', async () => {
  const { status, text } = await read('/docs/limits');
  assert.equal(status, 200);
  for (const { protocol } of apis) assert.ok(text.includes(`<h2 id="${protocol.name}">`));
  assert.match(text, /<form action="\/docs\/search"/);
  assert.match(text, /<a href="\/docs\/guide">Guides<\/a>/);
  assert.equal((await read('/docs/limits.md')).status, 200);
  const llms = await read('/llms.txt');
  for (const path of ['/docs/guide', '/docs/limits', '/docs/host/errors.md', '/docs/search?q='])
    assert.ok(llms.text.includes(server.url + path), path);
});

test('every page is also Markdown at its own address with an ending', async () => {
  const seen = new Set(['/docs']);
  for (const path of seen) {
    const { status, text } = await read(path);
    assert.equal(status, 200, path);
    const [, address = ''] = /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(text) ?? [];
    assert.equal(address, `${path}.md`);
    const markdown = await read(address);
    assert.match(markdown.headers.get('content-type') ?? '', /^text\/markdown/, address);
    assert.match(markdown.text, /^# \S/, address);
    // Pages of resources are looked at one by one above.
    const [, page = ''] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? [];
    for (const [, next = ''] of page.matchAll(/href="(\/docs[^"#?]*)"/g))
      if (
        !/\.(?:json|md)$|\/impact$|^\/docs\/(?:flags|actors|host|signalbox)\/(?!versions|errors)/.test(next)
      )
        seen.add(next);
  }
  for (const path of ['/docs/guide/start-code', '/docs/host/versions/2026-03-10', '/docs/flags/errors'])
    assert.ok(seen.has(path), path);
  const { text: version } = await read('/docs/host/versions.md');
  assert.match(version, /^\| \[2026-03-10\]\(\/docs\/host\/versions\/2026-03-10\) \| current \|/m);
});

test('a page shows the version that is asked for, and the newest otherwise', async () => {
  const newest = await read('/docs/host/repos');
  const older = await read('/docs/host/repos?version=2022-11-28');
  assert.match(newest.text, /<strong>2026-03-10<\/strong>/);
  assert.match(older.text, /<strong>2022-11-28<\/strong>/);
  assert.match(older.text, /-H &#34;X-[A-Za-z-]+: 2022-11-28&#34;/);
  assert.notEqual(newest.text, older.text);
  assert.match((await read('/docs/host/repos?version=1999-01-01')).text, /<strong>2026-03-10<\/strong>/);
});

test('a page has its script by its hash alone, and nothing of other origins', async () => {
  const { headers, text } = await read('/docs/flags/feature-flags');
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'; script-src 'sha256-[^']+'; connect-src 'self'/);
  assert.doesNotMatch(text, /(?:src|href)="(?:https?:)?\/\//);
});

test('what is not there is not found, whatever is in its name', async () => {
  for (const path of [
    '/docs/host/nothing',
    '/docs/host/nothing.md',
    '/docs/host/%3Cscript%3E',
    '/docs/nothing/x',
  ]) {
    const { status, text } = await read(path);
    assert.equal(status, 404, path);
    assert.doesNotMatch(text, /<script>(?!\n)/);
  }
});

test('older addresses lead where they led', async () => {
  for (const anchor of ['requests', 'operations', 'authentication', 'versions', 'rate-limits', 'errors'])
    assert.ok((await read('/docs/host')).text.includes(`id="${anchor}"`), anchor);
  assert.ok((await read('/docs/host')).text.includes('id="differences"'));
  assert.equal((await read('/docs/host/2026-03-10.json')).status, 200);
});
