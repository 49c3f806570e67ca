// Comments on gists on a running server: who writes, changes and deletes them, how they are shown, and what is refused.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import { giveToken } from '../../people.ts';
import { startServerOn } from '../../suites.ts';
import type { Json, TestServer } from '../../server.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let eve: HostPerson;
  /** Of ada, public and secret. */
  let shared: string;
  let secret: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob, eve] = await Promise.all([
      joinHost(server, 'ada'),
      joinHost(server, 'bob'),
      joinHost(server, 'eve'),
    ]);
    const create = async (isPublic: boolean) => {
      const body = { files: { 'a.txt': { content: 'a' } }, public: isPublic };
      const { status, text, json } = await ada.post('/gists', body);
      assert.equal(status, 201, text);
      return json['id'] as string;
    };
    shared = await create(true);
    secret = await create(false);
  });
  after(() => server.stop());

  const at = (gist: string) => `/gists/${gist}/comments`;
  const countOf = async (gist: string) => (await ada.get(`/gists/${gist}`)).json['comments'];

  test('a comment is written, read, changed and deleted, and counted', async () => {
    for (const gist of [shared, secret]) {
      const created = await bob.post(at(gist), { body: 'First **words**' });
      assert.equal(created.status, 201, created.text);
      const comment = created.json;
      const path = `${at(gist)}/${comment['id']}`;
      assert.equal(comment['url'], `${server.url}${path}`);
      assert.equal(created.headers.get('location'), comment['url']);
      assert.deepEqual(
        [comment['body'], (comment['user'] as Json)['login'], comment['author_association']],
        ['First **words**', 'bob', 'NONE'],
      );
      assert.equal(await countOf(gist), 1);
      assert.deepEqual((await server.call(path, { token: null })).json, comment);
      const changed = await bob.patch(path, { body: 'Second' });
      assert.deepEqual([changed.status, changed.json['body']], [200, 'Second']);
      assert.deepEqual((await bob.get(path)).json, changed.json);
      const own = await ada.post(at(gist), { body: 'Mine' });
      assert.equal(own.json['author_association'], 'OWNER');
      const { json: list } = await server.call(at(gist), { token: null });
      assert.deepEqual(list, [changed.json, own.json]);
      assert.equal((await bob.delete(path)).status, 204);
      assert.equal((await bob.get(path)).status, 404);
      assert.equal((await bob.delete(path)).status, 404);
      assert.equal((await bob.patch(path, { body: 'x' })).status, 404);
      assert.equal(await countOf(gist), 1);
      assert.equal((await ada.delete(`${at(gist)}/${own.json['id']}`)).status, 204);
      assert.equal(await countOf(gist), 0);
    }
  });

  test('only the author changes a comment; the author and the owner of the gist delete it', async () => {
    const { json } = await bob.post(at(shared), { body: 'of bob' });
    const path = `${at(shared)}/${json['id']}`;
    const reader = await giveToken(server, bob.member, { role: 'reader' });
    for (const [who, status] of [
      [{ token: null }, 401],
      [{ token: eve.token }, 403],
      [{ token: reader.value }, 403],
    ] as const) {
      assert.equal(
        (await server.call(path, { method: 'PATCH', body: { body: 'x' }, ...who })).status,
        status,
      );
      assert.equal((await server.call(path, { method: 'DELETE', ...who })).status, status);
    }
    assert.equal((await ada.patch(path, { body: 'x' })).status, 403);
    for (const [who, status] of [
      [{ token: null }, 401],
      [{ token: reader.value }, 403],
    ] as const)
      assert.equal(
        (await server.call(at(shared), { method: 'POST', body: { body: 'x' }, ...who })).status,
        status,
      );
    assert.equal((await bob.get(path)).json['body'], 'of bob');
    assert.equal(await countOf(shared), 1);
    assert.equal((await ada.delete(path)).status, 204);
    assert.equal(await countOf(shared), 0);
  });

  test('bodies are not empty, not too long, and nothing but text', async () => {
    const { json } = await bob.post(at(shared), { body: 'x' });
    const path = `${at(shared)}/${json['id']}`;
    const wrong = [
      {},
      { body: '' },
      { body: ' \n ' },
      { body: 'x'.repeat(65_536) },
      { body: 5 },
      { body: null },
    ];
    for (const body of wrong) {
      for (const answer of [await bob.post(at(shared), body), await bob.patch(path, body)]) {
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.text, /body/);
      }
    }
    for (const raw of ['', '[]', '"x"', '{"body":'])
      assert.ok([400, 422].includes((await bob.call(at(shared), { method: 'POST', raw } as never)).status));
    const long = await bob.patch(path, { body: 'x'.repeat(65_535) });
    assert.equal(long.status, 200);
    assert.equal((await bob.delete(path)).status, 204);
  });

  test('a comment is found below its own gist only, and unknown ones are not found', async () => {
    const { json } = await bob.post(at(shared), { body: 'here' });
    const id = json['id'] as number;
    const unknown = '0'.repeat(32);
    for (const path of [
      `${at(secret)}/${id}`,
      `${at(unknown)}/${id}`,
      `${at(shared)}/${id + 1000}`,
      `${at(shared)}/9007199254740993`,
    ]) {
      assert.equal((await bob.get(path)).status, 404, path);
      assert.equal((await bob.patch(path, { body: 'x' })).status, 404, path);
      assert.equal((await bob.delete(path)).status, 404, path);
    }
    assert.ok([404, 422].includes((await bob.get(`${at(shared)}/x`)).status));
    assert.equal((await bob.post(at(unknown), { body: 'x' })).status, 404);
    assert.equal((await bob.get(at(unknown))).status, 404);
    assert.equal((await bob.put(`${at(shared)}/${id}`, { body: 'x' })).status, 404);
    await bob.delete(`${at(shared)}/${id}`);
  });

  test('the media type asks for Markdown, HTML, text or all', async () => {
    const { json } = await bob.post(at(shared), { body: '# A\n\nx <b> & [b](javascript:x)' });
    const html = '<h1>A</h1>\n<p>x &lt;b&gt; &amp; <a rel="nofollow noopener" href="">b</a></p>';
    const forms: Record<string, Json> = {
      raw: { body: json['body'] },
      html: { body_html: html },
      text: { body_text: 'A\nx <b> & b' },
      full: { body: json['body'], body_html: html, body_text: 'A\nx <b> & b' },
    };
    for (const [param, expected] of Object.entries(forms)) {
      const headers = { accept: `application/vnd.github.${param}+json` };
      const one = (await bob.call(`${at(shared)}/${json['id']}`, { headers })).json;
      const list = (await bob.call(at(shared), { headers })).json as unknown as Json[];
      for (const shown of [one, list.at(-1)!]) {
        const { body, body_html, body_text } = shown;
        assert.deepEqual(JSON.parse(JSON.stringify({ body, body_html, body_text })), expected);
      }
    }
    await bob.delete(`${at(shared)}/${json['id']}`);
  });

  test('comments come in pages, the oldest first', async () => {
    for (let index = 1; index <= 5; index += 1) await bob.post(at(secret), { body: `${index}` });
    const page = async (query: string) => {
      const { json, headers } = await server.call(`${at(secret)}?${query}`, { token: null });
      return { bodies: (json as unknown as Json[]).map(({ body }) => body), link: headers.get('link') ?? '' };
    };
    const first = await page('per_page=2');
    assert.deepEqual(first.bodies, ['1', '2']);
    assert.match(first.link, /page=2>; rel="next".*page=3>; rel="last"/);
    assert.deepEqual((await page('per_page=2&page=3')).bodies, ['5']);
    assert.deepEqual((await page('per_page=2&page=4')).bodies, []);
    const since = new Date(0).toISOString();
    assert.deepEqual((await page(`per_page=100&since=${since}`)).bodies.length, 5);
  });

  test('comments written at the same time are all counted, and go with their gist', async () => {
    const { json } = await ada.post('/gists', { files: { a: { content: 'a' } } });
    const gist = json['id'] as string;
    const written = await Promise.all(
      Array.from({ length: 10 }, (_, index) => bob.post(at(gist), { body: `${index}` })),
    );
    assert.equal(await countOf(gist), 10);
    await Promise.all(written.slice(0, 4).map((one) => bob.delete(`${at(gist)}/${one.json['id']}`)));
    assert.equal(await countOf(gist), 6);
    assert.equal((await ada.delete(`/gists/${gist}`)).status, 204);
    assert.equal((await bob.get(at(gist))).status, 404);
    assert.equal((await bob.get(`${at(gist)}/${written[5]!.json['id']}`)).status, 404);
  });
});
