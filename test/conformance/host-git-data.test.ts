// Objects and references of git on a running server: blobs, trees, commits, references and annotated tags.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe } from 'node:test';
import { promisify } from 'node:util';
import { onEachEngine } from '../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { joinHost } from '../host-people.ts';
import { startServer, type Answer, type Json, type TestServer } from '../server.ts';

const run = promisify(execFile);
const NO_OBJECT = '1234567890123456789012345678901234567890';

let server: TestServer;
/** Tokens of the owner and of another writer. */
let ada: string;
let bob: string;
before(async () => {
  server = await startServer();
  ({ token: ada } = await joinHost(server, 'ada'));
  ({ token: bob } = await joinHost(server, 'bob'));
});
after(() => server.stop());

const send = (method: string, path: string, body?: unknown, token: string | null = ada) =>
  server.call(path, { method, token, ...(body !== undefined && { body }) });

async function expect(status: number, answer: Promise<Answer>): Promise<Json> {
  const got = await answer;
  assert.equal(got.status, status, got.text);
  return got.text === '' ? {} : got.json;
}

interface Repository {
  path: string;
  /** The commit of `main`, if the repository has one. */
  head: string;
  folder: string;
}

async function create(name: string, fields: Json = { auto_init: true }): Promise<Repository> {
  const { id } = await expect(201, send('POST', '/user/repos', { name, ...fields }));
  const git = server.app.kernel.services.git.repository(id as number);
  const head = (await git.readRef('refs/heads/main')) ?? '';
  return { path: `/repos/ada/${name}`, head, folder: git.folder };
}

async function commit({ path, head }: Repository, message: string, parents = [head]): Promise<string> {
  const { tree } = await expect(200, send('GET', `${path}/git/commits/${head}`));
  const made = await expect(
    201,
    send('POST', `${path}/git/commits`, { message, tree: tree.sha as string, parents }),
  );
  return String(made['sha']);
}

