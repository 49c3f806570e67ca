// Objects of git on a running server: blobs, trees, commits and annotated tags.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe } from 'node:test';
import { promisify } from 'node:util';
import { gitTest as test } from '../../../git-tests.ts';
import type { Json } from '../../../server.ts';
import { expect, NO_OBJECT, onGitServer } from './data-calls.ts';

const run = promisify(execFile);
const { people, send, create } = onGitServer();

describe('blobs', () => {
  test('content is stored as given, and returned in lines of base64', async () => {
    const { path } = await create('blobs');
    const post = (body: Json) => send('POST', `${path}/git/blobs`, body);
    const text = 'Grüße\n'.repeat(20);
    const { sha, url } = await expect(201, post({ content: text }));
    assert.equal(url, `${people.server.url}${path}/git/blobs/${sha}`);
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
    const raw = await people.server.call(`${path}/git/blobs/${sha}`, {
      token: people.ada,
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
    const raw = await people.server.call(`${path}/git/blobs/${sha}`, {
      token: people.ada,
      headers: { accept },
    });
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
