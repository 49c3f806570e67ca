// Gists on a running server: files, revisions, forks, stars and lists, and what is refused.
import assert from 'node:assert/strict';
import { beginGistWrite } from '../../../src/host/gists/record-change.ts';
import { writeRevision } from '../../../src/host/gists/write-revision.ts';
import { eventually } from '../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { onEachEngine } from '../../engines.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import { giveToken } from '../../people.ts';
import { startServerOn } from '../../suites.ts';
import type { Answer, Json, TestServer } from '../../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const BETA = 'application/vnd.github.beta+json';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob] = await Promise.all([joinHost(server, 'ada'), joinHost(server, 'bob')]);
  });
  after(() => server.stop());

  const anonymously = (path: string, headers: Record<string, string> = {}) =>
    server.call(path, { token: null, headers });

  async function gistOf(person: HostPerson, more: Json = {}): Promise<Json> {
    const body = { description: 'A gist', public: true, files: { 'a.txt': { content: 'one\n' } }, ...more };
    const { status, json, text } = await person.post('/gists', body);
    assert.equal(status, 201, text);
    return json;
  }

  const numberOf = ({ node_id: id }: Json) =>
    Number(/\d+$/.exec(Buffer.from(String(id), 'base64').toString())![0]);
  const pathOf = ({ id }: Json) => `/gists/${String(id)}`;
  const idsIn = ({ json }: Answer) => (json as unknown as Json[]).map(({ id }) => id);
  const contentsIn = ({ files }: Json) =>
    Object.fromEntries(
      Object.values(files as Record<string, Json>).map((file) => [file['filename'], file['content']]),
    );

  test('a gist is created with its files, and read by everybody', async () => {
    const gist = await gistOf(ada, {
      files: { 'main.py': { content: 'print(1)\n' }, '': { content: 'x' }, 'bin.x': { content: 'a\0b' } },
    });
    assert.match(String(gist['id']), /^[0-9a-f]{32}$/);
    const shown = gist['files'] as Record<string, Json>;
    assert.deepEqual(Object.keys(shown).toSorted(), ['bin.x', 'gistfile2.txt', 'main.py']);
    assert.equal(shown['bin.x']!['encoding'], 'base64');
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
    const raw = await anonymously(new URL(String(rawUrl)).pathname);
    assert.deepEqual([raw.status, raw.text], [200, 'print(1)\n']);
    assert.match(raw.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.match(raw.headers.get('content-type') ?? '', /^text\/plain/);
    const read = await anonymously(pathOf(gist));
    assert.equal(read.status, 200, read.text);
    const tag = read.headers.get('etag')!;
    assert.equal((await anonymously(pathOf(gist), { 'if-none-match': tag })).status, 304);
    const encoded = await anonymously(pathOf(gist), { accept: 'application/vnd.github.base64+json' });
    assert.equal(
      (encoded.json['files'] as Record<string, Json>)['main.py']!['content'],
      Buffer.from('print(1)\n').toString('base64'),
    );
  });

  test('files are added, changed, renamed and removed, each change as one revision', async () => {
    const gist = await gistOf(ada, {
      files: {
        'a.txt': { content: 'one\n' },
        'b.txt': { content: 'two\n' },
        'c.txt': { content: 'three\n' },
      },
    });
    const changed = await ada.patch(pathOf(gist), {
      description: 'Another',
      files: {
        'a.txt': { content: 'one\nmore\n' },
        'b.txt': { filename: 'renamed.md' },
        'c.txt': null,
        'new.txt': { content: 'new\n' },
      },
    });
    assert.equal(changed.status, 200, changed.text);
    const expected = { 'a.txt': 'one\nmore\n', 'renamed.md': 'two\n', 'new.txt': 'new\n' };
    assert.deepEqual(contentsIn(changed.json), expected);
    assert.equal(changed.json['description'], 'Another');
    const commits = (await anonymously(`${pathOf(gist)}/commits`)).json as unknown as Json[];
    assert.equal(commits.length, 2);
    assert.deepEqual(
      commits.map(({ change_status: counts }) => counts),
      [
        { total: 5, additions: 3, deletions: 2 },
        { total: 3, additions: 3, deletions: 0 },
      ],
    );
    assert.equal((commits[0]!['user'] as Json)['login'], 'ada');
    const old = await anonymously(`${pathOf(gist)}/${String(commits[1]!['version'])}`);
    assert.equal(old.status, 200, old.text);
    assert.deepEqual(contentsIn(old.json), { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' });
    assert.equal((old.json['history'] as Json[]).length, 1);
    const paged = await anonymously(`${pathOf(gist)}/commits?per_page=1&page=2`);
    assert.deepEqual(paged.json, [commits[1]]);
    assert.match(paged.headers.get('link') ?? '', /rel="prev"/);
    const same = await ada.patch(pathOf(gist), { files: { 'new.txt': { content: 'new\n' } } });
    assert.equal((same.json['history'] as Json[]).length, 2);
    assert.equal((await ada.patch(pathOf(gist), { files: { 'new.txt': {} } })).status, 200);
    assert.equal((await anonymously(`${pathOf(gist)}/${'0'.repeat(40)}`)).status, 404);
    assert.equal((await anonymously(`${pathOf(gist)}/nonsense`)).status, 404);
  });

  test('POST changes a gist as PATCH does, in both versions', async () => {
    const gist = await gistOf(ada, {
      files: { 'a.txt': { content: 'one\n' }, 'b.txt': { content: 'two\n' } },
    });
    for (const [round, version] of [OLD, NEW].entries()) {
      const headers = { 'x-host-api-version': version };
      const body = { description: version, files: { 'a.txt': { filename: 'a.txt', content: version } } };
      const changed = await ada.call(pathOf(gist), { method: 'POST', body, headers });
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual(contentsIn(changed.json), { 'a.txt': version, 'b.txt': 'two\n' });
      assert.deepEqual((await ada.call(pathOf(gist), { headers })).json, changed.json);
      assert.equal('history' in changed.json, version === OLD);
      const { json: commits } = await ada.get(`${pathOf(gist)}/commits`);
      assert.equal((commits as unknown as Json[]).length, round + 2);
    }
    for (const body of [{}, { files: [] }, { files: { 'a/b': { content: 'x' } } }, { description: 1 }])
      assert.equal((await ada.post(pathOf(gist), body)).status, 422, JSON.stringify(body));
    assert.equal((await ada.post(pathOf(gist), '{')).status, 400);
    for (const id of ['none', 'f'.repeat(32), 'public', 'starred'])
      assert.equal((await ada.post(`/gists/${id}`, { description: 'x' })).status, 404, id);
  });

  test('what cannot be the files of a gist is refused, and changes nothing', async () => {
    const gist = await gistOf(ada);
    const content = 'x';
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, at) => [`${at}.txt`, { content }]));
    const bad: unknown[] = [
      {},
      { files: {} },
      { files: [] },
      { files: { 'a.txt': 'text' } },
      { files: { 'a.txt': { content: 1 } } },
      { files: { 'a.txt': { content: '' } } },
      { files: { 'b/c.txt': { content } } },
      { files: { '..': { content } } },
      { files: { '.git': { content } } },
      { files: { 'a\nb': { content } } },
      { files: { 'a\0b': { content } } },
      { files: { ['x'.repeat(256)]: { content } } },
      { files: many },
      { files: { 'a.txt': { content } }, description: 'x'.repeat(1001) },
      { files: { 'a.txt': { content } }, description: 'a\0b' },
      { files: { 'a.txt': { content } }, public: 'perhaps' },
    ];
    for (const body of bad) {
      const { status, text } = await ada.post('/gists', body);
      assert.equal(status, 422, `${JSON.stringify(body).slice(0, 100)}: ${text}`);
    }
    const badPatches: unknown[] = [
      {},
      { files: { 'a.txt': null } },
      { files: { 'absent.txt': null } },
      { files: { 'absent.txt': { filename: 'b.txt' } } },
      { files: { 'a.txt': { filename: 'b/c' } } },
      { files: { 'a.txt': { filename: 'b.txt' }, 'b.txt': { content } } },
    ];
    for (const body of badPatches) {
      const { status, text } = await ada.patch(pathOf(gist), body);
      assert.equal(status, 422, `${JSON.stringify(body)}: ${text}`);
    }
    const { text } = await ada.post('/gists', { files: { 'b/c.txt': { content } } });
    assert.match(text, /"files are wrong: \\"b\/c\.txt\\" must not be in a folder"/);
    const read = await anonymously(pathOf(gist));
    assert.equal((read.json['history'] as Json[]).length, 1);
    assert.deepEqual(contentsIn(read.json), { 'a.txt': 'one\n' });
  });

  test('names that mean something to programs are names of files', async () => {
    const names = ['__proto__', 'constructor', 'a.__proto__', 'b.constructor', '-n', 'a"b;c%2e'];
    const files = Object.fromEntries(names.map((name) => [name, { content: name }]));
    const { status, json, text } = await ada.post('/gists', { files });
    assert.equal(status, 201, text);
    const shown = Object.entries(json['files'] as Record<string, Json>);
    assert.deepEqual(shown.map(([name]) => name).toSorted(), names.toSorted());
    for (const [name, file] of shown) {
      assert.deepEqual([file['filename'], file['type'], file['language']], [name, 'text/plain', undefined]);
      const raw = await anonymously(new URL(String(file['raw_url'])).pathname);
      assert.deepEqual([raw.status, raw.text], [200, name]);
      assert.equal(raw.headers.get('content-type'), 'text/plain; charset=utf-8');
    }
  });

  test('a file without a name gets one that no other file has', async () => {
    const files = { '': { content: 'new' }, 'gistfile1.txt': { content: 'old' } };
    const gist = await gistOf(ada, { files });
    assert.deepEqual(contentsIn(gist), { 'gistfile1.txt': 'old', 'gistfile2.txt': 'new' });
    const { json } = await ada.patch(pathOf(gist), { files: { '': { content: 'newer' } } });
    assert.deepEqual(Object.values(contentsIn(json)).map(String).toSorted(), ['new', 'newer', 'old']);
  });

  test('a rename to a file that stays is refused, and two files can swap their names', async () => {
    const gist = await gistOf(ada, { files: { a: { content: '1' }, b: { content: '2' } } });
    assert.equal((await ada.patch(pathOf(gist), { files: { a: { filename: 'b' } } })).status, 422);
    const swapped = await ada.patch(pathOf(gist), { files: { a: { filename: 'b' }, b: { filename: 'a' } } });
    assert.deepEqual(contentsIn(swapped.json), { a: '2', b: '1' });
  });

  test('eight clients that change one gist at once lose nothing', async () => {
    const gist = await gistOf(ada);
    const names = Array.from({ length: 8 }, (_, at) => `client-${at}.txt`);
    const answers = await Promise.all(
      names.map((name) => ada.patch(pathOf(gist), { files: { [name]: { content: `${name}\n` } } })),
    );
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const { json } = await anonymously(pathOf(gist));
    assert.deepEqual(Object.keys(contentsIn(json)).toSorted(), ['a.txt', ...names]);
    assert.equal((json['history'] as Json[]).length, 9);
  });

  test('a large file is cut in JSON, and whole at its address', async () => {
    const content = 'é'.repeat(700_000);
    const gist = await gistOf(ada, { files: { 'large.txt': { content }, 'small.txt': { content: 's' } } });
    const { json } = await anonymously(pathOf(gist));
    const files = json['files'] as Record<string, Json>;
    const large = files['large.txt']!;
    assert.deepEqual([large['truncated'], large['size']], [true, 1_400_000]);
    assert.equal((large['content'] as string).length, 1024 ** 2 / 2);
    assert.equal(files['small.txt']!['content'], 's');
    const raw = await anonymously(new URL(String(large['raw_url'])).pathname);
    assert.equal(raw.text, content);
  });

  test('a secret gist is open to those who know its id, and in no list of others', async () => {
    const secret = await gistOf(bob, { public: false, description: 'whisper' });
    for (const path of [pathOf(secret), `${pathOf(secret)}/commits`, `${pathOf(secret)}/forks`])
      assert.equal((await anonymously(path)).status, 200);
    const { headers } = await anonymously(pathOf(secret));
    assert.equal(headers.get('cache-control'), 'private, max-age=60', 'no shared cache keeps it');
    assert.ok(idsIn(await bob.get('/gists')).includes(secret['id']));
    for (const path of ['/gists', '/gists/public', '/users/bob/gists']) {
      assert.ok(!idsIn(await anonymously(path)).includes(secret['id']), path);
      assert.ok(!idsIn(await ada.get(path)).includes(secret['id']), path);
    }
    const { json } = await bob.get('/user');
    assert.deepEqual([json['public_gists'], json['private_gists']], [0, 1]);
    assert.equal((await ada.get('/users/bob')).json['public_gists'], 0);
    const fork = await ada.post(`${pathOf(secret)}/forks`);
    assert.equal(fork.status, 201, fork.text);
    assert.equal(fork.json['public'], false);
    assert.deepEqual(idsIn(await bob.get(`${pathOf(secret)}/forks`)), []);
    assert.deepEqual((await bob.get(pathOf(secret))).json['forks'], []);
    assert.deepEqual(idsIn(await ada.get(`${pathOf(secret)}/forks`)), [fork.json['id']]);
    assert.equal(((await ada.get(pathOf(fork.json))).json['fork_of'] as Json)['id'], secret['id']);
    assert.equal((await anonymously(pathOf(fork.json))).json['fork_of'], undefined);
  });

  test('the audit log has nothing by which a secret gist could be found, and for readers nothing of gists', async () => {
    const files = { 'salaries.csv': { content: 'a\n' } };
    const secret = await gistOf(ada, { public: false, description: 'Do not tell', files });
    await ada.patch(pathOf(secret), { description: 'Still not' });
    const fork = (await bob.post(`${pathOf(secret)}/forks`)).json;
    const comment = await bob.post(`${pathOf(secret)}/comments`, { body: 'Mine' });
    await bob.put(`${pathOf(secret)}/star`);
    await ada.delete(`${pathOf(secret)}/comments/${String(comment.json['id'])}`);
    await ada.delete(pathOf(secret));
    const shared = await gistOf(ada);
    const reader = await joinHost(server, 'gist-reader', { role: 'reader' });
    const forReader = await reader.get('/api/v2/auditlog?limit=6');
    assert.ok(!forReader.text.includes('gist'), forReader.text);
    const { json } = await server.call('/api/v2/auditlog?limit=6');
    const entries = json['items'] as Json[];
    const name = `secret-${numberOf(secret)}`;
    assert.deepEqual(
      entries.map(({ titleVerb, name: of }) => `${titleVerb} ${of}`),
      [
        `created the gist ${shared['id']}`,
        `deleted the gist ${name}`,
        `deleted a comment of somebody else on the gist ${name}`,
        `created the gist secret-${numberOf(fork)}`,
        `updated the gist ${name}`,
        `created the gist ${name}`,
      ],
    );
    const details = await Promise.all(entries.map(({ _id: id }) => server.call(`/api/v2/auditlog/${id}`)));
    for (const text of [JSON.stringify(json), ...details.map((one) => one.text)])
      for (const hidden of [secret['id'], fork['id'], 'tell', 'not"', 'salaries'])
        assert.ok(!text.includes(String(hidden)), `${hidden} in ${text}`);
  });

  test('lists have the last changed first, pages and a beginning', async () => {
    const person = await joinHost(server, 'lister');
    const first = await gistOf(person);
    const second = await gistOf(person);
    const third = await gistOf(person);
    await person.patch(pathOf(first), { description: 'changed' });
    const order = [first, third, second].map(({ id }) => id);
    assert.deepEqual(idsIn(await person.get('/gists')), order);
    assert.deepEqual(idsIn(await anonymously('/users/LISTER/gists')), order);
    const page = await person.get('/gists?per_page=2');
    assert.deepEqual(idsIn(page), order.slice(0, 2));
    assert.match(page.headers.get('link') ?? '', /page=2.*rel="next"/);
    assert.deepEqual(idsIn(await person.get('/gists?per_page=2&page=2')), order.slice(2));
    assert.deepEqual(idsIn(await person.get('/gists?since=2100-01-01T00:00:00Z')), []);
    assert.deepEqual(idsIn(await person.get('/gists?since=2000-01-01T00:00:00Z')), order);
    for (const wrong of ['yesterday', '2016-12-31T23:59:60Z', '2026-02-30T00:00:00Z'])
      assert.equal((await person.get(`/gists?since=${wrong}`)).status, 422, wrong);
    assert.deepEqual(idsIn(await person.get('/gists?since=0000-01-01T00:00:00Z')), order);
    // A time as replies show it finds the gist again.
    const [{ updated_at: changedAt }] = page.json as unknown as [Json];
    assert.equal(idsIn(await person.get(`/gists?since=${String(changedAt)}`))[0], first['id']);
    const lists = [
      '/gists',
      '/gists/public',
      '/gists/starred',
      '/users/lister/gists',
      `${pathOf(first)}/forks`,
    ];
    for (const path of lists) {
      assert.equal((await person.get(`${path}?page=30&per_page=100`)).status, 200, path);
      assert.equal((await person.get(`${path}?page=31&per_page=100`)).status, 422, path);
    }
    assert.equal((await anonymously('/gists?page=31&per_page=100')).status, 422);
    assert.equal((await anonymously('/users/nobody/gists')).status, 404);
    assert.ok(idsIn(await anonymously('/gists/public?per_page=3')).includes(first['id']));
  });

  test('the last page of a list that is shown leads to no other', async () => {
    const { db } = server.app.kernel;
    const { member, get } = await joinHost(server, 'hoarder');
    const counts = { comment_count: 0, star_count: 0, fork_count: 0, revision_count: 1 };
    const times = { created_at: 1, updated_at: 1, deleted_at: null };
    const fixed = { ...counts, ...times, description: null, is_public: 0, parent_number: null };
    for (let start = 0; start < 3100; start += 620) {
      const rows = Array.from({ length: 620 }, (_, at) => ({
        ...fixed,
        id: `${start + at}`.padStart(32, '0'),
        owner_id: member.id,
        files: '[]',
        head: '0'.repeat(40),
      }));
      await db.insertInto('gists').values(rows).execute();
    }
    for (const [query, hasNext] of [
      ['page=29&per_page=100', true],
      ['page=30&per_page=100', false],
      ['page=41&per_page=70', true],
      ['page=42&per_page=70', false],
    ] as const) {
      const { headers, json } = await get(`/gists?${query}`);
      assert.equal(json['length'], Number(query.split('=').at(-1)));
      assert.equal(/rel="next"/.test(headers.get('link') ?? ''), hasNext, query);
    }
  });

  test('a gist is forked once by each, and a fork can be forked', async () => {
    const gist = await gistOf(ada);
    assert.equal((await ada.post(`${pathOf(gist)}/forks`)).status, 422);
    const fork = await bob.post(`${pathOf(gist)}/forks`);
    assert.equal(fork.status, 201, fork.text);
    assert.equal(fork.headers.get('location'), fork.json['url']);
    assert.equal((await bob.post(`${pathOf(gist)}/forks`)).json['id'], fork.json['id']);
    await bob.patch(pathOf(fork.json), { files: { 'a.txt': { content: 'changed\n' } } });
    assert.deepEqual(contentsIn((await ada.get(pathOf(gist))).json), { 'a.txt': 'one\n' });
    const { json } = await ada.get(pathOf(fork.json));
    assert.equal((json['fork_of'] as Json)['id'], gist['id']);
    assert.deepEqual(
      (json['history'] as Json[]).map(({ user }) => (user as Json)['login']),
      ['bob', 'ada'],
    );
    const whole = (await ada.get(pathOf(gist))).json;
    assert.deepEqual(
      (whole['forks'] as Json[]).map(({ id, user }) => [id, (user as Json)['login']]),
      [[fork.json['id'], 'bob']],
    );
    const forks = await ada.get(`${pathOf(gist)}/forks`);
    assert.deepEqual(idsIn(forks), [fork.json['id']]);
    assert.equal((await ada.post(`${pathOf(fork.json)}/forks`)).status, 201);
    assert.equal((await bob.delete(pathOf(fork.json))).status, 204);
    assert.deepEqual(idsIn(await ada.get(`${pathOf(gist)}/forks`)), []);
  });

  test('eight clients that fork one gist at once get one fork', async () => {
    const gist = await gistOf(ada);
    const answers = await Promise.all(Array.from({ length: 8 }, () => bob.post(`${pathOf(gist)}/forks`)));
    for (const { status, text } of answers) assert.equal(status, 201, text);
    assert.equal(new Set(answers.map(({ json }) => json['id'])).size, 1);
    const forks = await ada.get(`${pathOf(gist)}/forks`);
    assert.deepEqual(idsIn(forks), [answers[0]!.json['id']]);
    const { json } = await ada.get(pathOf(gist));
    assert.deepEqual(
      (json['forks'] as Json[]).map(({ id }) => id),
      [answers[0]!.json['id']],
    );
    // What was begun for the others is removed.
    const { db } = server.app.kernel;
    const begun = db.selectFrom('gists').select('id').where('parent_number', '=', numberOf(gist));
    await eventually(async () => (await begun.execute()).length === 1);
  });

  test('a star is given once, listed and taken back', async () => {
    const gist = await gistOf(ada);
    const star = `${pathOf(gist)}/star`;
    assert.equal((await bob.get(star)).status, 404);
    for (let time = 0; time < 2; time += 1) assert.equal((await bob.put(star)).status, 204);
    assert.equal((await bob.get(star)).status, 204);
    assert.deepEqual(idsIn(await bob.get('/gists/starred')), [gist['id']]);
    assert.deepEqual(idsIn(await ada.get('/gists/starred')), []);
    for (let time = 0; time < 2; time += 1) assert.equal((await bob.delete(star)).status, 204);
    assert.deepEqual(idsIn(await bob.get('/gists/starred')), []);
    for (const method of ['GET', 'PUT', 'DELETE'])
      assert.equal((await server.call(star, { method, token: null })).status, 401);
    assert.equal((await anonymously('/gists/starred')).status, 401);
  });

  test('only the owner changes and deletes a gist, with a token that may', async () => {
    const gist = await gistOf(ada);
    const body = { description: 'stolen' };
    for (const method of ['PATCH', 'POST', 'DELETE']) {
      assert.equal((await server.call(pathOf(gist), { method, token: null, body })).status, 401);
      assert.equal((await bob.call(pathOf(gist), { method, body })).status, 404);
    }
    const { value: narrow } = await giveToken(server, ada.member, {
      inlinePolicy: [{ effect: 'allow', actions: ['view*'], resources: ['*'] }],
    });
    const call = (method: string, path: string) => server.call(path, { method, token: narrow, body });
    for (const method of ['PATCH', 'POST', 'DELETE'])
      assert.equal((await call(method, pathOf(gist))).status, 403);
    assert.equal((await call('PUT', `${pathOf(gist)}/star`)).status, 403);
    const files = { files: { a: { content: 'x' } } };
    assert.equal((await server.call('/gists', { method: 'POST', token: narrow, body: files })).status, 403);
    assert.equal((await server.call('/gists', { method: 'POST', token: null, body: files })).status, 401);
    assert.equal((await server.call(`${pathOf(gist)}/forks`, { method: 'POST', token: null })).status, 401);
    const { value: blind } = await giveToken(server, ada.member, {
      inlinePolicy: [{ effect: 'allow', actions: ['updateGist'], resources: ['gist/ada/*'] }],
    });
    assert.equal((await server.call('/gists', { token: blind })).status, 403);
    assert.equal(
      (await server.call(pathOf(gist), { method: 'PATCH', token: blind, body: { description: 'mine' } }))
        .status,
      200,
    );
    assert.equal((await ada.get(pathOf(gist))).json['description'], 'mine');
    assert.equal((await ada.call(pathOf(gist), { method: 'PUT', body })).status, 404);
    assert.equal((await ada.delete(pathOf(gist))).status, 204);
    for (const path of [pathOf(gist), `${pathOf(gist)}/commits`, `${pathOf(gist)}/star`])
      assert.equal((await ada.get(path)).status, 404);
    for (const path of ['/gists/none', `/gists/${'f'.repeat(32)}`, `/gists/${'f'.repeat(32)}/forks`])
      assert.equal((await ada.get(path)).status, 404);
  });

  test('the folder of a deleted gist goes, and an ended account leaves its gists to another', async () => {
    const gist = await gistOf(ada);
    const { gistGit } = server.app.kernel.services;
    const number = numberOf(gist);
    assert.equal(await gistGit.exists(number), true);
    await ada.delete(pathOf(gist));
    await eventually(async () => !(await gistGit.exists(number)));
    const { value: token, id } = await giveToken(server, ada.member, {
      isService: true,
      name: 'Robot',
      role: 'writer',
    });
    const files = { a: { content: 'x' } };
    const { json } = await server.call('/gists', { method: 'POST', token, body: { files } });
    assert.equal((json['owner'] as Json)['type'], 'Bot');
    assert.equal((await server.call(`/api/v2/tokens/${id}`, { method: 'DELETE' })).status, 204);
    const { json: left } = await anonymously(pathOf(json));
    assert.equal((left['owner'] as Json)['type'], 'User');
  });

  test('the gists of a removed member are gone at once, and removed with their folders', async () => {
    const { gistGit } = server.app.kernel.services;
    const gist = await gistOf(ada);
    const eve = await joinHost(server, 'eve');
    const own = [await gistOf(eve), await gistOf(eve, { public: false })];
    const fork = await eve.post(`${pathOf(gist)}/forks`);
    const forkOfOwn = await bob.post(`${pathOf(own[0]!)}/forks`);
    own.push(fork.json);
    await anonymously(pathOf(own[0]!));
    const removed = await server.call(`/api/v2/members/${eve.member.id}`, { method: 'DELETE' });
    assert.equal(removed.status, 204, removed.text);
    for (const one of own) assert.equal((await anonymously(pathOf(one))).status, 404);
    const { db } = server.app.kernel;
    const left = db.selectFrom('gists').select('id').where('owner_id', '=', eve.member.id);
    await eventually(async () => (await left.execute()).length === 0);
    for (const one of own) assert.equal(await gistGit.exists(numberOf(one)), false);
    assert.deepEqual((await ada.get(pathOf(gist))).json['forks'], []);
    assert.equal((await anonymously(pathOf(gist))).status, 200);
    // The fork of another stays.
    const { json, status } = await anonymously(pathOf(forkOfOwn.json));
    assert.deepEqual([status, json['fork_of']], [200, undefined]);
    assert.deepEqual(contentsIn(json), { 'a.txt': 'one\n' });
  });

  test('what a server has written to git before it died is recorded by due work', async () => {
    const gist = await gistOf(ada);
    const { kernel } = server.app;
    const number = numberOf(gist);
    const caller = { kind: 'session' as const, member: ada.member, grants: [] };
    const files = { 'a.txt': { content: 'two\n' } };
    await writeRevision(
      kernel.services.gistGit.repository(number),
      { caller, now: kernel.clock.now() },
      files,
    );
    // Begun only now, so that the due work does not look before git has the revision.
    const write = await beginGistWrite(kernel, number, caller, kernel.clock.now() - 60_000);
    assert.match(write, /^host\.record-gist:/);
    await eventually(async () => ((await ada.get(pathOf(gist))).json['history'] as Json[]).length === 2);
    const { json } = await ada.get(pathOf(gist));
    assert.deepEqual(contentsIn(json), { 'a.txt': 'two\n' });
    assert.equal(((json['history'] as Json[])[0]!['user'] as Json)['login'], 'ada');
  });

  test('H19 revisions and forks are in the gists of 2022-11-28 on all ten endpoints, and not in those of 2026-03-10', async () => {
    const gist = await gistOf(ada);
    const other = await gistOf(bob);
    const fork = await bob.post(`${pathOf(gist)}/forks`);
    await ada.put(`${pathOf(gist)}/star`);
    const [{ version: sha }] = (await ada.get(`${pathOf(gist)}/commits`)).json as unknown as [Json];
    const files = { a: { content: 'x' } };
    const calls: [string, string, Json?][] = [
      ['GET', '/gists'],
      ['GET', '/gists/public'],
      ['GET', '/gists/starred'],
      ['GET', pathOf(gist)],
      ['GET', `${pathOf(gist)}/forks`],
      ['GET', `${pathOf(gist)}/${String(sha)}`],
      ['GET', '/users/ada/gists'],
      ['PATCH', pathOf(gist), { description: 'x' }],
      ['POST', '/gists', { files }],
      ['POST', `${pathOf(other)}/forks`],
      ['GET', pathOf(fork.json)],
    ];
    for (const [method, path, body] of calls) {
      for (const version of [OLD, NEW]) {
        const headers = { 'x-github-api-version': version };
        const answer = await ada.call(path, { method, headers, ...(body && { body }) });
        assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
        const gists = (Array.isArray(answer.json) ? answer.json : [answer.json]) as Json[];
        assert.ok(gists.length > 0, path);
        for (const one of gists) {
          const has = (name: string) => Array.isArray(one[name]);
          assert.deepEqual(
            [has('history'), has('forks')],
            Array(2).fill(version === OLD),
            `${method} ${path}`,
          );
          assert.equal('user' in one, version === OLD);
          if (version === OLD) assert.ok((one['history'] as Json[]).length > 0);
        }
        if (version === NEW) assert.doesNotMatch(answer.text, /"(?:history|forks)":/);
        assert.equal(answer.headers.has('deprecation'), version === OLD);
      }
    }
  });

  test('H17 the user of a gist is its owner with the beta media type, null without, and absent in 2026-03-10', async () => {
    const gist = await gistOf(ada);
    for (const path of [pathOf(gist), '/gists', '/gists/public', '/users/ada/gists']) {
      const user = async (version: string, accept: string) => {
        const { json } = await ada.call(path, { headers: { 'x-github-api-version': version, accept } });
        const [one] = (Array.isArray(json) ? json : [json]) as [Json];
        return [one['user'], (one['owner'] as Json)['login']];
      };
      const [owner] = await user(OLD, BETA);
      assert.equal((owner as Json)['type'], 'User', path);
      assert.deepEqual((await user(OLD, 'application/json'))[0], null);
      assert.deepEqual((await user(NEW, BETA))[0], undefined);
    }
  });
});