describe('blobs', () => {
  test('content is stored as given, and returned in lines of base64', async () => {
    const { path } = await create('blobs');
    const post = (body: Json) => send('POST', `${path}/git/blobs`, body);
    const text = 'Grüße\n'.repeat(20);
    const { sha, url } = await expect(201, post({ content: text }));
    assert.equal(url, `${server.url}${path}/git/blobs/${sha}`);
    assert.equal((await expect(201, post({ content: text, encoding: 'utf-8' })))['sha'], sha);
    const encoded = Buffer.from(text).toString('base64');
    assert.equal((await expect(201, post({ content: encoded, encoding: 'base64' })))['sha'], sha);
    const blob = await expect(200, send('GET', `${path}/git/blobs/${sha}`));
    assert.deepEqual([blob['size'], blob['encoding']], [Buffer.byteLength(text), 'base64']);
    assert.ok((blob['content'] as string).split('\n').every((line) => line.length <= 60));
    assert.ok((blob['content'] as string).endsWith('\n'));
    assert.equal(Buffer.from(blob['content'] as string, 'base64').toString(), text);
    const { sha: empty } = await expect(201, post({ content: '' }));
    assert.equal((await expect(200, send('GET', `${path}/git/blobs/${empty}`)))['content'], '');
    for (const body of [{ content: '?', encoding: 'base64' }, { content: 'abc', encoding: 'base64' }, {}])
      await expect(422, post(body));
    await expect(422, post({ content: 'x', encoding: 'latin1' }));
  });

  test('the raw form has the bytes, which no browser runs', async () => {
    const { path } = await create('raw');
    const content = '<script>alert(1)</script>';
    const { sha } = await expect(201, send('POST', `${path}/git/blobs`, { content }));
    const raw = await server.call(`${path}/git/blobs/${sha}`, {
      token: ada,
      headers: { accept: 'application/vnd.github.raw+json' },
    });
    assert.equal(raw.text, content);
    assert.equal(raw.headers.get('x-content-type-options'), 'nosniff');
    assert.match(raw.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.match(raw.headers.get('content-type') ?? '', /raw/);
  });

  test('a blob of some megabytes is streamed in both forms', async () => {
    const { path } = await create('large');
    const bytes = Buffer.alloc(3 * 1024 ** 2 + 7, 'abcdefghij');
    const content = bytes.toString('base64');
    const { sha } = await expect(201, send('POST', `${path}/git/blobs`, { content, encoding: 'base64' }));
    const blob = await expect(200, send('GET', `${path}/git/blobs/${sha}`));
    assert.equal(blob['size'], bytes.length);
    assert.ok(Buffer.from(blob['content'] as string, 'base64').equals(bytes));
    assert.ok((blob['content'] as string).split('\n').every((line) => line.length <= 60));
    const accept = 'application/vnd.github.v3.raw';
    const raw = await server.call(`${path}/git/blobs/${sha}`, { token: ada, headers: { accept } });
    assert.ok(Buffer.from(raw.text).equals(bytes));
  });
});

describe('trees', () => {
  test('paths create folders, and other entries of the base stay', async () => {
    const { path, head } = await create('trees');
    const post = (body: Json) => send('POST', `${path}/git/trees`, body);
    const { sha: blob } = await expect(201, send('POST', `${path}/git/blobs`, { content: 'one' }));
    const made = await expect(
      201,
      post({
        base_tree: head,
        tree: [
          { path: 'src/a/one.txt', mode: '100644', type: 'blob', sha: blob },
          { path: 'src/run.sh', mode: '100755', type: 'blob', content: '#!/bin/sh\n' },
          { path: 'link', mode: '120000', type: 'blob', content: 'src' },
          { path: 'module', mode: '160000', type: 'commit', sha: NO_OBJECT },
        ],
      }),
    );
    assert.deepEqual(
      made['tree'].map((entry: Json) => [entry['path'], entry['mode'], entry['type'], entry['size']]),
      [
        ['README.md', '100644', 'blob', 8],
        ['link', '120000', 'blob', 3],
        ['module', '160000', 'commit', undefined],
        ['src', '040000', 'tree', undefined],
      ],
    );
    const all = await expect(200, send('GET', `${path}/git/trees/${made['sha']}?recursive=0`));
    assert.deepEqual(
      all['tree'].map((entry: Json) => entry['path']),
      ['README.md', 'link', 'module', 'src', 'src/a', 'src/a/one.txt', 'src/run.sh'],
    );
    assert.equal(all['truncated'], false);
    const flat = await expect(200, send('GET', `${path}/git/trees/${made['sha']}`));
    assert.deepEqual(flat['tree'], made['tree']);
    const less = await expect(
      201,
      post({ base_tree: made['sha'], tree: [{ path: 'src/a/one.txt', mode: '100644', sha: null }] }),
    );
    const left = await expect(200, send('GET', `${path}/git/trees/${less['sha']}?recursive=1`));
    assert.deepEqual(
      left['tree'].map((entry: Json) => entry['path']),
      ['README.md', 'link', 'module', 'src', 'src/run.sh'],
    );
    const replaced = await expect(
      201,
      post({
        base_tree: made['sha'],
        tree: [
          { path: 'README.md', mode: '100644', sha: null },
          { path: 'README.md/now-a-folder', mode: '100644', content: 'x' },
          { path: 'src', mode: '100644', content: 'now a file' },
        ],
      }),
    );
    assert.deepEqual(
      replaced['tree'].map((entry: Json) => [entry['path'], entry['type']]),
      [
        ['README.md', 'tree'],
        ['link', 'blob'],
        ['module', 'commit'],
        ['src', 'blob'],
      ],
    );
  });

  test('a tree is found by its id, a commit, a branch and a tag', async () => {
    const repository = await create('tree-names');
    const { path, head } = repository;
    await expect(201, send('POST', `${path}/git/refs`, { ref: 'refs/tags/v1', sha: head }));
    const { sha } = await expect(200, send('GET', `${path}/git/trees/main`));
    for (const name of [sha, head, 'v1', 'refs%2Fheads%2Fmain', 'HEAD'])
      assert.equal((await expect(200, send('GET', `${path}/git/trees/${name}`)))['sha'], sha);
    for (const name of [NO_OBJECT, 'none', 'main~0', '--all', 'main@%7B0%7D'])
      await expect(404, send('GET', `${path}/git/trees/${name}`));
  });

  test('what cannot be a tree is refused', async () => {
    const { path, head } = await create('bad-trees');
    const post = (body: Json) => send('POST', `${path}/git/trees`, body);
    const { sha } = await expect(201, send('POST', `${path}/git/blobs`, { content: 'x' }));
    const file = { mode: '100644', type: 'blob', sha };
    const bad: Json[] = [
      {},
      { tree: [] },
      { tree: [{ ...file }] },
      ...['', '/a', 'a/', 'a//b', '../a', 'a/./b', '.git/config', 'a/.GIT/x', 'a\0b', 'x'.repeat(5000)].map(
        (name) => ({ tree: [{ ...file, path: name }] }),
      ),
      { tree: [{ ...file, path: 'a', mode: '100666' }] },
      { tree: [{ ...file, path: 'a', mode: '040000' }] },
      { tree: [{ ...file, path: 'a', sha: NO_OBJECT }] },
      { tree: [{ ...file, path: 'a', sha: head }] },
      { tree: [{ ...file, path: 'a', sha: 'main' }] },
      { tree: [{ ...file, path: 'a', content: 'both' }] },
      { tree: [{ path: 'a', mode: '100644' }] },
      { tree: [{ path: 'a', mode: '040000', content: 'x' }] },
      { tree: [{ ...file, path: 'a', sha: null }] },
      { base_tree: head, tree: [{ ...file, path: 'none', sha: null }] },
      {
        tree: [
          { ...file, path: 'a' },
          { ...file, path: 'a' },
        ],
      },
      {
        tree: [
          { ...file, path: 'a' },
          { ...file, path: 'a/b' },
        ],
      },
      { base_tree: NO_OBJECT, tree: [{ ...file, path: 'a' }] },
      { base_tree: sha, tree: [{ ...file, path: 'a' }] },
      { base_tree: 'main', tree: [{ ...file, path: 'a' }] },
    ];
    for (const body of bad) {
      const { status, text } = await post(body);
      assert.equal(status, 422, `${JSON.stringify(body).slice(0, 200)}: ${text}`);
    }
    const deep = Array.from({ length: 11 }, (_, index) => ({
      ...file,
      path: `${index}/${'a/'.repeat(2000)}b`,
    }));
    await expect(422, post({ tree: deep }));
  });

  test('of a tree with too many entries the first are shown', async () => {
    const { path } = await create('many', {});
    const { sha } = await expect(201, send('POST', `${path}/git/blobs`, { content: 'x' }));
    // The same folder thirty times.
    const files = Array.from({ length: 1000 }, (_, index) => ({
      path: `${'n'.repeat(60)}${String(index).padStart(4, '0')}`,
      mode: '100644',
      sha,
    }));
    const one = await expect(201, send('POST', `${path}/git/trees`, { tree: files }));
    const tree = Array.from({ length: 30 }, (_, index) => ({
      path: `folder-${index + 10}`,
      mode: '040000',
      sha: one['sha'] as string,
    }));
    const made = await expect(201, send('POST', `${path}/git/trees`, { tree }));
    const answer = await send('GET', `${path}/git/trees/${made['sha']}?recursive=1`);
    assert.equal(answer.json['truncated'], true);
    assert.ok(answer.text.length <= 7 * 1024 ** 2 && answer.text.length > 6 * 1024 ** 2);
    const [folder, first] = answer.json['tree'] as Json[];
    assert.equal(folder!['path'], 'folder-10');
    assert.equal(first!['path'], `folder-10/${files[0]!.path}`);
  });
});

describe('commits', () => {
  test('a commit has its people with their times and zones, and can be read by git', async () => {
    const { path, head, folder } = await create('commits');
    const { tree } = await expect(200, send('GET', `${path}/git/commits/${head}`));
    const made = await expect(
      201,
      send('POST', `${path}/git/commits`, {
        message: 'A message\n\nwith a body',
        tree: tree.sha,
        parents: [head],
        author: { name: 'Grace', email: 'grace@example.com', date: '2026-01-02T03:04:05+05:30' },
        committer: { name: 'Ada', email: 'ada@example.com', date: '2026-02-03T04:05:06Z' },
      }),
    );
    assert.deepEqual(made['author'], {
      name: 'Grace',
      email: 'grace@example.com',
      date: '2026-01-01T21:34:05Z',
    });
    assert.equal(made['committer'].date, '2026-02-03T04:05:06Z');
    assert.deepEqual(
      made['parents'].map((parent: Json) => parent['sha']),
      [head],
    );
    assert.deepEqual(made['verification'], {
      verified: false,
      reason: 'unsigned',
      signature: null,
      payload: null,
      verified_at: null,
    });
    assert.deepEqual(await expect(200, send('GET', `${path}/git/commits/${made['sha']}`)), made);
    const { stdout } = await run('git', [
      '-C',
      folder,
      'log',
      '-1',
      '--format=%an %aI %s',
      made['sha'] as string,
    ]);
    assert.equal(stdout.trim(), 'Grace 2026-01-02T03:04:05+05:30 A message');
  });

  test('the caller is the author, and the author the committer, where they are not named', async () => {
    const { path, head } = await create('authors');
    const { tree } = await expect(200, send('GET', `${path}/git/commits/${head}`));
    const body = { message: 'x', tree: tree.sha as string };
    const own = await expect(201, send('POST', `${path}/git/commits`, body));
    assert.match(own['author'].email as string, /^\d+\+ada@users\.noreply\./);
    assert.deepEqual([own['committer'], own['parents']], [own['author'], []]);
    const author = { name: 'Grace', email: 'grace@example.com' };
    const other = await expect(201, send('POST', `${path}/git/commits`, { ...body, author }));
    assert.deepEqual(other['committer'], other['author']);
  });

  test('a signature is stored, and its key is not known', async () => {
    const { path, head } = await create('signed');
    const { tree } = await expect(200, send('GET', `${path}/git/commits/${head}`));
    const signature = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----';
    const date = '2026-01-02T03:04:05Z';
    const author = { name: 'Ada', email: 'ada@example.com', date };
    const body = { message: 'signed', tree: tree.sha as string, author, signature };
    const { verification } = await expect(201, send('POST', `${path}/git/commits`, body));
    assert.deepEqual([verification.verified, verification.reason], [false, 'unknown_key']);
    assert.equal(verification.signature, signature);
    assert.equal(
      verification.payload,
      `tree ${tree.sha}\nauthor Ada <ada@example.com> 1767323045 +0000\ncommitter Ada <ada@example.com> 1767323045 +0000\n\nsigned`,
    );
  });

  test('what cannot be a commit is refused', async () => {
    const { path, head } = await create('bad-commits');
    const { tree } = await expect(200, send('GET', `${path}/git/commits/${head}`));
    const good = { message: 'x', tree: tree.sha as string };
    const person = { name: 'a', email: 'b' };
    const bad: Json[] = [
      { message: 'x' },
      { tree: good.tree },
      { ...good, tree: head },
      { ...good, tree: NO_OBJECT },
      { ...good, tree: 'main' },
      { ...good, parents: [good.tree] },
      { ...good, parents: [NO_OBJECT] },
      { ...good, parents: ['HEAD'] },
      { ...good, message: 'a\0b' },
      { ...good, author: { name: 'a' } },
      { ...good, author: { name: '<>', email: 'b' } },
      ...[
        'yesterday',
        '2026-02-30T00:00:00Z',
        '2026-13-01T00:00:00Z',
        '2026-01-01',
        '1950-01-01T00:00:00Z',
      ].map((date) => ({ ...good, author: { ...person, date } })),
    ];
    for (const body of bad) {
      const { status, text } = await send('POST', `${path}/git/commits`, body);
      assert.equal(status, 422, `${JSON.stringify(body)}: ${text}`);
    }
    for (const sha of [NO_OBJECT, tree.sha as string, 'main', head.slice(0, 10)])
      await expect(404, send('GET', `${path}/git/commits/${sha}`));
  });
});

describe('annotated tags', () => {
  test('the object of a tag is created, and becomes a tag by its reference', async () => {
    const { path, head } = await create('tags');
    const body = { tag: 'v1', message: 'First', object: head, type: 'commit' };
    const made = await expect(201, send('POST', `${path}/git/tags`, body));
    assert.deepEqual([made['tag'], made['message'], made['object'].sha], ['v1', 'First', head]);
    assert.match(made['tagger'].email as string, /ada@users\.noreply/);
    assert.deepEqual(await expect(200, send('GET', `${path}/git/tags/${made['sha']}`)), made);
    await expect(404, send('GET', `${path}/git/ref/tags/v1`));
    await expect(201, send('POST', `${path}/git/refs`, { ref: 'refs/tags/v1', sha: made['sha'] as string }));
    const { object } = await expect(200, send('GET', `${path}/git/ref/tags/v1`));
    assert.deepEqual([object.type, object.sha], ['tag', made['sha']]);
    const tagger = { name: 'Grace', email: 'g@example.com', date: '2026-01-01T00:00:00-08:00' };
    const other = await expect(201, send('POST', `${path}/git/tags`, { ...body, tagger }));
    assert.equal(other['tagger'].date, '2026-01-01T08:00:00Z');
    const changes: Json[] = [
      { tag: '-d' },
      { tag: 'a b' },
      { tag: 'a\nb' },
      { tag: '' },
      { tag: 'a..b' },
      { object: NO_OBJECT },
      { type: 'tree' },
      { type: 'tag' },
      { object: 'main' },
    ];
    for (const change of changes) await expect(422, send('POST', `${path}/git/tags`, { ...body, ...change }));
    await expect(404, send('GET', `${path}/git/tags/${head}`));
  });
});

describe('references', () => {
  test('branches and tags are created, moved and deleted by their full names', async () => {
    const repository = await create('refs');
    const { path, head } = repository;
    const made = await expect(201, send('POST', `${path}/git/refs`, { ref: 'refs/heads/a/b', sha: head }));
    assert.equal(made['ref'], 'refs/heads/a/b');
    assert.equal(made['url'], `${server.url}${path}/git/refs/heads/a/b`);
    assert.deepEqual([made['object'].type, made['object'].sha], ['commit', head]);
    for (const place of ['git/ref/heads/a/b', 'git/ref/heads%2Fa%2Fb', 'git/refs/heads/a/b'])
      assert.deepEqual(await expect(200, send('GET', `${path}/${place}`)), made);
    const again = await expect(422, send('POST', `${path}/git/refs`, { ref: 'refs/heads/a/b', sha: head }));
    assert.equal(again['message'], 'Reference already exists');
    await expect(422, send('POST', `${path}/git/refs`, { ref: 'refs/heads/a', sha: head }));
    const next = await commit(repository, 'next');
    const moved = await expect(200, send('PATCH', `${path}/git/refs/heads/a/b`, { sha: next }));
    assert.equal(moved['object'].sha, next);
    const back = await expect(422, send('PATCH', `${path}/git/refs/heads/a/b`, { sha: head }));
    assert.equal(back['message'], 'Update is not a fast forward');
    await expect(200, send('PATCH', `${path}/git/refs/heads/a/b`, { sha: head, force: true }));
    assert.deepEqual(
      ((await expect(200, send('GET', `${path}/git/matching-refs/heads/`))) as unknown as Json[]).map(
        ({ ref }) => ref as string,
      ),
      ['refs/heads/a/b', 'refs/heads/main'],
    );
    assert.deepEqual(await expect(200, send('GET', `${path}/git/matching-refs/heads/a`)), [{ ...made }]);
    assert.deepEqual(await expect(200, send('GET', `${path}/git/matching-refs/tags/v`)), []);
    await expect(204, send('DELETE', `${path}/git/refs/heads/a/b`));
    for (const [method, body] of [['DELETE'], ['PATCH', { sha: head }]] as const) {
      const gone = await expect(422, send(method, `${path}/git/refs/heads/a/b`, body));
      assert.equal(gone['message'], 'Reference does not exist');
    }
    await expect(404, send('GET', `${path}/git/ref/heads/a/b`));
    await expect(404, send('GET', `${path}/git/ref/heads`));
    await expect(422, send('DELETE', `${path}/git/refs/heads/main`));
  });

  test('all references are listed by name, in pages, or those of one kind', async () => {
    const { path, head } = await create('all-refs');
    for (const ref of ['refs/heads/a/b', 'refs/tags/v1', 'refs/tags/v2'])
      await expect(201, send('POST', `${path}/git/refs`, { ref, sha: head }));
    const listed = async (place: string, token: string | null = null) =>
      ((await expect(200, send('GET', `${path}/${place}`, undefined, token))) as unknown as Json[]).map(
        ({ ref }) => ref as string,
      );
    const all = ['refs/heads/a/b', 'refs/heads/main', 'refs/tags/v1', 'refs/tags/v2'];
    assert.deepEqual(await listed('git/refs'), all);
    assert.deepEqual(await listed('git/refs', bob), all);
    assert.deepEqual(await listed('git/refs/heads'), all.slice(0, 2));
    assert.deepEqual(await listed('git/refs/tags'), all.slice(2));
    assert.deepEqual(await listed('git/refs?per_page=3&page=2'), all.slice(3));
    assert.deepEqual(await listed('git/refs/tags?per_page=1&page=2'), ['refs/tags/v2']);
    assert.deepEqual(await listed('git/refs?page=900'), []);
    const { headers, json } = await send('GET', `${path}/git/refs?per_page=3`, undefined, null);
    assert.match(headers.get('link') ?? '', /per_page=3&page=2>; rel="next"/);
    assert.deepEqual(
      (json as unknown as Json[])[1],
      await expect(200, send('GET', `${path}/git/ref/heads/main`)),
    );
    for (const query of ['page=0', 'page=x', 'per_page=-1'])
      await expect(422, send('GET', `${path}/git/refs?${query}`));
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const { status } = await send(method, `${path}/git/refs`, { sha: head });
      assert.ok(status === 404 || status === 422, `${method}: ${status}`);
    }
    for (const place of ['git/refs/head', 'git/refs/pull', 'git/refs/'])
      await expect(404, send('GET', `${path}/${place}`));
    assert.deepEqual(await listed('git/refs'), all);
  });

  test('a name that no branch or tag can have is refused', async () => {
    const { path, head } = await create('bad-refs');
    const names = [
      'main2',
      'heads/x',
      'refs/x',
      'refs/heads/',
      'refs/heads/-d',
      'refs/tags/--all',
      'refs/heads/HEAD',
      'refs/heads/a..b',
      'refs/heads/a@{1}',
      'refs/heads/a b',
      'refs/heads/a\nb',
      'refs/heads/a\x00b',
      'refs/heads/a\x7f',
      'refs/heads/.a',
      'refs/heads/a.lock',
      'refs/heads/../../config',
      'refs/heads/a~1',
      `refs/heads/${head}`,
      `refs/tags/${head.toUpperCase()}`,
      'refs/heads/a:b',
      String.raw`refs/heads/a\b`,
      `refs/heads/${'x'.repeat(300)}`,
      `refs/heads/${'x/'.repeat(600)}x`,
      'refs/notes/commits',
      'refs/pull/1/head',
      'HEAD',
    ];
    for (const ref of names) {
      const { status, text } = await send('POST', `${path}/git/refs`, { ref, sha: head });
      assert.equal(status, 422, `${ref}: ${text}`);
    }
    for (const sha of [NO_OBJECT, 'main', '', head.slice(0, 10), '0'.repeat(40)])
      await expect(422, send('POST', `${path}/git/refs`, { ref: 'refs/heads/x', sha }));
    const { tree } = await expect(200, send('GET', `${path}/git/commits/${head}`));
    await expect(422, send('POST', `${path}/git/refs`, { ref: 'refs/heads/x', sha: tree.sha as string }));
    for (const ref of ['notes/commits', 'heads/-d', 'heads/a%0Ab', 'heads/..%2F..%2Fconfig']) {
      await expect(422, send('DELETE', `${path}/git/refs/${ref}`));
      await expect(422, send('PATCH', `${path}/git/refs/${ref}`, { sha: head }));
      await expect(404, send('GET', `${path}/git/ref/${ref}`));
    }
  });

  test('of concurrent moves none is lost', async () => {
    const repository = await create('contested');
    const { path } = repository;
    const commits = await Promise.all([1, 2, 3, 4].map((index) => commit(repository, `sibling ${index}`)));
    const answers = await Promise.all(
      commits.map((sha) => send('PATCH', `${path}/git/refs/heads/main`, { sha })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 422, 422, 422],
    );
    const winner = answers.find(({ status }) => status === 200)!.json['object'].sha as string;
    const { object } = await expect(200, send('GET', `${path}/git/ref/heads/main`));
    assert.equal(object.sha, winner);
    const forced = await Promise.all(
      commits.map((sha) => send('PATCH', `${path}/git/refs/heads/main`, { sha, force: true })),
    );
    assert.deepEqual(
      forced.map(({ status, text }) => [status, status === 200 ? '' : text]),
      commits.map(() => [200, '']),
    );
  });

  test('a moved branch is a push', async () => {
    const repository = await create('pushed');
    const { path } = repository;
    const { pushed_at: earlier } = await expect(200, send('GET', path));
    server.clock.ahead += 60_000;
    const sha = await commit(repository, 'next');
    await expect(200, send('PATCH', `${path}/git/refs/heads/main`, { sha }));
    const { pushed_at: now } = await expect(200, send('GET', path));
    assert.ok((now as string) > (earlier as string));
  });
});

