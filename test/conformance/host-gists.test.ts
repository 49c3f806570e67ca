// Gists on a running server: files, revisions, forks, stars and lists, and what is refused.
import assert from 'node:assert/strict';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { onEachEngine } from '../engines.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { startServerOn } from '../suites.ts';
import type { Json, TestServer } from '../server.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob] = await Promise.all([joinHost(server, 'ada'), joinHost(server, 'bob')]);
  });
  after(() => server.stop());

  async function gistOf(person: HostPerson, more: Json = {}): Promise<Json> {
    const body = { description: 'A gist', public: true, files: { 'a.txt': { content: 'one\n' } }, ...more };
    const { status, json, text } = await person.post('/gists', body);
    assert.equal(status, 201, text);
    return json;
  }

  test('a gist is created with its files, and read by everybody', async () => {
    const files = {
      'main.py': { content: 'print(1)\n' },
      '': { content: 'x' },
      __proto__x: { content: 'y' },
    };
    const gist = await gistOf(ada, { files });
    assert.match(String(gist['id']), /^[0-9a-f]{32}$/);
    const shown = gist['files'] as Record<string, Json>;
    assert.deepEqual(Object.keys(shown).toSorted(), ['__proto__x', 'gistfile2.txt', 'main.py'].toSorted());
    const { raw_url: rawUrl, ...main } = shown['main.py']!;
    assert.deepEqual(main, {
      filename: 'main.py',
      type: 'application/x-python',
      language: 'Python',
      size: 9,
      truncated: false,
      content: 'print(1)\n',
      encoding: 'utf-8',
    });
    const raw = await server.call(new URL(String(rawUrl)).pathname, {});
    assert.deepEqual([raw.status, raw.text], [200, 'print(1)\n']);
    assert.match(raw.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.equal((await bob.get(`/gists/${gist['id']}/commits`)).status, 200);
    const anonymous = await server.call(`/gists/${gist['id']}`, {});
    assert.equal(anonymous.status, 200, anonymous.text);
    const tag = anonymous.headers.get('etag')!;
    const again = await server.call(`/gists/${gist['id']}`, { headers: { 'if-none-match': tag } });
    assert.equal(again.status, 304);
  });
});