describe('access', () => {
  const calls: [string, string, unknown?][] = [
    ['POST', 'git/blobs', { content: 'x' }],
    ['POST', 'git/trees', { tree: [{ path: 'a', mode: '100644', content: 'x' }] }],
    ['POST', 'git/commits', { message: 'x', tree: NO_OBJECT }],
    ['POST', 'git/tags', { tag: 'x', message: 'x', object: NO_OBJECT, type: 'commit' }],
    ['POST', 'git/refs', { ref: 'refs/heads/x', sha: NO_OBJECT }],
    ['PATCH', 'git/refs/heads/main', { sha: NO_OBJECT }],
    ['DELETE', 'git/refs/heads/main'],
  ];
  const reads = [
    `git/blobs/${NO_OBJECT}`,
    'git/trees/main',
    `git/commits/${NO_OBJECT}`,
    'git/ref/heads/main',
    'git/matching-refs/heads',
    'git/refs',
    'git/refs/tags',
    `git/tags/${NO_OBJECT}`,
  ];

  test('a private repository is not there for others', async () => {
    const { path } = await create('hidden', { private: true, auto_init: true });
    for (const [method, place, body] of calls) {
      await expect(404, send(method, `${path}/${place}`, body, bob));
      await expect(401, send(method, `${path}/${place}`, body, null));
      await expect(404, send(method, `${path}/${place}`, method === 'DELETE' ? undefined : {}, bob));
    }
    for (const place of reads)
      for (const token of [bob, null]) await expect(404, send('GET', `${path}/${place}`, undefined, token));
  });

  test('a public repository is read by everybody, and written by those who may push', async () => {
    const { path } = await create('readable');
    for (const [method, place, body] of calls) {
      await expect(403, send(method, `${path}/${place}`, body, bob));
      await expect(401, send(method, `${path}/${place}`, body, null));
    }
    await expect(200, send('GET', `${path}/git/trees/main`, undefined, null));
  });

  test('an archived repository is read-only', async () => {
    const { path } = await create('ended');
    await expect(200, send('PATCH', path, { archived: true }));
    for (const [method, place, body] of calls) await expect(403, send(method, `${path}/${place}`, body));
    await expect(200, send('GET', `${path}/git/ref/heads/main`));
  });

  test('an empty repository says so, and takes the first commit', async () => {
    const { path } = await create('empty', {});
    for (const place of reads.filter((one) => !one.includes('matching')))
      assert.equal(
        (await expect(409, send('GET', `${path}/${place}`)))['message'],
        'Git Repository is empty.',
      );
    assert.deepEqual(await expect(200, send('GET', `${path}/git/matching-refs/heads`)), []);
    const tree = [{ path: 'a.txt', mode: '100644', content: 'a' }];
    const { sha } = await expect(201, send('POST', `${path}/git/trees`, { tree }));
    const first = await expect(
      201,
      send('POST', `${path}/git/commits`, { message: 'first', tree: sha as string }),
    );
    await expect(
      201,
      send('POST', `${path}/git/refs`, { ref: 'refs/heads/main', sha: first['sha'] as string }),
    );
    await expect(200, send('GET', `${path}/git/trees/main`));
  });
});

onEachEngine((engine) => {
  test('a branch is moved by number, too', async () => {
    const location = await engine.migratedDatabase();
    const own = await startServer(engine.kind === 'postgres' ? { database: location } : {});
    try {
      const { json } = await own.call('/user/repos', {
        method: 'POST',
        body: { name: 'x', auto_init: true },
      });
      const path = `/repositories/${json['id']}/git`;
      const { json: ref } = await own.call(`${path}/ref/heads/main`);
      const post = async (place: string, body: Json) =>
        (await own.call(`${path}/${place}`, { method: 'POST', body })).json;
      const { sha: tree } = await post('trees', { tree: [{ path: 'a', mode: '100644', content: 'a' }] });
      const { sha } = await post('commits', { message: 'x', tree, parents: [ref['object'].sha] });
      const { status, text } = await own.call(`${path}/refs/heads/main`, { method: 'PATCH', body: { sha } });
      assert.equal(status, 200, text);
    } finally {
      await own.stop();
    }
  });
});
